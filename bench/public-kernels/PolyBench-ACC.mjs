// Descriptions of the kernels of github.com/cavazos-lab/PolyBench-ACC. Their files fix the sizes as macros and also pass them as
// arguments: each macro becomes the argument, so that ragged sizes are tried too. References are templates, called with double.
const named = { m: 'M', n: 'N', ni: 'NI', nj: 'NJ', nk: 'NK', nl: 'NL', nm: 'NM', nx: 'NX', ny: 'NY' };
const macrosOf = (sizes) =>
  Object.fromEntries(
    Object.keys([sizes].flat()[0]).flatMap((size) => (named[size] ? [[named[size], size]] : [])),
  );

const positive = { uniform: [0.5, 1.5] };
const small = { uniform: [0.1, 0.3] };
const inout = (...shape) => ({ shape, role: 'inout' });
const into = (...shape) => ({ shape, role: 'out' });
const from = (...shape) => ({ shape, role: 'in' });
const of = (values, tensor) => ({ ...tensor, values });

/** Threads in x for `columns`, in y for `rows`. */
const plane = (columns, rows) => ({
  grid: [`ceil_div(${columns}, 32)`, `ceil_div(${rows}, 8)`],
  block: [32, 8],
});
const line = (count) => ({ grid: `ceil_div(${count}, 256)`, block: 256 });

const kernel = (name, sizes, launch, given, more = {}) => ({
  kernel: name,
  sizes,
  defines: macrosOf(sizes),
  arguments: given,
  ...launch,
  reference: `references-polybench.cpp:${name}`,
  ...more,
});
/** As above, where two files have kernels of one name. */
const as = (reference, one) => ({ ...one, reference: `references-polybench.cpp:${reference}` });

const table = { m: 40, n: 33 };
const data = from('n', 'm');
/** Means and deviations are sums over more than three million, whatever n is. */
const large = of({ normal: [0, 1e6] }, data);
/** A deviation that is taken for none, the second time. */
const scattered = [
  { ...table, range: 9000 },
  { ...table, range: 1 },
];
const product = { ni: 20, nj: 40, nk: 33 };
const scaled = { alpha: 1.5, beta: 0.75 };
const chain = { ...product, nl: 36 };
const chains = { ...chain, nm: 25 };
const lines = { nx: 40, ny: 33 };
const square = { n: 44 };
const tensor = { nr: 3, nq: 10, np: 36 };
const tall = { ni: 40, nj: 33 };
const field = { nx: 20, ny: 40 };
const matrix = { a: from('n', 'n') };
const rows = {
  A: of(small, inout('n', 'n')),
  B: of({ uniform: [1, 2] }, inout('n', 'n')),
  X: inout('n', 'n'),
};
const onlyRead = (tensor) => ({ ...tensor, role: 'in' });
const forward = { ...rows, A: onlyRead(rows.A) };
const backward = { ...forward, B: onlyRead(rows.B) };

