// references.cpp - what kernels of public repositories should compute, one function for each kind, summed in double.
// Parameters have the names of the kernels' own.
#include <cmath>

// ------------------------------------------------------------------------------------------------- attention

static int packed(int b, int n, int which, int h, int d_, int N, int NH, int d) {
  return (((b * N + n) * 3 + which) * NH + h) * d + d_;
}

template <class Visit>
static void each_head_element(int B, int N, int NH, int d, Visit visit) {
  int i = 0;
  for (int b = 0; b < B; b++)
    for (int h = 0; h < NH; h++)
      for (int n = 0; n < N; n++)
        for (int k = 0; k < d; k++) visit(i++, b, h, n, k);
}

void permute(float* q, float* k, float* v, const float* inp, int B, int N, int NH, int d) {
  each_head_element(B, N, NH, d, [&](int i, int b, int h, int n, int e) {
    q[i] = inp[packed(b, n, 0, h, e, N, NH, d)];
    k[i] = inp[packed(b, n, 1, h, e, N, NH, d)];
    v[i] = inp[packed(b, n, 2, h, e, N, NH, d)];
  });
}

void permute_backward(float* dinp, const float* dq, const float* dk, const float* dv, int B, int N, int NH, int d) {
  each_head_element(B, N, NH, d, [&](int i, int b, int h, int n, int e) {
    dinp[packed(b, n, 0, h, e, N, NH, d)] += dq[i];
    dinp[packed(b, n, 1, h, e, N, NH, d)] += dk[i];
    dinp[packed(b, n, 2, h, e, N, NH, d)] += dv[i];
  });
}

void unpermute(const float* inp, float* out, int B, int N, int NH, int d) {
  each_head_element(B, N, NH, d, [&](int i, int b, int h, int n, int e) { out[((b * N + n) * NH + h) * d + e] = inp[i]; });
}

void unpermute_backward(float* dinp, const float* dout, int B, int N, int NH, int d) {
  each_head_element(B, N, NH, d, [&](int i, int b, int h, int n, int e) { dinp[i] += dout[((b * N + n) * NH + h) * d + e]; });
}

/// The first `length` elements of a row.
static void softmax_row(float* out, const float* inp, int length, double scale) {
  double most = -INFINITY, sum = 0;
  for (int i = 0; i < length; i++) most = std::fmax(most, scale * inp[i]);
  for (int i = 0; i < length; i++) sum += std::exp(scale * inp[i] - most);
  for (int i = 0; i < length; i++) out[i] = static_cast<float>(std::exp(scale * inp[i] - most) / sum);
}

void softmax(float* out, const float* inp, int N, int C) {
  for (int i = 0; i < N; i++) softmax_row(out + i * C, inp + i * C, C, 1);
}

/// Elements behind the diagonal stay as they are.
void causal_softmax(float* out, float inv_temperature, const float* inp, int N, int T) {
  for (int i = 0; i < N * T; i++) softmax_row(out + i * T, inp + i * T, i % T + 1, inv_temperature);
}

void causal_softmax_zeros(float* att, const float* preatt, int B, int T, int NH) {
  for (int i = 0; i < B * NH * T; i++) {
    softmax_row(att + i * T, preatt + i * T, i % T + 1, 1);
    for (int j = i % T + 1; j < T; j++) att[i * T + j] = 0;
  }
}

/// Up to element `end(t)` of row t.
template <class End>
static void softmax_gradient(float* dpreatt, const float* datt, const float* att, int rows, int T, double scale, End end) {
  for (int i = 0; i < rows; i++) {
    const int t = i % T;
    const float *a = att + i * T, *da = datt + i * T;
    double sum = 0;
    for (int j = 0; j <= t; j++) sum += static_cast<double>(a[j]) * da[j];
    for (int j = 0; j < end(t); j++) dpreatt[i * T + j] = static_cast<float>(scale * a[j] * ((j <= t ? da[j] : 0) - sum));
  }
}

