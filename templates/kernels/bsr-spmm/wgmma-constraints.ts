import { type Point, parameters, storesByTma } from './parameters.ts';
import {
  boxesOfC,
  clusterAlongK,
  registerLimit,
  warpgroupTile,
  wgmmaNames,
  wgmmaSizes,
} from './wgmma-sizes.ts';

const { constraint } = parameters;

/** Columns of B and C that are their lines come in any number; 16 are a box of C, and half of one no whole step of `stmatrix`. */
const takesNarrow = ({
  block,
  input,
  layoutB,
  layoutC,
}: Pick<Point, 'block' | 'input' | 'layoutB' | 'layoutC'>) =>
  block !== 32 && input !== 'f32' && layoutB === 'column' && layoutC === 'column';

/** Rules of the path `wgmma`; the other paths pass them all. */
export const wgmmaConstraints = [
  constraint(
    'wgmma-tile',
    ['path', 'block', 'input', 'layoutB', 'layoutC', 'tileN', 'tileK'],
    'Tiles are whole panels of 64 columns, or 16, 32 or 48 columns where B and C are column-major and blocks fill wgmma without being swapped; a stage 32 deep, or 64 of 16-bit types: rows of A of 64 or 128 bytes, which are swizzles of TMA; its boxes may have 256 in any dimension at most, and have 128 by these rules and `wgmma-blocks`.',
    (point) =>
      point.path !== 'wgmma' ||
      ((point.tileN % 64 === 0 || (takesNarrow(point) && point.tileN % 16 === 0)) &&
        (point.tileK === 32 || (point.tileK === 64 && point.input !== 'f32'))),
  ),
  constraint(
    'wgmma-tf32',
    ['path', 'input', 'role', 'consumers', 'blocksPerStage', 'cluster', 'wgmmaDepth', 'schedule', 'split'],
    'With inputs of f32 a warpgroup has blocks of A of its own, which it rounds in shared memory, one to a stage: roles pingpong and rows, or one warpgroup, at most two; products are complete before the next stage; whole tiles of single thread blocks.',
    ({ path, input, role, consumers, blocksPerStage, cluster, wgmmaDepth, schedule, split }) =>
      path !== 'wgmma' ||
      input !== 'f32' ||
      ((consumers === 1 || (consumers === 2 && (role === 'pingpong' || role === 'rows'))) &&
        blocksPerStage === 1 &&
        cluster === 1 &&
        wgmmaDepth === 0 &&
        schedule === 'static' &&
        split === 0),
  ),
  constraint(
    'wgmma-stages',
    ['path', 'stages'],
    'At least two stages: one is filled while another is multiplied.',
    ({ path, stages }) => path !== 'wgmma' || stages >= 2,
  ),
  constraint(
    'wgmma-producers',
    ['path', 'stages', 'producers', 'schedule'],
    '1 to 4 producer warps, each with at least one stage of its own; 1 with the work queue (schedule atomic).',
    ({ path, stages, producers, schedule }) =>
      path !== 'wgmma' ||
      (producers >= 1 && producers <= stages && (schedule !== 'atomic' || producers === 1)),
  ),
  constraint(
    'wgmma-epilogue',
    ['path', 'output', 'epilogue'],
    'C is stored by TMA, 16-bit types only, or by plain stores.',
    ({ path, output, epilogue }) => path !== 'wgmma' || !storesByTma(epilogue) || output !== 'f32',
  ),
  constraint(
    'wgmma-role',
    ['path', 'block', 'role', 'consumers'],
    'coopM halves blocks of 128 rows, pingpong is for two, rows for two or three, and one warpgroup takes all columns.',
    ({ path, block, role, consumers }) => {
      if (path !== 'wgmma') return true;
      if (role === 'coopM') return block === 128 && consumers === 2;
      if (role === 'pingpong') return consumers === 2;
      return role !== 'rows' || consumers > 1;
    },
  ),
  constraint(
    'wgmma-transposed',
    ['path', 'role', 'transposeA'],
    'Blocks of A transposed are those that a schedule numbers (role rows).',
    ({ path, role, transposeA }) => path !== 'wgmma' || !transposeA || role === 'rows',
  ),
  constraint(
    'wgmma-shape',
    ['path', 'block', 'input', 'layoutB', 'layoutC', 'tileN', 'role', 'consumers'],
    'A warpgroup has whole panels of 64 columns, or 16, 32 or 48 columns of a narrow tile, and no more than the 256 of one wgmma where they lie along N.',
    (point) => {
      if (point.path !== 'wgmma') return true;
      const { columns } = warpgroupTile(point);
      const narrow = takesNarrow(point) && columns < 64 && columns % 16 === 0;
      return (columns % 64 === 0 || narrow) && (point.block === 32 || columns <= 256);
    },
  ),
  constraint(
    'wgmma-registers',
    ['path', 'block', 'input', 'tileN', 'role', 'consumers', 'epilogue'],
    'accumulators + pending epilogue + 32 <= registers per consumer thread (160 with 3 consumers, 168 with 2, 232 with overlap, 224 with inputs of f32, 255 with 1), and accumulators <= 128.',
    (point, arch) => {
      if (point.path !== 'wgmma') return true;
      const { rows, columns } = warpgroupTile(point);
      const accumulators = (rows * columns) / 128;
      const waiting = point.epilogue === 'overlap' ? accumulators / 2 : 0;
      return accumulators <= 128 && accumulators + waiting + 32 <= registerLimit(point, arch);
    },
  ),
  constraint(
    'wgmma-blocks',
    ['path', 'block', 'tileK', 'blocksPerStage'],
    'Two blocks share a stage, not more, and only where one fits into a stage.',
    ({ path, block, tileK, blocksPerStage }) =>
      path !== 'wgmma' || blocksPerStage === 1 || (blocksPerStage === 2 && tileK === block && block < 128),
  ),
  constraint(
    'wgmma-depth',
    ['path', 'role', 'blocksPerStage', 'wgmmaDepth'],
    'Rows of a group skip blocks that they lack; products stay under way where a stage has one block only (role rows).',
    ({ path, role, blocksPerStage, wgmmaDepth }) =>
      path !== 'wgmma' || role !== 'rows' || blocksPerStage === 1 || wgmmaDepth === 0,
  ),
  constraint(
    'wgmma-staging',
    ['path', 'block', 'tileN', 'epilogue', 'role', 'consumers', 'stagingN'],
    'A warpgroup stages its columns in equal passes.',
    (point) =>
      point.path !== 'wgmma' ||
      !storesByTma(point.epilogue) ||
      warpgroupTile(point).columns % point.stagingN === 0 ||
      (warpgroupTile(point).columns < 64 && point.stagingN === 64),
  ),
  constraint(
    'wgmma-overlap',
    ['path', 'epilogue', 'role', 'wgmmaDepth', 'split'],
    'A tile that waits to be written while the next one is multiplied (epilogue overlap) is whole, and its warpgroups work together; with role rows, products stay under way (wgmmaDepth 1).',
    ({ path, epilogue, role, wgmmaDepth, split }) =>
      path !== 'wgmma' ||
      epilogue !== 'overlap' ||
      (role !== 'pingpong' && (role !== 'rows' || wgmmaDepth === 1) && split === 0),
  ),
  constraint(
    'wgmma-store-warps',
    [
      'path',
      'epilogue',
      'block',
      'input',
      'layoutC',
      'tileN',
      'role',
      'consumers',
      'producers',
      'schedule',
      'split',
    ],
    "Warps that write C (epilogue storeWarps) are two or three of the producers' warpgroup, which copy nothing, behind two or three consumer warpgroups; C's lines lie along wgmma's N, inputs are of 16 bits, and every consumer stages its share of each tile, which is whole.",
    (point) =>
      point.path !== 'wgmma' ||
      point.epilogue !== 'storeWarps' ||
      (point.role !== 'pingpong' &&
        point.consumers > 1 &&
        point.producers <= 2 &&
        point.schedule === 'static' &&
        point.split === 0 &&
        point.input !== 'f32' &&
        !boxesOfC(point).turned),
  ),
  constraint(
    'wgmma-work-queue',
    ['path', 'role', 'cluster', 'schedule', 'split'],
    'The work queue (schedule atomic) is for whole tiles, single thread blocks and warpgroups that share a tile.',
    ({ path, role, cluster, schedule, split }) =>
      path !== 'wgmma' ||
      schedule !== 'atomic' ||
      (cluster === 1 && split === 0 && (role === 'coopN' || role === 'coopM')),
  ),
  constraint(
    'wgmma-shared-steps',
    ['path', 'role', 'cluster', 'schedule', 'split', 'epilogue'],
    'Thread blocks that share the steps of tiles (schedule pairs, fours) have whole tiles that are stored before the next one, and warpgroups that share a tile.',
    ({ path, role, cluster, schedule, split, epilogue }) =>
      path !== 'wgmma' ||
      clusterAlongK({ schedule }) === 1 ||
      ((role === 'coopN' || role === 'coopM') && cluster === 1 && split === 0 && epilogue !== 'overlap'),
  ),
  constraint(
    'wgmma-hint',
    ['path', 'epilogue', 'l2Hint'],
    'A hint about C goes with its TMA store.',
    ({ path, epilogue, l2Hint }) =>
      path !== 'wgmma' || storesByTma(epilogue) || l2Hint === 'none' || l2Hint === 'keepB',
  ),
  constraint(
    'wgmma-shared-memory',
    wgmmaNames,
    'The ring, the staging of C and the barriers fit into the largest shared memory of a block.',
    (point, arch) => point.path !== 'wgmma' || wgmmaSizes(point).sharedBytes <= arch.maxSharedBytesPerBlock,
  ),
];
