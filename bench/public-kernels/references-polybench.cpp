// references-polybench.cpp - what the kernels of PolyBench-ACC should compute. Parameters have the names of the kernels' own.
#include <cmath>

// ------------------------------------------------------------------------------------------------- statistics

/// As in the files: not the number of rows.
static constexpr double kCount = 3214212.01f, kLeast = 0.005f;

template <class T>
void mean(T* mean, const T* data, int m, int n) {
  for (int j = 0; j < m; j++) {
    mean[j] = 0;
    for (int i = 0; i < n; i++) mean[j] += data[i * m + j];
    mean[j] /= kCount;
  }
}

template <class T>
void deviation(const T* mean, T* std, const T* data, int m, int n) {
  for (int j = 0; j < m; j++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (data[i * m + j] - mean[j]) * (data[i * m + j] - mean[j]);
    std[j] = std::sqrt(sum / kCount);
    if (std[j] <= kLeast) std[j] = 1;
  }
}

template <class T>
void standardise(const T* mean, const T* std, T* data, int m, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) data[i * m + j] = (data[i * m + j] - mean[j]) / (std::sqrt(kCount) * std[j]);
}

template <class T>
void centre(const T* mean, T* data, int m, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) data[i * m + j] -= mean[j];
}

template <class T>
void covariance(T* symmat, const T* data, int m, int n) {
  for (int row = 0; row < m; row++)
    for (int column = 0; column < m; column++) {
      symmat[row * m + column] = 0;
      for (int i = 0; i < n; i++) symmat[row * m + column] += data[i * m + row] * data[i * m + column];
    }
}

/// The diagonal is 1, but for its last element, which the kernel leaves alone.
template <class T>
void correlate(T* symmat, const T* data, int m, int n) {
  const T last = symmat[m * m - 1];
  covariance(symmat, data, m, n);
  for (int i = 0; i < m; i++) symmat[i * m + i] = i < m - 1 ? 1 : last;
}

// --------------------------------------------------------------------------------------------------- products

/// c = scale * c + factor * a b of rows x depth and depth x columns.
template <class T>
static void multiply(double scale, T* c, double factor, const T* a, const T* b, int rows, int columns,
                     int depth) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      double sum = 0;
      for (int k = 0; k < depth; k++) sum += a[i * depth + k] * b[k * columns + j];
      c[i * columns + j] = (scale == 0 ? 0 : scale * c[i * columns + j]) + factor * sum;
    }
}

template <class T>
void mm2_kernel1(int ni, int nj, int nk, T alpha, T* tmp, const T* A, const T* B) {
  multiply(0, tmp, alpha, A, B, ni, nj, nk);
}

template <class T>
void mm2_kernel2(int ni, int nj, int nl, T beta, const T* tmp, const T* C, T* D) {
  multiply(beta, D, 1, tmp, C, ni, nl, nj);
}

template <class T>
void mm3_kernel1(int ni, int nj, int nk, const T* A, const T* B, T* E) {
  multiply(0, E, 1, A, B, ni, nj, nk);
}

template <class T>
void mm3_kernel2(int nj, int nl, int nm, const T* C, const T* D, T* F) {
  multiply(0, F, 1, C, D, nj, nl, nm);
}

template <class T>
void mm3_kernel3(int ni, int nj, int nl, const T* E, const T* F, T* G) {
  multiply(0, G, 1, E, F, ni, nl, nj);
}

template <class T>
void gemm_kernel(int ni, int nj, int nk, T alpha, T beta, const T* a, const T* b, T* c) {
  multiply(beta, c, alpha, a, b, ni, nj, nk);
}

template <class T>
void doitgen_kernel1(int nq, int np, T* sum, const T* A, const T* C4, int r) {
  multiply(0, sum + r * nq * np, 1, A + r * nq * np, C4, nq, np, np);
}

template <class T>
void doitgen_kernel2(int nq, int np, const T* sum, T* A, int r) {
  for (int i = r * nq * np; i < (r + 1) * nq * np; i++) A[i] = sum[i];
}

template <class T>
void syrk_kernel(int ni, int nj, T alpha, T beta, const T* a, T* c) {
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < ni; j++) {
      double sum = 0;
      for (int k = 0; k < nj; k++) sum += a[i * nj + k] * a[j * nj + k];
      c[i * ni + j] = beta * c[i * ni + j] + alpha * sum;
    }
}

template <class T>
void syr2k_kernel(int ni, int nj, T alpha, T beta, const T* a, const T* b, T* c) {
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < ni; j++) {
      double sum = 0;
      for (int k = 0; k < nj; k++) sum += a[i * nj + k] * b[j * nj + k] + b[i * nj + k] * a[j * nj + k];
      c[i * ni + j] = beta * c[i * ni + j] + alpha * sum;
    }
}

