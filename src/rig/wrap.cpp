#include "rigspace/rig/wrap.h"

#include "wrap_binding.h"

#include "rig_arguments.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace rigspace {
namespace {

constexpr int kWrapChunk = 256;

}  // namespace

/// How the Jacobian's rows are put together, for one pattern of the base's.
struct WrapRig::Memory : Workspace {
  std::unique_ptr<Workspace> base;
  Vec s;  // of the base
  std::vector<TriangleFrame> frames;
  Mat S;
  BlockJacobian J;
  std::vector<Mat3> B;
  Vec g;
  // The plan: the base's pattern that it was made for, the result's, and where a corner's columns go in it.
  int columns = -1;
  std::vector<int> base_start, base_column, start, column;
  std::vector<int> place_start;  // per corner of a wrapped point, into `place`
  std::vector<int> place;

  void plan(const WrapBinding&);
};

WrapRig::WrapRig(std::shared_ptr<const Rig> base, const TriMesh& base_mesh, In wrapped_rest, const WrapOptions& options)
    : base_(std::move(base)) {
  require_option(base_mesh.point_count() <= base_->point_count(), "wrap's number of base points",
                 base_mesh.point_count(), "the base rig has " + std::to_string(base_->point_count()));
  WrapBinding binding = bind_wrap(base_mesh, wrapped_rest, options);
  if (options.keep_base) {
    binding.passed.resize(base_->point_count());
    std::iota(binding.passed.begin(), binding.passed.end(), 0);
  }
  binding_ = std::make_unique<const WrapBinding>(std::move(binding));
}

WrapRig::WrapRig(std::vector<std::shared_ptr<const Rig>> origins, std::shared_ptr<const Rig> base, WrapBinding binding)
    : origins_(std::move(origins)),
      base_(std::move(base)),
      binding_(std::make_unique<const WrapBinding>(std::move(binding))) {}

WrapRig::~WrapRig() = default;

std::span<const Control> WrapRig::controls() const { return base_->controls(); }
int WrapRig::passed_count() const { return static_cast<int>(binding_->passed.size()); }
int WrapRig::wrapped_count() const { return binding_->wrapped_count(); }
int WrapRig::point_count() const { return passed_count() + wrapped_count(); }
Traits WrapRig::traits() const { return base_->traits(); }

std::unique_ptr<Workspace> WrapRig::make_workspace() const {
  auto memory = std::make_unique<Memory>();
  memory->base = base_->make_workspace();
  return memory;
}

void WrapRig::pose(Memory& memory, In base_points) const { pose_frames(*binding_, base_points, memory.frames); }

void WrapRig::follow(const Memory& memory, In base_points, Eigen::Ref<Vec> s) const {
  const int passed = passed_count();
  for (int i = 0; i < passed; ++i) s.segment<3>(3 * i) = point(base_points, binding_->passed[i]);
  parallel_ranges(wrapped_count(), kWrapChunk, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) s.segment<3>(3 * (passed + i)) = wrapped_point(*binding_, memory.frames, i);
  });
}

void WrapRig::by_corners(const Memory& memory, int wrapped, Mat3* by_corner) const {
  wrapped_by_corners(*binding_, memory.frames, wrapped, by_corner);
}

void WrapRig::evaluate(Workspace& workspace, In p, Vec& s) const {
  auto& memory = static_cast<Memory&>(workspace);
  base_->evaluate(*memory.base, p, memory.s);
  s.resize(3 * point_count());
  pose(memory, memory.s);
  follow(memory, memory.s, s);
}

void WrapRig::evaluate_batch(Workspace& workspace, const Mat& P, Mat& S) const {
  auto& memory = static_cast<Memory&>(workspace);
  base_->evaluate_batch(*memory.base, P, memory.S);
  S.resize(3 * point_count(), P.cols());
  for (Eigen::Index k = 0; k < P.cols(); ++k) {
    pose(memory, memory.S.col(k));
    follow(memory, memory.S.col(k), S.col(k));
  }
}

void WrapRig::Memory::plan(const WrapBinding& binding) {
  if (columns == J.columns && base_start == J.start && base_column == J.column) return;
  columns = J.columns;
  base_start = J.start;
  base_column = J.column;
  start.assign(1, 0);
  column.clear();
  for (const int i : binding.passed) {
    column.insert(column.end(), J.column.begin() + J.start[i], J.column.begin() + J.start[i + 1]);
    start.push_back(static_cast<int>(column.size()));
  }
  place_start.clear();
  place.clear();
  std::vector<int> wanted;
  for (int i = 0; i < binding.wrapped_count(); ++i) {
    const std::span corners(binding.corners.data() + binding.corner_start[i],
                            binding.corners.data() + binding.corner_start[i + 1]);
    wanted.clear();
    for (const int corner : corners)
      wanted.insert(wanted.end(), J.column.begin() + J.start[corner], J.column.begin() + J.start[corner + 1]);
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    for (const int corner : corners) {
      place_start.push_back(static_cast<int>(place.size()));
      for (int e = J.start[corner]; e < J.start[corner + 1]; ++e)
        place.push_back(static_cast<int>(std::lower_bound(wanted.begin(), wanted.end(), J.column[e]) - wanted.begin()));
    }
    column.insert(column.end(), wanted.begin(), wanted.end());
    start.push_back(static_cast<int>(column.size()));
  }
}

