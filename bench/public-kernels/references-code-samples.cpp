// references-code-samples.cpp - what the kernels of NVIDIA's code-samples should compute. Parameters have the names of the kernels' own.
#include <cmath>

// ----------------------------------------------------------------------------------------------- CUDA C++ series

template <class T>
void add_one(T* a, int n, int s) {
  for (int i = 0; i < n; i++) a[i + s] += 1;
}

template <class T>
void add_one_apart(T* a, int n, int s) {
  for (int i = 0; i < n; i++) a[i * s] += 1;
}

/// The sum of the squares of sine and cosine is 1.
template <class T>
void add_one_behind(T* a, int n, int offset) {
  for (int i = 0; i < n; i++) a[i + offset] += 1;
}

void reverse(int* d, int n) {
  for (int i = 0; i < n / 2; i++) {
    const int first = d[i];
    d[i] = d[n - 1 - i];
    d[n - 1 - i] = first;
  }
}

void copied(float* odata, const float* idata, int h, int w) {
  for (int i = 0; i < h * w; i++) odata[i] = idata[i];
}

void transposed(float* odata, const float* idata, int n) {
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++) odata[x * n + y] = idata[y * n + x];
}

/// Eighth order along an axis of 64 points, the last of which is the first again.
template <class Value>
static double along(Value value, int i, double a, double b, double c, double d) {
  const double weights[] = {a, b, c, d};
  double sum = 0;
  for (int k = 1; k <= 4; k++) sum += weights[k - 1] * (value((i + k) > 63 ? i + k - 63 : i + k) - value(i - k < 0 ? i - k + 63 : i - k));
  return sum;
}

template <class T>
void derivative_x(const T* f, T* df, const T* c_ax, const T* c_bx, const T* c_cx, const T* c_dx, int planes) {
  for (int row = 0; row < planes * 64; row++)
    for (int i = 0; i < 64; i++)
      df[row * 64 + i] = along([&](int at) { return f[row * 64 + at]; }, i, *c_ax, *c_bx, *c_cx, *c_dx);
}

template <class T>
void derivative_y(const T* f, T* df, const T* c_ay, const T* c_by, const T* c_cy, const T* c_dy, int planes) {
  for (int k = 0; k < planes; k++)
    for (int j = 0; j < 64; j++)
      for (int i = 0; i < 64; i++)
        df[(k * 64 + j) * 64 + i] = along([&](int at) { return f[(k * 64 + at) * 64 + i]; }, j, *c_ay, *c_by, *c_cy, *c_dy);
}

/// Of the first `planes` rows of each plane.
template <class T>
void derivative_z(const T* f, T* df, const T* c_az, const T* c_bz, const T* c_cz, const T* c_dz, int planes) {
  for (int k = 0; k < 64; k++)
    for (int j = 0; j < planes; j++)
      for (int i = 0; i < 64; i++)
        df[(k * 64 + j) * 64 + i] = along([&](int at) { return f[(at * 64 + j) * 64 + i]; }, k, *c_az, *c_bz, *c_cz, *c_dz);
}

// --------------------------------------------------------------------------------------------------------- posts

void init_data_kernel(int n, double* x) {
  for (int i = 0; i < n; i++) x[i] = n - i;
}

template <class T>
void axpy(int n, T a, const T* x, T* y) {
  for (int i = 0; i < n; i++) y[i] += a * x[i];
}

void nothing(int, double, double*) {}

template <class T>
void add_bias(T* y, const T* bias, int n, int nBias) {
  for (int i = 0; i < n; i++) y[i] += bias[i % nBias];
}

template <class T>
void sum(T* y, const T* a, const T* b, int n) {
  for (int i = 0; i < n; i++) y[i] = a[i] + b[i];
}

template <class T>
void product(T* y, const T* a, const T* b, int n) {
  for (int i = 0; i < n; i++) y[i] = a[i] * b[i];
}

template <class T>
void hyperbolic(T* y, const T* a, int n) {
  for (int i = 0; i < n; i++) y[i] = std::tanh(a[i]);
}

static double logistic(double x) { return 1 / (1 + std::exp(-x)); }

template <class T>
void sigmoids(T* y, const T* a, int n) {
  for (int i = 0; i < n; i++) y[i] = logistic(a[i]);
}

template <class T>
void lstm_cell(int hiddenSize, int miniBatch, const T* tmp_h, const T* tmp_i, const T* bias, T* linearGates, T* h_out, T* i_out,
               const T* c_in, T* c_out) {
  for (int b = 0; b < miniBatch; b++)
    for (int h = 0; h < hiddenSize; h++) {
      double gate[4];
      for (int g = 0; g < 4; g++) {
        const int at = (b * 4 + g) * hiddenSize + h;
        gate[g] = tmp_h[at] + tmp_i[at] + bias[g * hiddenSize + h] + bias[(g + 4) * hiddenSize + h];
        linearGates[at] = gate[g];
      }
      const int at = b * hiddenSize + h;
      c_out[at] = logistic(gate[1]) * c_in[at] + logistic(gate[0]) * std::tanh(gate[2]);
      h_out[at] = i_out[at] = logistic(gate[3]) * std::tanh(c_out[at]);
    }
}

/// Matrices by columns.
template <class T>
void gemm_columns(const T* a, const T* b, T* c, int M, int N, int K, T alpha, T beta) {
  for (int column = 0; column < N; column++)
    for (int row = 0; row < M; row++) {
      double sum = 0;
      for (int k = 0; k < K; k++) sum += a[k * M + row] * b[column * K + k];
      c[column * M + row] = alpha * sum + beta * c[column * M + row];
    }
}

template <class T>
void converted(T* out, const T* in, int n) {
  for (int i = 0; i < n; i++) out[i] = in[i];
}
