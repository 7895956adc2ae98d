// Wrap as a deformer: points that follow triangles of other points of the rig.

#include "wrap_binding.h"

#include "rigspace/base/require.h"
#include "rigspace/rig/follower.h"

#include <algorithm>

namespace rigspace {
namespace {

static_assert(3 * kMaxWrapTriangles <= kMaxFollowed);

class Wrap final : public Follower {
 public:
  Wrap(int first, WrapBinding binding, std::vector<double> weights, std::vector<Mat3> rest_slopes)
      : Follower(first, {}, {}, std::vector<int>(weights.size() + 1, 0), {}),
        binding_(std::move(binding)),
        weights_(std::move(weights)),
        rest_slopes_(std::move(rest_slopes)) {}

  struct State : DeformerState {
    std::vector<TriangleFrame> frames;
  };

  std::unique_ptr<DeformerState> make_state() const override { return std::make_unique<State>(); }
  void prepare(In, std::span<const Slot>, DeformerState&) const override {}
  void prepare_derivatives(In, std::span<const Slot>, const GraphJacobian&, DeformerState&) const override {}

  std::span<const int> followed(int k) const override {
    return {binding_.corners.data() + binding_.corner_start[k], binding_.corners.data() + binding_.corner_start[k + 1]};
  }
  void pose(In s, DeformerState& base) const override { pose_frames(binding_, s, static_cast<State&>(base).frames); }

  // y = (1 - w) x + w sum over hangers: a point of weight 0 hangs on nothing.
  void deform(const DeformerState& base, int begin, int end, double* x) const override {
    for (int k = begin; k < end; ++k, x += 3) {
      if (weights_[k] == 0) continue;
      Eigen::Map<Vec3> point(x);
      point = (1 - weights_[k]) * point + weights_[k] * wrapped_point(binding_, frames(base), k);
    }
  }
  void deform(const DeformerState& base, int k, double* x, const PointRow& row) const override {
    deform(base, k, k + 1, x);
    Eigen::Map<Vec>(row.values, 3 * static_cast<Eigen::Index>(row.columns)) *= 1 - weights_[k];
  }
  Mat3 spatial_jacobian(const DeformerState&, int k, const Vec3&) const override {
    return (1 - weights_[k]) * Mat3::Identity();
  }
  Vec3 pull(const DeformerState&, int k, const Vec3&, const Vec3& g, double*) const override {
    return (1 - weights_[k]) * g;
  }
  void by_followed(const DeformerState& base, int k, Mat3* D) const override {
    wrapped_by_corners(binding_, frames(base), k, D);
    for (std::size_t c = 0; c < followed(k).size(); ++c) D[c] *= weights_[k];
  }
  Mat3 rest_slope(const DeformerState& base, int k) const override {
    return weights_[k] * wrapped_slope(binding_, frames(base), k) * rest_slopes_[k];
  }

  std::unique_ptr<Deformer> restricted(std::span<const int> points, int new_first) const override {
    std::vector<double> weights;
    std::vector<Mat3> slopes;
    for (const int k : points) {
      weights.push_back(weights_[k]);
      slopes.push_back(rest_slopes_[k]);
    }
    return std::make_unique<Wrap>(new_first, binding_.of(points), std::move(weights), std::move(slopes));
  }
  std::unique_ptr<Deformer> restricted(std::span<const int> points, int new_first,
                                       std::span<const int> kept) const override {
    auto part = restricted(points, new_first);
    static_cast<Wrap&>(*part).binding_.renumber(kept);
    return part;
  }

 private:
  static const std::vector<TriangleFrame>& frames(const DeformerState& base) {
    return static_cast<const State&>(base).frames;
  }

  WrapBinding binding_;
  std::vector<double> weights_;
  std::vector<Mat3> rest_slopes_;  // d rest / dX
};

}  // namespace

std::unique_ptr<Deformer> make_wrap(const WrapDescription& description) {
  const int count = static_cast<int>(description.weights.size()), first = description.first_point;
  require_option(first >= 0 && first + count <= description.surface.point_count(), "wrap's number of points", count,
                 "the rig has " + std::to_string(description.surface.point_count()));
  require_option(description.rest_slopes.size() == description.weights.size(), "wrap's number of slopes",
                 static_cast<double>(description.rest_slopes.size()), "give one per point");
  for (const Triangle& triangle : description.surface.triangles)
    for (const int corner : triangle)
      require_option(corner < first || corner >= first + count, "wrapped point that the wrap follows", corner,
                     "points cannot follow themselves");
  WrapBinding binding =
      bind_wrap(description.surface, description.surface.points.segment(3 * first, 3 * count), description.options);
  // What is not carried hangs on nothing.
  WrapBinding carried;
  carried.triangles = binding.triangles;
  carried.to_frame = binding.to_frame;
  for (int k = 0; k < count; ++k) {
    if (description.weights[k] != 0)
      carried.hangers.insert(carried.hangers.end(), binding.hangers.begin() + binding.start[k],
                             binding.hangers.begin() + binding.start[k + 1]);
    carried.start.push_back(static_cast<int>(carried.hangers.size()));
  }
  carried.finish();
  return std::make_unique<Wrap>(first, std::move(carried), description.weights, description.rest_slopes);
}

}  // namespace rigspace
