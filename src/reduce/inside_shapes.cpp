#include "rigspace/reduce/inside_shapes.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/body/linear_rig.h"
#include "rigspace/energy/solid.h"
#include "rigspace/geometry/region_frames.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

/// What W and C leave of the inside of an example, in the frame of the rest pose; 0 at the skin.
Vec missing(const RigBody& body, std::span<const int> free, const CarrierWeights& interior,
            const BlockJacobian& response, RegionFrames& frames, const ExamplePose& example) {
  Vec d(std::ssize(free));
  for (std::size_t c = 0; c < free.size(); ++c)
    d[static_cast<Eigen::Index>(c)] = example.p[free[c]] - example.p_key[free[c]];
  frames.turn(example.x_key);
  Vec left = Vec::Zero(example.x.size());
  for (int i = 0; i < body.node_count(); ++i) {
    if (body.skin[i]) continue;
    Vec3 beside = Vec3(point(example.x, i)) - Vec3(point(example.x_key, i));
    for (const auto& [node, weight] : interior[i])
      beside -= weight * (Vec3(point(example.x, node)) - Vec3(point(example.x_key, node)));
    Vec3 own = frames.of(i).transpose() * beside;
    for (int e = response.start[i]; e < response.start[i + 1]; ++e)
      own -= d[response.column[e]] * response.value.col(e);
    point(left, i) = own;
  }
  return left;
}

/// K at rest times small moves of the inside, by central differences of the forces; rows of the skin are 0.
class Stiffness {
 public:
  Stiffness(const RigBody& body, const Material& material, std::span<const double> factors)
      : body_(body), solid_(body.mesh.points, body.mesh.tets, material, factors), state_(solid_.make_state()) {
    Vec3 low = point(body.mesh.points, 0), high = low;
    for (int i = 0; i < body.node_count(); ++i)
      low = low.cwiseMin(Vec3(point(body.mesh.points, i))), high = high.cwiseMax(Vec3(point(body.mesh.points, i)));
    small_ = 1e-6 * (high - low).norm();
  }
  Vec times(const Vec& move) const {
    const double size = move.cwiseAbs().maxCoeff();
    Vec forces = Vec::Zero(move.size());
    if (!(size > 0)) return forces;
    const double h = small_ / size;
    solid_.add_gradient(*state_, body_.mesh.points + h * move, 0.5 / h, forces);
    solid_.add_gradient(*state_, body_.mesh.points - h * move, -0.5 / h, forces);
    for (int i = 0; i < body_.node_count(); ++i)
      if (body_.skin[i]) point(forces, i).setZero();
    return forces;
  }

 private:
  const RigBody& body_;
  Solid solid_;
  std::unique_ptr<State> state_;
  double small_ = 0;
};

class RigWithIdleControls final : public Rig {
 public:
  RigWithIdleControls(std::shared_ptr<const Rig> rig, const Vec& typical)
      : rig_(std::move(rig)), controls_(rig_->controls().begin(), rig_->controls().end()) {
    for (Eigen::Index k = 0; k < typical.size(); ++k)
      controls_.push_back({.name = "inside_" + std::to_string(k), .typical = typical[k]});
  }
  std::span<const Control> controls() const override { return controls_; }
  int point_count() const override { return rig_->point_count(); }
  Traits traits() const override { return rig_->traits(); }
  std::unique_ptr<Workspace> make_workspace() const override { return rig_->make_workspace(); }
  void evaluate(Workspace& workspace, In p, Vec& s) const override { rig_->evaluate(workspace, p.head(own()), s); }
  void jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const override {
    const auto first = std::lower_bound(free.begin(), free.end(), static_cast<int>(own()));
    rig_->jacobian(workspace, p.head(own()), free.first(static_cast<std::size_t>(first - free.begin())), J);
    J.columns = static_cast<int>(free.size());
  }
  std::unique_ptr<Rig> restricted(std::span<const int> points) const override {
    Vec typical(std::ssize(controls_) - own());
    for (Eigen::Index k = 0; k < typical.size(); ++k)
      typical[k] = controls_[static_cast<std::size_t>(own() + k)].typical;
    return std::make_unique<RigWithIdleControls>(rig_->restricted(points), typical);
  }

 private:
  Eigen::Index own() const { return std::ssize(rig_->controls()); }

  std::shared_ptr<const Rig> rig_;
  std::vector<Control> controls_;
};

}  // namespace

InsideShapes inside_shapes(const RigBody& body, std::span<const int> free, const CarrierWeights& interior,
                           const BlockJacobian& response, std::span<const ExamplePose> examples,
                           const Material& material, std::span<const double> stiffness, int most) {
  const Eigen::Index count = std::ssize(examples), size = body.mesh.points.size();
  InsideShapes shapes{.S = Mat::Zero(size, 0)};
  if (most <= 0 || count == 0) return shapes;
  RegionFrames frames(body.mesh.points, LinearRigFrames().regions);
  const Stiffness K(body, material, stiffness);
  Mat left(size, count), forces(size, count);
  for (Eigen::Index k = 0; k < count; ++k) {
    left.col(k) = missing(body, free, interior, response, frames, examples[static_cast<std::size_t>(k)]);
    forces.col(k) = K.times(left.col(k));
  }
  const SymmetricEigen energy = symmetric_eigen(left.transpose() * forces);
  constexpr double kLeast = 1e-4;  // of the strongest
  Eigen::Index kept = 0;
  while (kept < std::min<Eigen::Index>(most, count) &&
         energy.values[count - 1 - kept] > std::max(kLeast * energy.values[count - 1], 1e-300))
    ++kept;
  if (kept == 0) return shapes;
  const Mat mix = energy.vectors.rightCols(kept) * energy.values.tail(kept).cwiseSqrt().cwiseInverse().asDiagonal();
  shapes.S = left * mix;
  const Mat y = (forces * mix).transpose() * left;
  for (Eigen::Index k = 0; k < count; ++k) shapes.y.push_back(y.col(k));
  shapes.typical = (y.rowwise().squaredNorm() / static_cast<double>(count)).cwiseSqrt();
  return shapes;
}

std::shared_ptr<const Rig> with_idle_controls(std::shared_ptr<const Rig> rig, const Vec& typical) {
  return std::make_shared<RigWithIdleControls>(std::move(rig), typical);
}

BlockJacobian response_with_shapes(const BlockJacobian& response, const Mat& S) {
  BlockJacobian all{.columns = response.columns + static_cast<int>(S.cols()), .start = {0}};
  std::vector<Vec3> values;
  for (int i = 0; i < response.points(); ++i) {
    for (int e = response.start[i]; e < response.start[i + 1]; ++e)
      all.column.push_back(response.column[e]), values.push_back(response.value.col(e));
    for (Eigen::Index k = 0; k < S.cols(); ++k)
      if (const Vec3 move = S.col(k).segment<3>(3 * i); move != Vec3::Zero())
        all.column.push_back(response.columns + static_cast<int>(k)), values.push_back(move);
    all.start.push_back(static_cast<int>(all.column.size()));
  }
  all.value.resize(3, std::ssize(values));
  for (std::size_t e = 0; e < values.size(); ++e) all.value.col(static_cast<Eigen::Index>(e)) = values[e];
  return all;
}

}  // namespace rigspace