// ------------------------------------------------------------------------------------------ matrix and vector

/// Element of a x, a of rows x columns.
template <class T>
static double row_sum(const T* a, const T* x, int row, int columns) {
  double sum = 0;
  for (int j = 0; j < columns; j++) sum += a[row * columns + j] * x[j];
  return sum;
}

/// Element of a^T x, a of rows x columns.
template <class T>
static double column_sum(const T* a, const T* x, int column, int rows, int columns) {
  double sum = 0;
  for (int i = 0; i < rows; i++) sum += a[i * columns + column] * x[i];
  return sum;
}

template <class T>
void atax_kernel1(int nx, int ny, const T* A, const T* x, T* tmp) {
  for (int i = 0; i < nx; i++) tmp[i] = row_sum(A, x, i, ny);
}

template <class T>
void atax_kernel2(int nx, int ny, const T* A, T* y, const T* tmp) {
  for (int j = 0; j < ny; j++) y[j] = column_sum(A, tmp, j, nx, ny);
}

template <class T>
void bicg_kernel1(int nx, int ny, const T* A, const T* r, T* s) {
  for (int j = 0; j < ny; j++) s[j] = column_sum(A, r, j, nx, ny);
}

template <class T>
void bicg_kernel2(int nx, int ny, const T* A, const T* p, T* q) {
  for (int i = 0; i < nx; i++) q[i] = row_sum(A, p, i, ny);
}

template <class T>
void gemver_kernel1(int n, T* a, const T* v1, const T* v2, const T* u1, const T* u2) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i * n + j] += u1[i] * v1[j] + u2[i] * v2[j];
}

template <class T>
void gemver_kernel2(int n, T beta, const T* a, T* x, const T* y, const T* z) {
  for (int i = 0; i < n; i++) x[i] += beta * column_sum(a, y, i, n, n) + z[i];
}

template <class T>
void gemver_kernel3(int n, T alpha, const T* a, const T* x, T* w) {
  for (int i = 0; i < n; i++) w[i] += alpha * row_sum(a, x, i, n);
}

template <class T>
void gesummv_kernel(int n, T alpha, T beta, const T* A, const T* B, T* tmp, const T* x, T* y) {
  for (int i = 0; i < n; i++) {
    tmp[i] += row_sum(A, x, i, n);
    y[i] = alpha * tmp[i] + beta * (y[i] + row_sum(B, x, i, n));
  }
}

template <class T>
void mvt_kernel1(int n, const T* a, T* x1, const T* y_1) {
  for (int i = 0; i < n; i++) x1[i] += row_sum(a, y_1, i, n);
}

template <class T>
void mvt_kernel2(int n, const T* a, T* x2, const T* y_2) {
  for (int i = 0; i < n; i++) x2[i] += column_sum(a, y_2, i, n, n);
}

// ---------------------------------------------------------------------------------------------------- solvers

template <class T>
void gramschmidt_kernel1(int ni, int nj, const T* a, T* r, int k) {
  double sum = 0;
  for (int i = 0; i < ni; i++) sum += a[i * nj + k] * a[i * nj + k];
  r[k * nj + k] = std::sqrt(sum);
}

template <class T>
void gramschmidt_kernel2(int ni, int nj, const T* a, const T* r, T* q, int k) {
  for (int i = 0; i < ni; i++) q[i * nj + k] = a[i * nj + k] / r[k * nj + k];
}

template <class T>
void gramschmidt_kernel3(int ni, int nj, T* a, T* r, const T* q, int k) {
  for (int j = k + 1; j < nj; j++) {
    double sum = 0;
    for (int i = 0; i < ni; i++) sum += q[i * nj + k] * a[i * nj + j];
    r[k * nj + j] = sum;
    for (int i = 0; i < ni; i++) a[i * nj + j] -= q[i * nj + k] * sum;
  }
}

template <class T>
void lu_kernel1(int n, T* A, int k) {
  for (int j = k + 1; j < n; j++) A[k * n + j] /= A[k * n + k];
}

template <class T>
void lu_kernel2(int n, T* A, int k) {
  for (int i = k + 1; i < n; i++)
    for (int j = k + 1; j < n; j++) A[i * n + j] -= A[i * n + k] * A[k * n + j];
}

// --------------------------------------------------------------------------------------------------- stencils

/// Elements `count` of a line of three arrays, `stride` apart, forward: each from the one before.
template <class T>
static void eliminate(const T* A, T* B, T* X, int first, int stride, int count) {
  for (int i = first + stride; count-- > 0; i += stride) {
    X[i] -= X[i - stride] * A[i] / B[i - stride];
    B[i] -= A[i] * A[i] / B[i - stride];
  }
}

