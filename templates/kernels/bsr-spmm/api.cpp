// api.cpp - the C functions of bsr_spmm.h: check the arguments, choose a variant by the library's policy,
// launch it. What a variant refuses of a Shape counts when a plan is made, what it refuses of Operands (the
// pointers' alignment, beta) when that runs.
#include <memory>
#include <string>

#include "launch.hpp"
#include "runtime.hpp"
#include "tilewright/bsr_spmm.h"

using namespace tilewright;
using library::Candidate;
using library::guarded;
using library::require;

struct tw_bsr_spmm_plan {
  bsr_spmm::Shape shape;
  DeviceLimits limits;
  std::vector<Candidate> candidates;  // the chosen variant first
};

namespace {

const char* name_of(tw_type type) {
  switch (type) {
    case TW_TYPE_F16:
      return "f16";
    case TW_TYPE_BF16:
      return "bf16";
    case TW_TYPE_F32:
      return "f32";
  }
  throw library::Error(TW_STATUS_INVALID_ARGUMENT,
                       "unknown element type " + std::to_string(static_cast<int>(type)));
}

std::string number(std::int64_t value) { return std::to_string(value); }

void check_rows(const tw_bsr_spmm_problem& p, const std::int32_t* rows) {
  const std::int64_t count = p.m / p.block;
  require(rows[0] == 0 && rows[count] == p.blocks, "host_row_ptr does not run from 0 to blocks");
  for (std::int64_t row = 0; row < count; ++row)
    require(rows[row] <= rows[row + 1], "host_row_ptr falls at block row " + number(row));
}

void check_columns(const tw_bsr_spmm_problem& p, const std::int32_t* columns) {
  const std::int64_t count = p.k / p.block;
  for (std::int64_t i = 0; i < p.blocks; ++i)
    require(columns[i] >= 0 && columns[i] < count, "host_col_idx[" + number(i) + "] = " + number(columns[i]) +
                                                       " is not between 0 and " + number(count - 1));
}

void check(const tw_bsr_spmm_problem& p) {
  require(p.m >= 0 && p.n >= 0 && p.k >= 0, "m, n and k must not be negative");
  require(p.block > 0, "block must be positive, is " + number(p.block));
  require(p.m % p.block == 0, "m = " + number(p.m) + " is no multiple of block = " + number(p.block));
  require(p.k % p.block == 0, "k = " + number(p.k) + " is no multiple of block = " + number(p.block));
  const std::int64_t rows = p.m / p.block, columns = p.k / p.block;
  require(p.blocks == 0 || (p.blocks > 0 && columns > 0 && (p.blocks - 1) / columns < rows),
          "blocks = " + number(p.blocks) + " is not between 0 and the " + number(rows) + " x " +
              number(columns) + " that A has room for");
  require(p.ldb == 0 || p.ldb >= p.n, "ldb = " + number(p.ldb) + " is below n = " + number(p.n));
  require(p.ldc == 0 || p.ldc >= p.n, "ldc = " + number(p.ldc) + " is below n = " + number(p.n));
  if (p.host_row_ptr) check_rows(p, p.host_row_ptr);
  if (p.host_col_idx) check_columns(p, p.host_col_idx);
}

bsr_spmm::Shape shape_of(const tw_bsr_spmm_problem& p) {
  bsr_spmm::Shape shape{};
  shape.m = p.m;
  shape.n = p.n;
  shape.k = p.k;
  shape.block = p.block;
  shape.blocks = p.blocks;
  shape.input = name_of(p.input);
  shape.output = name_of(p.output);
  shape.ldb = p.ldb ? p.ldb : p.n;
  shape.ldc = p.ldc ? p.ldc : p.n;
  shape.row_ptr = p.host_row_ptr;
  shape.col_idx = p.host_col_idx;
  shape.reads_c = p.reads_c != 0;
  return shape;
}

/// What any kernel asks for; a kernel that loads more at once may ask for more.
void check_alignment(const bsr_spmm::Shape& shape, const bsr_spmm::Operands& operands) {
  library::require_aligned(operands.row_ptr, alignof(std::int32_t), "row_ptr");
  library::require_aligned(operands.col_idx, alignof(std::int32_t), "col_idx");
  library::require_aligned(operands.values, 2, "values");
  library::require_aligned(operands.b, 2, "b");
  library::require_aligned(operands.c, static_cast<std::size_t>(shape.output_bytes()), "c");
}

double real(std::int64_t value) { return static_cast<double>(value); }

/// Mean square of the lengths of block rows over the square of their mean, 1 where all are equal. Needs
/// blocks.
double unevenness_of(const tw_bsr_spmm_problem& p) {
  const std::int64_t rows = p.m / p.block;
  double squares = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const double length = real(p.host_row_ptr[row + 1] - p.host_row_ptr[row]);
    squares += length * length;
  }
  return squares * real(rows) / (real(p.blocks) * real(p.blocks));
}