export const folders = {
  'CUDA/datamining/correlation': {
    'correlation.cu': [
      as('mean', kernel('mean_kernel', table, line('m'), { mean: into('m'), data: large })),
      as(
        'deviation',
        kernel('std_kernel', scattered, line('m'), {
          mean: from('m'),
          std: into('m'),
          data: of({ integers: ['-range', 'range'] }, data),
        }),
      ),
      as(
        'standardise',
        kernel('reduce_kernel', table, plane('m', 'n'), {
          mean: from('m'),
          std: of(positive, from('m')),
          data: inout('n', 'm'),
        }),
      ),
      as('correlate', kernel('corr_kernel', table, line('m'), { symmat: inout('m', 'm'), data })),
    ],
  },
  'CUDA/datamining/covariance': {
    'covariance.cu': [
      as('mean', kernel('mean_kernel', table, line('m'), { mean: into('m'), data: large })),
      as(
        'centre',
        kernel('reduce_kernel', table, plane('m', 'n'), { mean: from('m'), data: inout('n', 'm') }),
      ),
      as('covariance', kernel('covar_kernel', table, line('m'), { symmat: into('m', 'm'), data })),
    ],
  },
  'CUDA/linear-algebra/kernels/2mm': {
    '2mm.cu': [
      kernel('mm2_kernel1', chain, plane('nj', 'ni'), {
        ...scaled,
        tmp: into('ni', 'nj'),
        A: from('ni', 'nk'),
        B: from('nk', 'nj'),
      }),
      kernel('mm2_kernel2', chain, plane('nl', 'ni'), {
        ...scaled,
        tmp: from('ni', 'nj'),
        C: from('nj', 'nl'),
        D: inout('ni', 'nl'),
      }),
    ],
  },
  'CUDA/linear-algebra/kernels/3mm': {
    '3mm.cu': [
      kernel('mm3_kernel1', chains, plane('nj', 'ni'), {
        A: from('ni', 'nk'),
        B: from('nk', 'nj'),
        E: into('ni', 'nj'),
      }),
      kernel('mm3_kernel2', chains, plane('nl', 'nj'), {
        C: from('nj', 'nm'),
        D: from('nm', 'nl'),
        F: into('nj', 'nl'),
      }),
      kernel('mm3_kernel3', chains, plane('nl', 'ni'), {
        E: from('ni', 'nj'),
        F: from('nj', 'nl'),
        G: into('ni', 'nl'),
      }),
    ],
  },
  'CUDA/linear-algebra/kernels/atax': {
    'atax.cu': [
      kernel('atax_kernel1', lines, line('nx'), { A: from('nx', 'ny'), x: from('ny'), tmp: into('nx') }),
      kernel('atax_kernel2', lines, line('ny'), { A: from('nx', 'ny'), y: into('ny'), tmp: from('nx') }),
    ],
  },
  'CUDA/linear-algebra/kernels/bicg': {
    'bicg.cu': [
      kernel('bicg_kernel1', lines, line('ny'), { A: from('nx', 'ny'), r: from('nx'), s: into('ny') }),
      kernel('bicg_kernel2', lines, line('nx'), { A: from('nx', 'ny'), p: from('ny'), q: into('nx') }),
    ],
  },
  'CUDA/linear-algebra/kernels/doitgen': {
    'doitgen.cu': [
      kernel(
        'doitgen_kernel1',
        tensor,
        plane('np', 'nq'),
        {
          sum: inout('nr', 'nq', 'np'),
          A: from('nr', 'nq', 'np'),
          C4: from('np', 'np'),
          r: 1,
        },
        { where: 'nr > 1' },
      ),
      kernel(
        'doitgen_kernel2',
        tensor,
        plane('np', 'nq'),
        {
          sum: from('nr', 'nq', 'np'),
          A: inout('nr', 'nq', 'np'),
          C4: from('np', 'np'),
          r: 2,
        },
        { where: 'nr > 2' },
      ),
    ],
  },
  'CUDA/linear-algebra/kernels/gemm': {
    'gemm.cu': [
      kernel('gemm_kernel', product, plane('nj', 'ni'), {
        ...scaled,
        a: from('ni', 'nk'),
        b: from('nk', 'nj'),
        c: inout('ni', 'nj'),
      }),
    ],
  },
  'CUDA/linear-algebra/kernels/gemver': {
    'gemver.cu': [
      kernel('gemver_kernel1', square, plane('n', 'n'), {
        ...scaled,
        a: inout('n', 'n'),
        v1: from('n'),
        v2: from('n'),
        u1: from('n'),
        u2: from('n'),
      }),
      kernel('gemver_kernel2', square, line('n'), {
        ...scaled,
        ...matrix,
        x: inout('n'),
        y: from('n'),
        z: from('n'),
      }),
      kernel('gemver_kernel3', square, line('n'), { ...scaled, ...matrix, x: from('n'), w: inout('n') }),
    ],
  },
  'CUDA/linear-algebra/kernels/gesummv': {
    'gesummv.cu': [
      kernel('gesummv_kernel', square, line('n'), {
        ...scaled,
        A: from('n', 'n'),
        B: from('n', 'n'),
        tmp: inout('n'),
        x: from('n'),
        y: inout('n'),
      }),
    ],
  },
  'CUDA/linear-algebra/kernels/mvt': {
    'mvt.cu': [
      kernel('mvt_kernel1', square, line('n'), { ...matrix, x1: inout('n'), y_1: from('n') }),
      kernel('mvt_kernel2', square, line('n'), { ...matrix, x2: inout('n'), y_2: from('n') }),
    ],
  },
  'CUDA/linear-algebra/kernels/syr2k': {
    'syr2k.cu': [
      kernel('syr2k_kernel', tall, plane('ni', 'ni'), {
        ...scaled,
        a: from('ni', 'nj'),
        b: from('ni', 'nj'),
        c: inout('ni', 'ni'),
      }),
    ],
  },
  'CUDA/linear-algebra/kernels/syrk': {
    'syrk.cu': [
      kernel('syrk_kernel', tall, plane('ni', 'ni'), {
        ...scaled,
        a: from('ni', 'nj'),
        c: inout('ni', 'ni'),
      }),
    ],
  },
  'CUDA/linear-algebra/solvers/gramschmidt': {
    'gramschmidt.cu': [
      kernel(
        'gramschmidt_kernel1',
        tall,
        line('nj'),
        {
          a: from('ni', 'nj'),
          r: inout('nj', 'nj'),
          q: from('ni', 'nj'),
          k: 2,
        },
        { where: 'nj > 2' },
      ),
      kernel(
        'gramschmidt_kernel2',
        tall,
        line('ni'),
        {
          a: from('ni', 'nj'),
          r: of(positive, from('nj', 'nj')),
          q: inout('ni', 'nj'),
          k: 2,
        },
        { where: 'nj > 2' },
      ),
      kernel('gramschmidt_kernel3', tall, line('nj'), {
        a: inout('ni', 'nj'),
        r: inout('nj', 'nj'),
        q: from('ni', 'nj'),
        k: 2,
      }),
    ],
  },
  'CUDA/linear-algebra/solvers/lu': {
    'lu.cu': [
      kernel('lu_kernel1', square, line('n'), { A: of(positive, inout('n', 'n')), k: 3 }),
      kernel('lu_kernel2', square, plane('n', 'n'), { A: inout('n', 'n'), k: 3 }),
    ],
  },
  'CUDA/stencils/adi': {
    'adi.cu': [
      kernel('adi_kernel1', square, line('n'), forward),
      kernel('adi_kernel2', square, line('n'), backward),
      kernel('adi_kernel3', square, line('n'), backward),
      kernel('adi_kernel4', square, line('n'), { ...forward, i1: 2 }, { where: 'n > 2' }),
      kernel('adi_kernel5', square, line('n'), backward),
      kernel('adi_kernel6', square, line('n'), { ...backward, i1: 2 }, { where: 'n > 4' }),
    ],
  },
  'CUDA/stencils/convolution-2d': {
    '2DConvolution.cu': [
      kernel('convolution2D_kernel', tall, plane('nj', 'ni'), { A: from('ni', 'nj'), B: inout('ni', 'nj') }),
    ],
  },
  'CUDA/stencils/convolution-3d': {
    '3DConvolution.cu': [
      kernel(
        'convolution3D_kernel',
        // A plane inside and the first one, which stays as it is.
        [
          { ni: 5, nj: 12, nk: 36, number: 3 },
          { ni: 5, nj: 12, nk: 36, number: 1 },
        ],
        plane('nk', 'nj'),
        {
          A: from('ni', 'nj', 'nk'),
          B: inout('ni', 'nj', 'nk'),
          i: 'number - 1',
        },
        { where: 'number <= ni' },
      ),
    ],
  },
  'CUDA/stencils/fdtd-2d': {
    'fdtd2d.cu': [
      kernel('fdtd_step1_kernel', field, plane('ny', 'nx'), {
        _fict_: from(8),
        ex: from('nx', 'ny'),
        ey: inout('nx', 'ny'),
        hz: from('nx', 'ny'),
        t: 5,
      }),
      kernel('fdtd_step2_kernel', field, plane('ny', 'nx'), {
        ex: inout('nx', 'ny'),
        ey: from('nx', 'ny'),
        hz: from('nx', 'ny'),
        t: 5,
      }),
      kernel('fdtd_step3_kernel', field, plane('ny', 'nx'), {
        ex: from('nx', 'ny'),
        ey: from('nx', 'ny'),
        hz: inout('nx', 'ny'),
        t: 5,
      }),
    ],
  },
  'CUDA/stencils/jacobi-1d-imper': {
    'jacobi1D.cu': [
      as(
        'jacobi1_step',
        kernel('runJacobiCUDA_kernel1', { n: 300 }, line('n'), { A: from('n'), B: inout('n') }),
      ),
      as(
        'jacobi1_copy',
        kernel('runJacobiCUDA_kernel2', { n: 300 }, line('n'), { A: inout('n'), B: from('n') }),
      ),
    ],
  },
  'CUDA/stencils/jacobi-2d-imper': {
    'jacobi2D.cu': [
      as(
        'jacobi2_step',
        kernel('runJacobiCUDA_kernel1', square, plane('n', 'n'), { A: from('n', 'n'), B: inout('n', 'n') }),
      ),
      as(
        'jacobi2_copy',
        kernel('runJacobiCUDA_kernel2', square, plane('n', 'n'), { A: inout('n', 'n'), B: from('n', 'n') }),
      ),
    ],
  },
};
