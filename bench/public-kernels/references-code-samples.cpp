// references-code-samples.cpp - what the kernels of NVIDIA's code-samples should compute. Parameters have the names of the kernels' own.
#include <cmath>
#include <cstdio>

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
  for (int k = 1; k <= 4; k++)
    sum +=
        weights[k - 1] * (value((i + k) > 63 ? i + k - 63 : i + k) - value(i - k < 0 ? i - k + 63 : i - k));
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
        df[(k * 64 + j) * 64 + i] =
            along([&](int at) { return f[(k * 64 + at) * 64 + i]; }, j, *c_ay, *c_by, *c_cy, *c_dy);
}

/// Of the first `planes` rows of each plane.
template <class T>
void derivative_z(const T* f, T* df, const T* c_az, const T* c_bz, const T* c_cz, const T* c_dz, int planes) {
  for (int k = 0; k < 64; k++)
    for (int j = 0; j < planes; j++)
      for (int i = 0; i < 64; i++)
        df[(k * 64 + j) * 64 + i] =
            along([&](int at) { return f[(at * 64 + j) * 64 + i]; }, k, *c_az, *c_bz, *c_cz, *c_dz);
}

// --------------------------------------------------------------------------------------------------------- posts

void init_data_kernel(int n, double* x) {
  for (int i = 0; i < n; i++) x[i] = n - i;
}

template <class T>
void axpy(int n, T a, const T* x, T* y) {
  for (int i = 0; i < n; i++) y[i] += a * x[i];
}

