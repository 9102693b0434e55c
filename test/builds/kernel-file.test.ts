// Kernels that use CUDA's libraries and instructions, and references that fail: what `validate x.cu` says of them. Each file is
// a second or more of compiling; those of the language alone are in test/e2e/kernel-file.test.ts.

import { type Expected, judges } from '../helpers/checked.ts';

const expected: Expected = {
  'cub.cu': {
    'row_sums<128>': ['passed', '6 cases'],
    'prefix<64, 4>': ['passed', '6 cases'],
    warp_maxima: ['passed', '1 case'],
    storage_again: [
      'race',
      "of shared 'storage' (512 bytes): load by thread 0 of block (0,0,0) at cub.cu:119",
    ],
    staged: ['passed', '6 cases'],
    staged_without_wait: ['race', 'load by thread 63 of block (0,0,0) at cub.cu:137 and earlier cp.async'],
    by_the_block: ['passed', '5 cases'],
    by_the_block_without_wait: ['race', 'and earlier cp.async by thread 48 of block (0,0,0) at cub.cu:160'],
    centre: ['passed', '6 cases'],
  },
  'wmma.cu': {
    product: ['passed', '9 cases'],
    tall: ['passed', '7 cases'],
    wide: ['passed', '7 cases'],
    rounded: ['passed', '7 cases'],
    through_shared: ['race', 'at wmma.cu:147 and earlier load by thread 46 of block (0,0,0) at wmma.cu:151'],
  },
  'assembly.cu': {
    product: ['passed', '9 cases'],
    without_wait: ['race', 'ldmatrix by thread 0 of block (0,0,0) at assembly.cu:95 and earlier cp.async'],
    arithmetic: ['passed', '6 cases'],
    sums: ['passed', '6 cases'],
    vectors: ['passed', '6 cases'],
    unknown: ['refused', "assembly.cu:152: the emulated device does not support the inline PTX 'bfind.u32"],
  },
  'library.cu': {
    tile_sums: ['passed', '6 cases'],
    tile_sums_early: ['race', 'cp.async by thread 0 of block (0,0,0) at library.cu:'],
    scale: ['passed', '5 cases'],
    last_block: ['passed', '6 cases'],
    counter: ['passed', '6 cases'],
    sum_by_swaps: ['passed', '6 cases'],
    bulk_copy: ['passed', '6 cases'],
    one_product: ['passed', '1 case'],
    sorted: ['passed', '1 case'],
    merged: ['passed', '1 case'],
    storage_twice: ['race', "of shared 'storage'"],
  },
  'clusters.cu': {
    histogram: ['passed', '5 cases'],
    histogram_leaves: [
      'race',
      'load by thread 0 of block (0,0,0) at clusters.cu:38 and earlier atomic by thread',
    ],
    histogram_begins: ['race', 'clusters.cu:32 and earlier store by thread'],
    neighbours: ['passed', '2 cases'],
    neighbours_leave: ['race', 'nothing orders its end behind the plain load of its shared memory by thread'],
    neighbours_too_far: ['out-of-bounds', 'mapa to rank 4 of a cluster of 4'],
    by_instructions: ['passed', '2 cases'],
    places: ['passed', '1 case'],
    contradicted: ['refused', 'neighbours has __cluster_dims__(4, 1, 1), the description says cluster: [2]'],
    at_namespace_scope: ['refused', 'declare its extern __shared__ memory in the kernel'],
  },
  'tma.cu': {
    add_one: ['passed', '6 cases'],
    add_one_unannounced: ['hang', '0 of 1 arrivals missing, 2048 bytes missing at tma.cu:28'],
    add_one_without_fence: ['race', 'fence.proxy.async is missing between them'],
    add_one_without_wait: ['race', "of shared 'tile' (2048 bytes)"],
    by_library: ['passed', '6 cases'],
    transposed: ['passed', '8 cases'],
    columns: ['passed', '6 cases'],
    too_long: ['refused', "the tensor map 'map' reaches to byte 11296 of 'in', which has 10240"],
    undescribed: ['refused', "argument 'map' of columns is a tensor map: say what it describes"],
    misaligned: ['refused', 'stride[1] is 244 bytes; allowed are multiples of 16'],
  },
  'references.cu': {
    'twice<1>': [
      'refused',
      "references.cu:reads_behind is out of bounds: it accesses byte 1200 of 'in' (1200 bytes) at",
    ],
    'twice<2>': ['refused', "accesses byte -4 of 'in' (1200 bytes) at references.cu:21"],
    'twice<3>': ['refused', "accesses byte 1200 of 'out' (1200 bytes) at references.cu:25"],
    'twice<4>': [
      'refused',
      'references.cu:divides divides an integer by zero; the kernel has not been judged',
    ],
    'twice<5>': ['refused', 'references.cu:aborts aborts'],
    'twice<6>': [
      'refused',
      'references.cu:recurses accesses memory that it was not given, or its stack overflows',
    ],
    'twice<7>': ['refused', 'references.cu:leaves ends the process instead of returning'],
    'twice<8>': [
      'refused',
      "references.cu:kernel_behind fails: global-out-of-bounds: load of 4 bytes at byte 1200 of 'in'",
    ],
    'twice<9>': ['wrong', "'out': 300 of 300 elements fail"],
  },
};

judges(expected);
