import { hasNarrowLines, type Point } from '../../parameters.ts';

const roles = {
  coopN: 'each a part of the columns',
  coopM: 'each a part of the rows',
  pingpong: 'tiles in turn',
  rows: 'a row each',
} as const;

const stores = {
  direct: 'C is written by plain stores.',
  staged: 'C is staged in shared memory and stored in whole lines.',
  storeWarps:
    'C is staged in shared memory and stored in whole lines by warps of their own, while the next tile is multiplied.',
  tma: 'C is stored by stmatrix and TMA and not read: the launch code refuses a beta other than 0.',
  overlap:
    'C is stored by stmatrix and TMA, while the next tile is multiplied, and not read: the launch code refuses a beta other than 0.',
} as const;

/** Words of the comments of wgmma.cu.hbs and its partials: those that differ between variants. */
export function wgmmaWords(point: Point) {
  const { role, cluster, consumers, producers, tileN } = point;
  const rows = role === 'rows' ? `${consumers} block rows` : 'one block row';
  return {
    walkersDoc: cluster === 2 ? 'pair of thread blocks' : 'thread block',
    tileDoc: `${rows} by ${tileN} columns of C${cluster === 2 ? ' per thread block' : ''}`,
    producersDoc: producers === 1 ? 'One producer warp keeps' : `${producers} producer warps keep`,
    consumersDoc:
      consumers === 1
        ? 'One consumer warpgroup multiplies'
        : `${consumers} consumer warpgroups (${roles[role]}) multiply`,
    storesDoc: stores[point.epilogue],
    swapDoc:
      point.input === 'f32'
        ? 'so that B comes through registers, which round it'
        : 'so that 32 rows need no padding to 64',
    boxDocA: boxOfA(point),
    boxDocB: boxOfB(point),
  };
}

function boxOfA({ transposeA, cluster }: Point): string {
  const rows = transposeA ? 'kTileK' : 'kRowsA';
  return `${rows}${cluster === 2 ? ' / 2' : ''} rows by ${transposeA ? 'kPanelA' : 'kTileK'} columns`;
}

function boxOfB(point: Point): string {
  if (point.packB && hasNarrowLines(point)) return 'its packed tiles, in lines of two columns';
  if (point.layoutB === 'column')
    return 'its columns one below the other, in boxes of kBoxColumnsB columns by kTileK rows';
  return "columns of a panel, rows, panels, in boxes of all panels of a tile, or of one where B's last one is short (`clipped`)";
}
