import { parameters } from './parameters.ts';
import { maxSharedBytes } from './sizes.ts';
import { consumerRegisters, warpgroupTile, wgmmaNames, wgmmaSizes } from './wgmma-sizes.ts';

const { constraint } = parameters;

/** Rules of the path `wgmma`; the other paths pass them all. */
export const wgmmaConstraints = [
  constraint(
    'wgmma-tile',
    ['path', 'tileN', 'tileK'],
    'Tiles are whole panels of 64 columns, a stage 32 or 64 deep: rows of A of 64 or 128 bytes, which are swizzles of TMA; its boxes, of 256 at most in any dimension, are then no longer than 128.',
    ({ path, tileN, tileK }) => path !== 'wgmma' || (tileN % 64 === 0 && (tileK === 32 || tileK === 64)),
  ),
  constraint(
    'wgmma-stages',
    ['path', 'stages'],
    'At least two stages: one is filled while another is multiplied.',
    ({ path, stages }) => path !== 'wgmma' || stages >= 2,
  ),
  constraint(
    'wgmma-epilogue',
    ['path', 'output', 'epilogue'],
    'C goes out by TMA, 16-bit types only, or directly.',
    ({ path, output, epilogue }) =>
      path !== 'wgmma' || epilogue === 'direct' || (epilogue === 'tma' && output !== 'f32'),
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
    'wgmma-shape',
    ['path', 'block', 'tileN', 'role', 'consumers'],
    'A warpgroup has whole panels of 64 columns, and no more than the 256 of one wgmma where they lie along N.',
    (point) => {
      if (point.path !== 'wgmma') return true;
      const { columns } = warpgroupTile(point);
      return columns % 64 === 0 && (point.block === 32 || columns <= 256);
    },
  ),
  constraint(
    'wgmma-registers',
    ['path', 'block', 'tileN', 'role', 'consumers'],
    'A thread has at most 128 accumulators; with 32 registers beside them they fit into the 160 that setmaxnreg leaves each of three consumer warpgroups, or the 224 of two.',
    (point) => {
      if (point.path !== 'wgmma') return true;
      const { rows, columns } = warpgroupTile(point);
      const accumulators = (rows * columns) / 128;
      return accumulators <= 128 && accumulators + 32 <= consumerRegisters(point);
    },
  ),
  constraint(
    'wgmma-blocks',
    ['path', 'block', 'tileK', 'blocksPerStage'],
    'Two blocks share a stage only where one fits into a stage.',
    ({ path, block, tileK, blocksPerStage }) =>
      path !== 'wgmma' || blocksPerStage === 1 || (tileK === block && block < 128),
  ),
  constraint(
    'wgmma-staging',
    ['path', 'block', 'tileN', 'epilogue', 'role', 'consumers', 'stagingN'],
    'A warpgroup stages its columns in equal passes.',
    (point) =>
      point.path !== 'wgmma' ||
      point.epilogue !== 'tma' ||
      warpgroupTile(point).columns % point.stagingN === 0,
  ),
  constraint(
    'wgmma-claims',
    ['path', 'role', 'cluster', 'schedule', 'split'],
    'Tiles are claimed by single thread blocks whose warpgroups work together, and are whole (schedule atomic).',
    ({ path, role, cluster, schedule, split }) =>
      path !== 'wgmma' ||
      schedule === 'static' ||
      (cluster === 1 && split === 0 && (role === 'coopN' || role === 'coopM')),
  ),
  constraint(
    'wgmma-hint',
    ['path', 'epilogue', 'l2Hint'],
    'A hint about C goes with its TMA store.',
    ({ path, epilogue, l2Hint }) =>
      path !== 'wgmma' || epilogue === 'tma' || l2Hint === 'none' || l2Hint === 'keepB',
  ),
  constraint(
    'wgmma-shared-memory',
    wgmmaNames,
    'The ring, the staging of C and the barriers fit into the largest shared memory of a block (227 KB, sm_90).',
    (point) => point.path !== 'wgmma' || wgmmaSizes(point).sharedBytes <= maxSharedBytes,
  ),
];