void softmax_backward(float* dpreatt, const float* datt, const float* att, int B, int T, int C, int NH) {
  softmax_gradient(dpreatt, datt, att, B * NH * T, T, 1 / std::sqrt(double(C / NH)), [](int t) { return t + 1; });
}
/// Whole groups of 8 elements are written, zeros behind the diagonal.
void softmax_backward_groups(float* dpreatt, const float* datt, const float* att, int B, int T, int C, int NH) {
  softmax_backward(dpreatt, datt, att, B, T, C, NH);
  for (int i = 0; i < B * NH * T; i++)
    for (int j = i % T + 1; j < (i % T / 8 + 1) * 8; j++) dpreatt[i * T + j] = 0;
}
/// Whole pieces of 64 elements are written.
void softmax_backward_pieces(float* dpreatt, const float* datt, const float* att, int B, int T, int C, int NH) {
  softmax_gradient(dpreatt, datt, att, B * NH * T, T, 1 / std::sqrt(double(C / NH)), [](int t) { return (t / 64 + 1) * 64; });
}
void softmax_backward_scaled(float* dpreatt, const float* datt, const float* att, int B, int T, int NH, float scale) {
  softmax_gradient(dpreatt, datt, att, B * NH * T, T, scale, [](int t) { return t + 1; });
}

static double score(const float* inp, int b, int h, int t, int t2, int T, int C, int NH) {
  const int size = C / NH;
  double sum = 0;
  for (int i = 0; i < size; i++)
    sum += static_cast<double>(inp[(b * T + t) * 3 * C + h * size + i]) * inp[(b * T + t2) * 3 * C + C + h * size + i];
  return sum / std::sqrt(double(size));
}

void query_key(float* preatt, const float* inp, int B, int T, int C, int NH) {
  int i = 0;
  for (int b = 0; b < B; b++)
    for (int h = 0; h < NH; h++)
      for (int t = 0; t < T; t++)
        for (int t2 = 0; t2 < T; t2++) preatt[i++] = t2 > t ? -INFINITY : static_cast<float>(score(inp, b, h, t, t2, T, C, NH));
}

void weighted_values(float* out, const float* att, const float* inp, int B, int T, int C, int NH) {
  const int size = C / NH;
  for (int b = 0; b < B; b++)
    for (int t = 0; t < T; t++)
      for (int c = 0; c < C; c++) {
        const int h = c / size;
        double sum = 0;
        for (int t2 = 0; t2 <= t; t2++)
          sum += static_cast<double>(att[((b * NH + h) * T + t) * T + t2]) * inp[(b * T + t2) * 3 * C + 2 * C + c];
        out[(b * T + t) * C + c] = static_cast<float>(sum);
      }
}

void attention(float* out, float* preatt, float* att, const float* inp, int B, int T, int C, int NH) {
  for (int b = 0; b < B; b++)
    for (int h = 0; h < NH; h++)
      for (int t = 0; t < T; t++) {
        const int row = ((b * NH + h) * T + t) * T;
        for (int t2 = 0; t2 <= t; t2++) preatt[row + t2] = static_cast<float>(score(inp, b, h, t, t2, T, C, NH));
        softmax_row(att + row, preatt + row, t + 1, 1);
      }
  weighted_values(out, att, inp, B, T, C, NH);
}

void flash(const float* Q, const float* K, const float* V, int B, int NH, int N, int d, float softmax_scale, float* l,
           float* m, float* O) {
  for (int row = 0; row < B * NH * N; row++) {
    const int n = row % N, first = row - n;
    double most = -INFINITY, sum = 0;
    const auto value = [&](int j) {
      double dot = 0;
      for (int x = 0; x < d; x++) dot += static_cast<double>(Q[row * d + x]) * K[(first + j) * d + x];
      return dot * softmax_scale;
    };
    for (int j = 0; j <= n; j++) most = std::fmax(most, value(j));
    for (int j = 0; j <= n; j++) sum += std::exp(value(j) - most);
    m[row] = static_cast<float>(most);
    l[row] = static_cast<float>(sum);
    for (int x = 0; x < d; x++) {
      double o = 0;
      for (int j = 0; j <= n; j++) o += std::exp(value(j) - most) / sum * V[(first + j) * d + x];
      O[row * d + x] = static_cast<float>(o);
    }
  }
}

void scale_causal(float* inp, float scale, int B, int NH, int T) {
  for (int i = 0; i < B * NH * T * T; i++) inp[i] = i % T > i / T % T ? -INFINITY : inp[i] * scale;
}

void copy(float* out, const float* inp, int n) {
  for (int i = 0; i < n; i++) out[i] = inp[i];
}