template <class T>
void adi_kernel1(int n, const T* A, T* B, T* X) {
  for (int row = 0; row < n; row++) eliminate(A, B, X, row * n, 1, n - 1);
}

template <class T>
void adi_kernel2(int n, const T* B, T* X) {
  for (int row = 0; row < n; row++) X[row * n + n - 1] /= B[row * n + n - 1];
}

template <class T>
void adi_kernel3(int n, const T* A, const T* B, T* X) {
  for (int row = 0; row < n; row++)
    for (int j = n - 2; j > 0; j--) {
      const int i = row * n + j;
      X[i] = (X[i] - X[i - 1] * A[i - 1]) / B[i - 1];
    }
}

template <class T>
void adi_kernel4(int n, const T* A, T* B, T* X, int i1) {
  for (int column = 0; column < n; column++) eliminate(A, B, X, (i1 - 1) * n + column, n, 1);
}

template <class T>
void adi_kernel5(int n, const T* B, T* X) {
  for (int column = 0; column < n; column++) X[(n - 1) * n + column] /= B[(n - 1) * n + column];
}

template <class T>
void adi_kernel6(int n, const T* A, const T* B, T* X, int i1) {
  for (int column = 0; column < n; column++) {
    const int i = (n - 2 - i1) * n + column;
    X[i] = (X[i] - X[i - n] * A[i - n]) / B[i];
  }
}

template <class T>
void convolution2D_kernel(int ni, int nj, const T* A, T* B) {
  const double weights[3][3] = {{0.2, 0.5, -0.8}, {-0.3, 0.6, -0.9}, {0.4, 0.7, 0.1}};
  for (int i = 1; i < ni - 1; i++)
    for (int j = 1; j < nj - 1; j++) {
      double sum = 0;
      for (int y = 0; y < 3; y++)
        for (int x = 0; x < 3; x++) sum += weights[y][x] * A[(i + y - 1) * nj + j + x - 1];
      B[i * nj + j] = sum;
    }
}

/// The file's fifteen terms, of which several fall on one element.
template <class T>
void convolution3D_kernel(int ni, int nj, int nk, const T* A, T* B, int i) {
  if (i < 1 || i > ni - 2) return;
  struct Term {
    int z, y, x, weight;
  };
  const Term terms[] = {{-1, -1, -1, 2 + 5 - 8},
                        {1, -1, -1, 4 + 7 + 10},
                        {0, -1, 0, -3},
                        {0, 0, 0, 6},
                        {0, 1, 0, -9},
                        {-1, -1, 1, 2},
                        {1, -1, 1, 4},
                        {-1, 0, 1, 5},
                        {1, 0, 1, 7},
                        {-1, 1, 1, -8},
                        {1, 1, 1, 10}};
  for (int j = 1; j < nj - 1; j++)
    for (int k = 1; k < nk - 1; k++) {
      double sum = 0;
      for (const Term& one : terms) sum += one.weight * A[((i + one.z) * nj + j + one.y) * nk + k + one.x];
      B[(i * nj + j) * nk + k] = sum;
    }
}

template <class T>
void fdtd_step1_kernel(int nx, int ny, const T* _fict_, T* ey, const T* hz, int t) {
  for (int j = 0; j < ny; j++) {
    ey[j] = _fict_[t];
    for (int i = 1; i < nx; i++) ey[i * ny + j] -= 0.5 * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
  }
}

template <class T>
void fdtd_step2_kernel(int nx, int ny, T* ex, const T* hz) {
  for (int i = 0; i < nx; i++)
    for (int j = 1; j < ny; j++) ex[i * ny + j] -= 0.5 * (hz[i * ny + j] - hz[i * ny + j - 1]);
}

template <class T>
void fdtd_step3_kernel(int nx, int ny, const T* ex, const T* ey, T* hz) {
  for (int i = 0; i < nx - 1; i++)
    for (int j = 0; j < ny - 1; j++)
      hz[i * ny + j] -= 0.7 * (ex[i * ny + j + 1] - ex[i * ny + j] + ey[(i + 1) * ny + j] - ey[i * ny + j]);
}

/// The kernel begins at 2.
template <class T>
void jacobi1_step(int n, const T* A, T* B) {
  for (int i = 2; i < n - 1; i++) B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
}

template <class T>
void jacobi1_copy(int n, T* A, const T* B) {
  for (int i = 2; i < n - 1; i++) A[i] = B[i];
}

template <class T>
void jacobi2_step(int n, const T* A, T* B) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      const T* const at = A + i * n + j;
      B[i * n + j] = 0.2 * (at[0] + at[-1] + at[1] + at[n] + at[-n]);
    }
}

template <class T>
void jacobi2_copy(int n, T* A, const T* B) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) A[i * n + j] = B[i * n + j];
}