/// Differences are printed, and stay as they are.
void differences(int n, double correctvalue, const double* x) {
  for (int i = 0; i < n; i++)
    if (x[i] != correctvalue)
      std::printf("ERROR at index = %d, expected = %f, actual: %f\n", i, correctvalue, x[i]);
}

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
void lstm_cell(int hiddenSize, int miniBatch, int trained, const T* tmp_h, const T* tmp_i, const T* bias,
               T* linearGates, T* h_out, T* i_out, const T* c_in, T* c_out) {
  for (int b = 0; b < miniBatch; b++)
    for (int h = 0; h < hiddenSize; h++) {
      double gate[4];
      for (int g = 0; g < 4; g++) {
        const int at = (b * 4 + g) * hiddenSize + h;
        gate[g] = tmp_h[at] + tmp_i[at] + bias[g * hiddenSize + h] + bias[(g + 4) * hiddenSize + h];
        if (trained > 1) linearGates[at] = gate[g];
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

// ------------------------------------------------------------------------------------------- Jacobi iteration

/// The left and the right column of a block with a frame, where there are neighbours.
template <class T>
void halo_to_block(T* block, const T* haloLeft, const T* haloRight, int w, int h, int left, int right) {
  for (int y = 0; y < h; y++) {
    if (left > 1) block[(y + 1) * (w + 2)] = haloLeft[y];
    if (right > 1) block[(y + 1) * (w + 2) + w + 1] = haloRight[y];
  }
}

template <class T>
void block_to_halo(const T* block, T* leftSideEdge, T* rightSideEdge, int w, int h, int left, int right) {
  for (int y = 0; y < h; y++) {
    if (left > 1) leftSideEdge[y] = block[(y + 1) * (w + 2)];
    if (right > 1) rightSideEdge[y] = block[(y + 1) * (w + 2) + w + 1];
  }
}

template <class T>
void jacobi_step(const T* oldBlock, T* newBlock, T* devResidue, int w, int h) {
  for (int y = 1; y <= h; y++)
    for (int x = 1; x <= w; x++) {
      const int at = y * (w + 2) + x;
      newBlock[at] = (oldBlock[at - 1] + oldBlock[at + 1] + oldBlock[at - w - 2] + oldBlock[at + w + 2]) / 4;
      *devResidue = std::fmax(*devResidue, std::fabs(newBlock[at] - oldBlock[at]));
    }
}

template <class T>
void copied_inside(const T* srcBlock, T* dstBlock, int w, int h) {
  for (int y = 1; y <= h; y++)
    for (int x = 1; x <= w; x++) dstBlock[y * (w + 2) + x] = srcBlock[y * (w + 2) + x];
}

// ----------------------------------------------------------------------------------------------------- signals

template <class T>
void ConvertInputR(const signed char* dataIn, T* dataOut, int signals) {
  for (int i = 0; i < signals * 1024; i++) dataOut[i] = dataIn[i] / 127.0;
}

/// Each spectrum times the filter, transposed.
template <class T>
void convolved(const T* dataIn, T* dataOut, const T* filter, int signals) {
  constexpr int kWidth = 513;
  for (int y = 0; y < signals; y++)
    for (int x = 0; x < kWidth; x++) {
      const T *a = dataIn + 2 * (y * kWidth + x), *b = filter + 2 * x;
      T* c = dataOut + 2 * (x * signals + y);
      c[0] = a[0] * b[0] - a[1] * b[1];
      c[1] = a[0] * b[1] + a[1] * b[0];
    }
}

// ----------------------------------------------------------------------------------------------- random updates

void d_init(int n, long long* t) {
  for (int i = 0; i < n; i++) t[i] = i;
}

static unsigned long long doubled(unsigned long long x) { return (x << 1) ^ ((x >> 63) != 0 ? 7 : 0); }

/// Element `n` of the random sequence, by squares and doublings from the highest bit of n on.
static unsigned long long random_at(unsigned long long n, const long long* squares) {
  if (n == 0) return 1;
  int bit = 63;
  while (((n >> bit) & 1) == 0) bit--;
  unsigned long long value = 2;
  while (bit-- > 0) {
    unsigned long long square = 0;
    for (int j = 0; j < 64; j++)
      if (((value >> j) & 1) != 0) square ^= static_cast<unsigned long long>(squares[j]);
    value = ((n >> bit) & 1) != 0 ? doubled(square) : square;
  }
  return value;
}

/// 128 threads, each with its part of the sequence.
void random_updates(long long* t, int n, int working_set, int accesses_per_elem, const long long* c_m2) {
  constexpr unsigned long long kThreads = 128;
  for (unsigned long long thread = 0; thread < kThreads; thread++) {
    const unsigned long long all = static_cast<unsigned long long>(accesses_per_elem) * n;
    const unsigned long long first = thread * all / kThreads, last = (thread + 1) * all / kThreads;
    unsigned long long value = random_at(first, c_m2);
    for (unsigned long long i = first; i < last; i++) {
      value = doubled(value);
      t[value & (working_set - 1)] ^= static_cast<long long>(value);
    }
  }
}

void count_others(int n, const long long* t, unsigned* d_error) {
  for (int i = 0; i < n; i++) *d_error += t[i] != i;
}

// -------------------------------------------------------------------------------------------------- other posts

template <class T>
void gemm_rows(T* C, const T* A, const T* B, int hA, int wA, int wB) {
  for (int row = 0; row < hA; row++)
    for (int column = 0; column < wB; column++) {
      double sum = 0;
      for (int k = 0; k < wA; k++) sum += A[row * wA + k] * B[k * wB + column];
      C[row * wB + column] = sum;
    }
}

template <class T>
void spikes(T* out, int sz) {
  for (int i = 0; i < sz; i++) {
    int value = i + 187;
    for (int step = 0; step < 3; step++) value = value * 187 % 7211;
    out[i] = 1 / (value - 100 + 1e-6);
  }
}

template <class T>
void spikes_printed(T* out, int sz) {
  spikes(out, sz);
  for (int i = 0; i < sz; i++)
    if (out[i] >= 10000) std::printf("val (%f) out of range for idx = %d\n", double(out[i]), i);
}

/// The first that is too large is reported, once.
template <class T>
void spikes_reported(T* out, int* host_status, int* device_status, int sz) {
  spikes(out, sz);
  for (int i = 0; i < sz; i++)
    if (out[i] >= 10000) *host_status = *device_status = 1;
}

/// Negative elements stay as they are, and are reported.
template <class T>
void square_roots(T* inout, int* host_status, int* device_status, int sz) {
  for (int i = 0; i < sz; i++) {
    if (inout[i] < 0)
      *host_status = *device_status = 1;
    else
      inout[i] = std::sqrt(inout[i]);
  }
}

void count_letters(int* count, const char* text, int n) {
  for (int i = 0; i < n; i++) *count += text[i] >= 'w' && text[i] <= 'z';
}

// --------------------------------------------------------------------------------------------- American options

/// Prices along each path, a step a row; in the last row what a put at that price pays.
template <class T>
void generate_paths_kernel(const T* samples, T* paths, int num_timesteps, int num_paths, T m_K, T dt, T S0,
                           T r, T sigma) {
  for (int path = 0; path < num_paths; path++) {
    double price = S0;
    for (int step = 0; step < num_timesteps; step++) {
      const int at = step * num_paths + path;
      price *= std::exp((r - sigma * sigma / 2) * dt + sigma * std::sqrt(dt) * samples[at]);
      paths[at] = step < num_timesteps - 1 ? price : std::fmax(m_K - price, 0);
    }
  }
}

/// For 128 blocks of 128 threads: parts of the sums over cash flows of the paths in the money, weighted by the pseudo-inverse.
template <class T>
void compute_partial_beta_kernel(const T* svd, const T* paths, const T* cashflows, T* partial_sums,
                                 int num_paths, T m_K) {
  constexpr int kBlocks = 128, kThreads = 128;
  const T *R = svd, *W = svd + 6;
  const double ratio = R[1] / (R[0] * R[3]), far = R[2] / (R[0] * R[5]), near = R[4] / R[5];
  for (int i = 0; i < 3 * kBlocks; i++) partial_sums[i] = 0;
  for (int path = 0; path < num_paths; path++) {
    const double price = paths[path], flow = price < m_K ? cashflows[path] : 0;
    const double q1 = price / R[3] - ratio, q2 = price * price / R[5] - far - q1 * near;
    const int block = path / kThreads % kBlocks;
    partial_sums[block] += (W[0] / R[0] + W[1] * q1 + W[2] * q2) * flow;
    partial_sums[kBlocks + block] += (W[3] * q1 + W[4] * q2) * flow;
    partial_sums[2 * kBlocks + block] += W[5] * q2 * flow;
  }
}

/// The sums of three rows of 128, at the beginning of the first.
template <class T>
void compute_final_beta_kernel(const int* all_out_of_the_money, T* beta) {
  double sums[3] = {};
  for (int i = 0; i < 3 * 128; i++) sums[i / 128] += *all_out_of_the_money ? 0 : beta[i];
  for (int i = 0; i < 3; i++) beta[i] = sums[i];
}

template <class T>
void update_cashflow_kernel(const T* beta, const T* paths, const int* all_out_of_the_money, T* cashflows,
                            int num_paths, T m_K, T exp_min_r_dt) {
  for (int i = 0; i < num_paths; i++) {
    const double price = paths[i], paid = std::fmax(m_K - price, 0);
    const double awaited = exp_min_r_dt * (beta[0] + beta[1] * price + beta[2] * price * price);
    cashflows[i] =
        *all_out_of_the_money || paid <= 1e-8 || paid <= awaited ? exp_min_r_dt * cashflows[i] : paid;
  }
}

template <class T>
void compute_partial_sums_kernel(const T* cashflows, T* sums, int num_paths) {
  for (int i = 0; i < num_paths; i++) {
    if (i % 128 == 0) sums[i / 128] = 0;
    sums[i / 128] += cashflows[i];
  }
}

template <class T>
void compute_final_sum_kernel(int num_paths, int num_blocks, T exp_min_r_dt, T* sums) {
  double sum = 0;
  for (int i = 0; i < num_blocks; i++) sum += sums[i];
  sums[0] = exp_min_r_dt * sum / num_paths;
}

void change_name(char* name, int* value) {
  std::printf("On device: name=%s, value=%d\n", name, *value);
  name[0] = 'd';
  ++*value;
}

void change_name_by_pointer(char* data, int* value) {
  std::printf("On device by pointer:       name=%s, value=%d\n", data, *value);
  data[0] = 'p';
  ++*value;
}

void change_name_by_reference(char* data, int* value) {
  std::printf("On device by ref:           name=%s, value=%d\n", data, *value);
  data[0] = 'r';
  ++*value;
}