/// Whole tiles of 8 x 8 up to the diagonal.
void triangle(float* out, const float* inp, int B, int T, int C, int NH) {
  int i = 0;
  for (int b = 0; b < B; b++)
    for (int h = 0; h < NH; h++)
      for (int t = 0; t < T; t++)
        for (int t2 = 0; t2 < T; t2++, i++)
          if (t2 / 8 <= t / 8) out[i] = static_cast<float>(score(inp, b, h, t, t2, T, C, NH));
}

// ----------------------------------------------------------------------------------------------- classifiers

void classifier(float* dlogits, float* losses, const float* logits, const float* dlosses, const int* targets, int B, int T,
                int V, int P) {
  for (int row = 0; row < B * T; row++) {
    const float* x = logits + row * P;
    double most = -INFINITY, sum = 0;
    for (int i = 0; i < V; i++) most = std::fmax(most, x[i]);
    for (int i = 0; i < V; i++) sum += std::exp(x[i] - most);
    losses[row] = static_cast<float>(-std::log(std::exp(x[targets[row]] - most) / sum));
    for (int i = 0; i < V; i++)
      dlogits[row * P + i] = static_cast<float>((std::exp(x[i] - most) / sum - (i == targets[row])) * dlosses[row]);
  }
}
/// Whole groups of 4 elements are written, zeros behind V.
void classifier_groups(float* dlogits, float* losses, const float* logits, const float* dlosses, const int* targets, int B,
                       int T, int V, int P) {
  classifier(dlogits, losses, logits, dlosses, targets, B, T, V, P);
  for (int row = 0; row < B * T; row++)
    for (int i = V; i < (V + 3) / 4 * 4; i++) dlogits[row * P + i] = 0;
}

// ------------------------------------------------------------------------------------------------ layer norms

static void norm_row(float* out, float& mean, float& rstd, const float* x, const float* weight, const float* bias, int C) {
  double m = 0, v = 0;
  for (int i = 0; i < C; i++) m += x[i];
  m /= C;
  for (int i = 0; i < C; i++) v += (x[i] - m) * (x[i] - m);
  const double s = 1 / std::sqrt(v / C + 1e-5);
  for (int i = 0; i < C; i++) out[i] = static_cast<float>((x[i] - m) * s * weight[i] + bias[i]);
  mean = static_cast<float>(m);
  rstd = static_cast<float>(s);
}

void layernorm(float* out, float* mean, float* rstd, const float* inp, const float* weight, const float* bias, int N, int C) {
  for (int i = 0; i < N; i++) norm_row(out + i * C, mean[i], rstd[i], inp + i * C, weight, bias, C);
}

void residual_layernorm(float* residual, float* normed, float* mean, float* rstd, const float* inp1, const float* inp2,
                        const float* weight, const float* bias, int N, int C) {
  for (int i = 0; i < N * C; i++) residual[i] = inp1[i] + inp2[i];
  layernorm(normed, mean, rstd, residual, weight, bias, N, C);
}

void row_means(float* mean, const float* inp, int N, int C) {
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int j = 0; j < C; j++) sum += inp[i * C + j];
    mean[i] = static_cast<float>(sum / C);
  }
}

void row_deviations(float* rstd, const float* inp, const float* mean, int N, int C) {
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int j = 0; j < C; j++) sum += (inp[i * C + j] - mean[i]) * (inp[i * C + j] - mean[i]);
    rstd[i] = static_cast<float>(1 / std::sqrt(sum / C + 1e-5));
  }
}

void normalised(float* out, const float* inp, const float* mean, const float* rstd, const float* weight, const float* bias,
                int B, int T, int C) {
  for (int i = 0; i < B * T * C; i++) out[i] = (inp[i] - mean[i / C]) * rstd[i / C] * weight[i % C] + bias[i % C];
}

void norm_backward(float* dinp, float* dweight, float* dbias, const float* dout, const float* inp, const float* weight,
                   const float* mean, const float* rstd, int B, int T, int C) {
  for (int row = 0; row < B * T; row++) {
    double sum = 0, weighted = 0;
    const auto norm = [&](int i) { return (static_cast<double>(inp[row * C + i]) - mean[row]) * rstd[row]; };
    for (int i = 0; i < C; i++) {
      const double d = static_cast<double>(weight[i]) * dout[row * C + i];
      sum += d, weighted += d * norm(i);
    }
    for (int i = 0; i < C; i++) {
      const double d = static_cast<double>(weight[i]) * dout[row * C + i];
      dbias[i] += dout[row * C + i];
      dweight[i] = static_cast<float>(dweight[i] + norm(i) * dout[row * C + i]);
      dinp[row * C + i] = static_cast<float>(dinp[row * C + i] + (d - sum / C - norm(i) * weighted / C) * rstd[row]);
    }
  }
}