/// What the policy compares, by the names of `features` in family.ts.
std::vector<library::Feature> features_of(const tw_bsr_spmm_problem& p) {
  const double places = real(p.m / p.block) * real(p.k / p.block);
  std::vector<library::Feature> features{{"m", real(p.m), nullptr},
                                         {"n", real(p.n), nullptr},
                                         {"k", real(p.k), nullptr},
                                         {"block", real(p.block), nullptr},
                                         {"density", places > 0 ? real(p.blocks) / places : 0, nullptr},
                                         {"input", 0, name_of(p.input)},
                                         {"output", 0, name_of(p.output)}};
  if (p.host_row_ptr && p.blocks > 0) features.push_back({"unevenness", unevenness_of(p), nullptr});
  return features;
}

}  // namespace

tw_status tw_bsr_spmm_plan_create(const tw_bsr_spmm_problem* problem, tw_bsr_spmm_plan** plan) {
  return guarded([&] {
    require(problem != nullptr, "problem is null");
    require(plan != nullptr, "plan is null");
    require(problem->struct_size == sizeof *problem,
            "problem->struct_size is not sizeof(tw_bsr_spmm_problem)");
    check(*problem);
    auto made = std::make_unique<tw_bsr_spmm_plan>();
    made->limits = library::device::limits();
    made->shape = shape_of(*problem);
    made->candidates =
        library::candidates(features_of(*problem), made->limits, [&](const Parameters& parameters) {
          return bsr_spmm::workspace(made->shape, parameters, made->limits);
        });
    made->shape.row_ptr = made->shape.col_idx = nullptr;  // the caller may free them now
    *plan = made.release();
  });
}

void tw_bsr_spmm_plan_destroy(tw_bsr_spmm_plan* plan) { delete plan; }

size_t tw_bsr_spmm_workspace_bytes(const tw_bsr_spmm_plan* plan) {
  return plan ? plan->candidates.front().workspace.bytes : 0;
}

const char* tw_bsr_spmm_plan_variant(const tw_bsr_spmm_plan* plan) {
  return plan ? plan->candidates.front().variant->id : "";
}

tw_status tw_bsr_spmm_prepare(const tw_bsr_spmm_plan* plan, void* workspace, size_t workspace_bytes,
                              tw_stream stream) {
  return guarded([&] {
    require(plan != nullptr, "plan is null");
    library::prepare(plan->candidates.front(), workspace, workspace_bytes, stream);
  });
}

tw_status tw_bsr_spmm_run(const tw_bsr_spmm_plan* plan, float alpha, const int32_t* row_ptr,
                          const int32_t* col_idx, const void* values, const void* b, float beta, void* c,
                          void* workspace, size_t workspace_bytes, tw_stream stream) {
  return guarded([&] {
    require(plan != nullptr, "plan is null");
    const bsr_spmm::Shape& shape = plan->shape;
    if (shape.m == 0 || shape.n == 0) return;
    require(row_ptr != nullptr, "row_ptr is null");
    require(c != nullptr, "c is null");
    require(shape.blocks == 0 || (col_idx && values && b),
            "col_idx, values or b is null although A has blocks");
    const bsr_spmm::Operands operands{row_ptr, col_idx, values, b, c, alpha, beta, workspace};
    check_alignment(shape, operands);
    library::run(plan->candidates, workspace, workspace_bytes, stream, [&](const Parameters& parameters) {
      return bsr_spmm::launches(shape, operands, parameters, plan->limits);
    });
  });
}