void WrapRig::jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const {
  auto& memory = static_cast<Memory&>(workspace);
  base_->evaluate(*memory.base, p, memory.s);
  base_->jacobian(*memory.base, p, free, memory.J);
  pose(memory, memory.s);
  memory.plan(*binding_);
  J.columns = memory.columns;
  J.start = memory.start;
  J.column = memory.column;
  J.value.resize(3, static_cast<Eigen::Index>(J.column.size()));
  const int passed = passed_count();
  for (int i = 0; i < passed; ++i) {
    const int from = memory.J.start[binding_->passed[i]], count = J.start[i + 1] - J.start[i];
    J.value.middleCols(J.start[i], count) = memory.J.value.middleCols(from, count);
  }
  // dy = sum over corners (dy / d corner) d corner / dp
  parallel_ranges(wrapped_count(), kWrapChunk, [&](int begin, int end) {
    Mat3 by_corner[3 * kMaxWrapTriangles];
    for (int i = begin; i < end; ++i) {
      const int row = J.start[passed + i];
      J.value.middleCols(row, J.start[passed + i + 1] - row).setZero();
      by_corners(memory, i, by_corner);
      for (int c = binding_->corner_start[i]; c < binding_->corner_start[i + 1]; ++c) {
        const Mat3& M = by_corner[c - binding_->corner_start[i]];
        const int corner = binding_->corners[c];
        const int* place = memory.place.data() + memory.place_start[c];
        for (int e = memory.J.start[corner]; e < memory.J.start[corner + 1]; ++e, ++place)
          J.value.col(row + *place).noalias() += M * memory.J.value.col(e);
      }
    }
  });
}

void WrapRig::pull(Workspace& workspace, In p, In g, Vec& g_p) const {
  require_forces(g, point_count());
  auto& memory = static_cast<Memory&>(workspace);
  base_->evaluate(*memory.base, p, memory.s);
  pose(memory, memory.s);
  memory.g.setZero(memory.s.size());
  const int passed = passed_count();
  for (int i = 0; i < passed; ++i) memory.g.segment<3>(3 * binding_->passed[i]) += point(g, i);
  Mat3 by_corner[3 * kMaxWrapTriangles];
  for (int i = 0; i < wrapped_count(); ++i) {  // in order: neighbours share corners
    by_corners(memory, i, by_corner);
    for (int c = binding_->corner_start[i]; c < binding_->corner_start[i + 1]; ++c)
      memory.g.segment<3>(3 * binding_->corners[c]).noalias() +=
          by_corner[c - binding_->corner_start[i]].transpose() * point(g, passed + i);
  }
  base_->pull(*memory.base, p, memory.g, g_p);
}

bool WrapRig::rest_jacobian(Workspace& workspace, In p, std::vector<Mat3>& B) const {
  auto& memory = static_cast<Memory&>(workspace);
  base_->evaluate(*memory.base, p, memory.s);
  const int passed = passed_count();
  if (passed > 0 && !base_->rest_jacobian(*memory.base, p, memory.B)) return false;
  pose(memory, memory.s);
  B.resize(point_count());
  for (int i = 0; i < passed; ++i) B[i] = memory.B[binding_->passed[i]];
  for (int i = 0; i < wrapped_count(); ++i) B[passed + i] = wrapped_slope(*binding_, memory.frames, i);
  return true;
}

std::unique_ptr<Rig> WrapRig::restricted(std::span<const int> points) const {
  assert(std::is_sorted(points.begin(), points.end()));
  const int passed = passed_count();
  std::vector<int> wrapped;
  for (const int i : points)
    if (i >= passed) wrapped.push_back(i - passed);
  WrapBinding part = binding_->of(wrapped);
  for (const int i : points)
    if (i < passed) part.passed.push_back(binding_->passed[i]);
  // The points of the base that they need.
  std::vector<int> needed = part.passed;
  needed.insert(needed.end(), part.corners.begin(), part.corners.end());
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  part.renumber(needed);
  std::vector<std::shared_ptr<const Rig>> origins = origins_;
  origins.push_back(base_);
  return std::unique_ptr<Rig>(new WrapRig(std::move(origins), base_->restricted(needed), std::move(part)));
}

}  // namespace rigspace