void norm_backward_sums(float* dinp, float* dweight_tmp, float* dbias_tmp, const float* dout, const float* inp,
                        const float* weight, const float* mean, const float* rstd, int B, int T, int C) {
  norm_backward(dinp, dweight_tmp, dbias_tmp, dout, inp, weight, mean, rstd, B, T, C);
}

/// With memory between blocks, which keeps its zeros here.
void norm_backward_between(float* dinp, float* dweight, float* dbias, float* scratch, const float* dout, const float* inp,
                           const float* weight, const float* mean, const float* rstd, int B, int T, int C) {
  norm_backward(dinp, dweight, dbias, dout, inp, weight, mean, rstd, B, T, C);
  scratch[0] = 0;
}

void copies(int C, float* dbias, float* dweight, const float* dbias_tmp, const float* dweight_tmp) {
  copy(dbias, dbias_tmp, C);
  copy(dweight, dweight_tmp, C);
}

// --------------------------------------------------------------------------------------- sums, products, steps

void column_sums(float* dbias, const float* dout, int B, int T, int OC) {
  for (int c = 0; c < OC; c++) {
    double sum = dbias[c];
    for (int i = 0; i < B * T; i++) sum += dout[i * OC + c];
    dbias[c] = static_cast<float>(sum);
  }
}

void column_sums_alone(float* dbias, const float* dout, int B, int T, int OC) {
  for (int c = 0; c < OC; c++) dbias[c] = 0;
  column_sums(dbias, dout, B, T, OC);
}

void column_sums_in_parts(float* dbias, const float* dout, int B, int T, int OC, int parts, int rows_at_once) {
  for (int part = 0; part < parts; part++)
    for (int c = 0; c < OC; c++) {
      double sum = 0;
      for (int i = 0; i < B * T; i++)
        if (i / rows_at_once % parts == part) sum += dout[i * OC + c];
      dbias[part * OC + c] = static_cast<float>(sum);
    }
}

void add(float* dst, const float* src, int n) {
  for (int i = 0; i < n; i++) dst[i] += src[i];
}

void sum_of_two(float* c, const float* a, const float* b, int n) {
  for (int i = 0; i < n; i++) c[i] = a[i] + b[i];
}

void add_rows(float* dst, const float* src, int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) dst[i] += src[j * n + i];
}

void squares(float* out, const float* data, int count) {
  double sum = out[0];
  for (int i = 0; i < count; i++) sum += static_cast<double>(data[i]) * data[i];
  out[0] = static_cast<float>(sum);
}

void squares_by_block(float* out, const float* data, int count, int blocks, int threads) {
  for (int b = 0; b < blocks; b++) out[b] = 0;
  for (int i = 0; i < count; i++) out[i / threads % blocks] += data[i] * data[i];
}

void sum_in_place(float* out, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += out[i];
  out[0] = static_cast<float>(sum);
}

void linear(float* out, const float* inp, const float* weight, const float* bias, int BT, int C, int OC) {
  for (int i = 0; i < BT; i++)
    for (int o = 0; o < OC; o++) {
      double sum = bias[o];
      for (int k = 0; k < C; k++) sum += static_cast<double>(inp[i * C + k]) * weight[o * C + k];
      out[i * OC + o] = static_cast<float>(sum);
    }
}

void biased(float* out, const float* bias, int B, int T, int OC) {
  for (int i = 0; i < B * T * OC; i++) out[i] += bias[i % OC];
}

void constant(float* data, int N, float value) {
  for (int i = 0; i < N; i++) data[i] = value;
}

void adam(float* params_memory, const float* grads_memory, float* m_memory, float* v_memory, long num_parameters,
          float learning_rate, float beta1, float beta2, float beta1_correction, float beta2_correction, float eps,
          float weight_decay) {
  for (long i = 0; i < num_parameters; i++) {
    const double g = grads_memory[i], m = beta1 * m_memory[i] + (1.0 - beta1) * g,
                 v = beta2 * v_memory[i] + (1.0 - beta2) * g * g;
    m_memory[i] = static_cast<float>(m);
    v_memory[i] = static_cast<float>(v);
    params_memory[i] -= static_cast<float>(
        learning_rate * (m / beta1_correction / (std::sqrt(v / beta2_correction) + eps) + weight_decay * params_memory[i]));
  }
}

