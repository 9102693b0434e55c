// runtime.cpp - ranks variants for a problem, finds those that accept it, runs them.
#include "runtime.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilewright::library {
namespace {

constexpr double kTextDiffers = 1000;

double difference(const Feature& a, const Feature& b) {
  if (a.text && b.text) return std::string_view(a.text) == b.text ? 0 : kTextDiffers;
  if (a.number > 0 && b.number > 0) return std::fabs(std::log(a.number / b.number));
  return a.number == b.number ? 0 : kTextDiffers;
}

double distance(const std::vector<Feature>& problem, const Choice& choice) {
  double sum = 0;
  for (const Feature& feature : problem)
    for (std::size_t i = 0; i < choice.feature_count; ++i)
      if (std::string_view(feature.name) == choice.first_feature[i].name)
        sum += difference(feature, choice.first_feature[i]);
  return sum;
}

/// Why `variant` cannot serve, or an empty text after its workspace went into `found`.
std::string try_variant(const Variant& variant, const DeviceLimits& limits, std::vector<Candidate>& found,
                        const std::function<Workspace(const Parameters&)>& workspace) {
  if (std::string refusal = device::refusal(variant, limits); !refusal.empty()) return refusal;
  try {
    Workspace needed = workspace(variant.parameters());
    if (found.empty() || needed.bytes == 0) found.push_back({&variant, std::move(needed)});
    return {};
  } catch (const Unsupported& refusal) {
    return refusal.what();
  }
}

void check_workspace(const Workspace& needed, const void* workspace, std::size_t bytes) {
  if (needed.bytes == 0) return;
  if (!workspace || bytes < needed.bytes)
    throw Error(TW_STATUS_WORKSPACE_TOO_SMALL, "the plan needs a workspace of " +
                                                   std::to_string(needed.bytes) + " bytes, got " +
                                                   std::to_string(workspace ? bytes : 0));
  require_aligned(workspace, kWorkspaceAlignment, "workspace");
}

void enqueue(const Candidate& candidate, const std::vector<Launch>& launches, void* workspace,
             tw_stream stream) {
  const Workspace& needed = candidate.workspace;
  if (needed.clear_bytes > 0)
    device::clear(static_cast<std::byte*>(workspace) + needed.clear_offset, needed.clear_bytes, stream);
  for (const Launch& launch : launches) device::launch(*candidate.variant, launch, stream);
}

}  // namespace

std::vector<const Variant*> rank(const std::vector<Feature>& problem) {
  const Selection& all = selection();
  std::vector<std::pair<double, const Variant*>> order;  // a variant may be in it more than once
  for (std::size_t i = 0; i < all.choice_count; ++i)
    order.emplace_back(distance(problem, all.choices[i]), all.variants + all.choices[i].variant);
  for (std::size_t i = 0; i < all.variant_count; ++i) order.emplace_back(HUGE_VAL, all.variants + i);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Variant*> ranked;
  for (const auto& [distance, variant] : order)
    if (std::find(ranked.begin(), ranked.end(), variant) == ranked.end()) ranked.push_back(variant);
  return ranked;
}

std::vector<Candidate> candidates(const std::vector<Feature>& problem, const DeviceLimits& limits,
                                  const std::function<Workspace(const Parameters&)>& workspace) {
  const Selection& all = selection();
  const bool fallbacks = std::any_of(all.variants, all.variants + all.variant_count,
                                     [](const Variant& variant) { return variant.fallback; });
  std::vector<Candidate> found;
  std::string first_refusal;
  for (const Variant* variant : rank(problem)) {
    if (!found.empty() && fallbacks && !variant->fallback) continue;
    const std::string refusal = try_variant(*variant, limits, found, workspace);
    if (first_refusal.empty() && !refusal.empty()) first_refusal = std::string(variant->id) + ": " + refusal;
  }
  if (found.empty())
    throw Error(TW_STATUS_NOT_SUPPORTED, "none of the " + std::to_string(all.variant_count) +
                                             " kernels in this library serves the problem; the nearest, " +
                                             first_refusal);
  for (const Candidate& candidate : found) device::load(*candidate.variant, limits);
  return found;
}

void prepare(const Candidate& candidate, void* workspace, std::size_t workspace_bytes, tw_stream stream) {
  check_workspace(candidate.workspace, workspace, workspace_bytes);
  const std::vector<std::byte>& image = candidate.workspace.image;
  if (!image.empty()) device::copy(workspace, image.data(), image.size(), stream);
}

const Variant& run(const std::vector<Candidate>& candidates, void* workspace, std::size_t workspace_bytes,
                   tw_stream stream, const std::function<std::vector<Launch>(const Parameters&)>& launches) {
  check_workspace(candidates.front().workspace, workspace, workspace_bytes);
  std::string first_refusal;
  for (const Candidate& candidate : candidates) {
    try {
      enqueue(candidate, launches(candidate.variant->parameters()), workspace, stream);
      return *candidate.variant;
    } catch (const Unsupported& refusal) {
      if (first_refusal.empty()) first_refusal = std::string(candidate.variant->id) + ": " + refusal.what();
    }
  }
  throw Error(TW_STATUS_NOT_SUPPORTED, first_refusal);
}

}  // namespace tilewright::library