// -------------------------------------------------------------------------------------------- images, polygons

void convolution(float* output, const float* input, const float* d_filter, int rows, int cols, int width) {
  for (int y = 0; y < rows; y++)
    for (int x = 0; x < cols; x++) {
      double sum = 0;
      for (int i = 0; i < 17; i++)
        for (int j = 0; j < 17; j++) sum += static_cast<double>(input[(y + i) * (width + 16) + x + j]) * d_filter[i * 17 + j];
      output[y * width + x] = static_cast<float>(sum);
    }
}

void convolution_plain(float* output, const float* input, const float* filter, int rows, int cols, int width) {
  convolution(output, input, filter, rows, cols, width);
}

void five_points(float* x_new, const float* x_old, int rows, int cols, int width) {
  for (int y = 1; y < rows; y++)
    for (int x = 1; x < cols; x++) {
      const float* at = x_old + y * width + x;
      x_new[y * width + x] = static_cast<float>((0.0 + at[0] + at[-1] + at[1] + at[width] + at[-width]) / 5);
    }
}

void matmul_corner(float* C, const float* A, const float* B, int rows, int cols, int width) {
  for (int y = 0; y < rows; y++)
    for (int x = 0; x < cols; x++) {
      double sum = 0;
      for (int k = 0; k < width; k++) sum += static_cast<double>(A[y * width + k]) * B[k * width + x];
      C[y * width + x] = static_cast<float>(sum);
    }
}

void in_polygon(int* bitmap, const float* points, const float* d_vertices, int n) {
  for (int i = 0; i < n; i++) {
    const float x = points[2 * i], y = points[2 * i + 1];
    int inside = 0;
    for (int j = 0, k = 599; j < 600; k = j++) {
      const float *vj = d_vertices + 2 * j, *vk = d_vertices + 2 * k;
      const float slope = (vk[0] - vj[0]) / (vk[1] - vj[1]);
      if ((vj[1] > y) != (vk[1] > y) && x < slope * (y - vj[1]) + vj[0]) inside = !inside;
    }
    bitmap[i] = inside;
  }
}

/// Even and odd elements of a line have a mean of their own.
static void zero_mean(float* line, int count, int stride) {
  for (int first = 0; first < 2; first++) {
    double sum = 0;
    int n = 0;
    for (int i = first; i < count; i += 2, n++) sum += line[i * stride];
    for (int i = first; i < count; i += 2) line[i * stride] = static_cast<float>(line[i * stride] - sum / n);
  }
}

void zero_mean_columns(float* input, int h, int w) {
  for (int j = 0; j < w; j++) zero_mean(input + j, h, w);
}

void zero_mean_rows(float* input, int h, int w) {
  for (int i = 0; i < h; i++) zero_mean(input + i * w, w, 1);
}

void transposed(float* output, const float* input, int h, int w) {
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++) output[j * h + i] = input[i * w + j];
}

void expdist(const double* A, const double* B, int m, int n, const double* scale_A, const double* scale_B, double* cross_term) {
  for (int i = 0; i < m / 128 * (n / 16); i++) cross_term[i] = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      const double dx = A[i] - B[j], dy = A[m + i] - B[n + j];
      cross_term[j / 16 * (m / 128) + i / 128] += std::exp(-(dx * dx + dy * dy) / (scale_A[i] + scale_B[j]));
    }
}

void total(double* output, const double* d_cross_term, int nblocks) {
  output[0] = 0;
  for (int i = 0; i < nblocks; i++) output[0] += d_cross_term[i];
}

void block_sums(float* sum_global, const float* array, int n) {
  double sums[2] = {};
  for (int i = 0; i < n; i++) sums[i / 128 % 2] += array[i];
  for (int b = 0; b < 2; b++) sum_global[b] = static_cast<float>(sums[b]);
}

void sparse_product(float* y, const int* rows, const int* cols, const float* values, const float* x, int nrows) {
  for (int i = 0; i < nrows; i++) {
    double sum = 0;
    for (int j = rows[i]; j < rows[i + 1]; j++) sum += static_cast<double>(values[j]) * x[cols[j]];
    y[i] = static_cast<float>(sum);
  }
}
