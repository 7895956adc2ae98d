// Beside Fast Complementary Dynamics: affine handles on a tetrahedral mesh from a file.

#include "fast_scenes.h"

#include "rigspace/base/error.h"
#include "rigspace/geometry/harmonic.h"
#include "rigspace/io/tet_file.h"
#include "rigspace/rig/built_in_rig.h"

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numbers>

namespace rigspace::bench {
namespace {

constexpr double kBall = 0.25;            // of the least distance of two handles: how far each holds its weight
constexpr double kNothing = 0.05;         // what a weight must exceed, and is taken off all: a point feels few handles
constexpr int kNumbers = kTransformSlot;  // of a handle

/// A handle's transform from its twelve controls, linear in them: I + A, and c + t.
class AffineHandle final : public GraphOperator {
 public:
  AffineHandle(std::vector<int> controls, const Vec3& center) : controls_(std::move(controls)), center_(center) {}

  int output_size() const override { return kTransformSlot; }
  std::span<const int> input_controls() const override { return controls_; }
  void evaluate(In p, std::span<const double* const>, double* output) const override {
    Eigen::Map<Affine> transform(output);
    transform = identity_affine();
    transform.col(3) = center_;
    for (int k = 0; k < kNumbers; ++k) output[place(k)] += p[controls_[k]];
  }
  void linearize(In, std::span<const double* const>, LocalJacobian& local) const override {
    local.by_control.setZero();
    for (int k = 0; k < kNumbers; ++k) local.by_control(place(k), k) = 1;
  }

 private:
  /// In the column-major slot, of number k: rows of A, then t.
  static int place(int k) { return k < 9 ? 3 * (k % 3) + k / 3 : k; }

  std::vector<int> controls_;
  Vec3 center_;
};

int add_handle(ControlGraph& graph, const std::string& name, const Vec3& center, double size) {
  constexpr std::string_view kNames[] = {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz", "tx", "ty", "tz"};
  std::vector<int> controls;
  for (int k = 0; k < kNumbers; ++k)
    controls.push_back(graph.add_control({.name = fmt::format("{}.{}", name, kNames[k]),
                                          .node = name,
                                          .unit = k < 9 ? Unit::scalar : Unit::length,
                                          .typical = k < 9 ? 0.2 : 0.05 * size}));
  return graph.add(std::make_unique<AffineHandle>(std::move(controls), center));
}

double diagonal(In points) {
  const auto flat = Eigen::Map<const Eigen::Matrix3Xd>(points.data(), 3, points.size() / 3);
  return (flat.rowwise().maxCoeff() - flat.rowwise().minCoeff()).norm();
}

/// Farthest-point sampling, beginning with the node farthest from the middle.
std::vector<int> spread(const TetMesh& mesh, int count) {
  const auto flat = Eigen::Map<const Eigen::Matrix3Xd>(mesh.points.data(), 3, mesh.point_count());
  Vec apart = (flat.colwise() - flat.rowwise().mean()).colwise().norm().transpose();
  std::vector<int> nodes;
  while (static_cast<int>(nodes.size()) < count) {
    Eigen::Index farthest;
    apart.maxCoeff(&farthest);
    nodes.push_back(static_cast<int>(farthest));
    const Vec from = (flat.colwise() - flat.col(farthest)).colwise().norm().transpose();
    apart = nodes.size() == 1 ? from : Vec(apart.cwiseMin(from));
  }
  return nodes;
}

/// Of each node the shares of handles: those of the balls that carry it harmonically, of few of them, sum one.
std::vector<std::vector<Influence>> shares(const TetMesh& mesh, const std::vector<int>& handles) {
  double least = std::numeric_limits<double>::infinity();
  for (const int a : handles)
    for (const int b : handles)
      if (a != b) least = std::min(least, (point(mesh.points, a) - point(mesh.points, b)).norm());
  std::vector<char> carries(mesh.point_count(), 0);
  std::vector<int> owner(mesh.point_count(), -1);
  for (int i = 0; i < mesh.point_count(); ++i)
    for (std::size_t h = 0; h < handles.size(); ++h)
      if ((point(mesh.points, i) - point(mesh.points, handles[h])).norm() < kBall * least)
        carries[i] = 1, owner[i] = static_cast<int>(h);
  std::vector<std::vector<Influence>> result;
  for (const PointWeights& weights : harmonic_weights(mesh, carries, {.drop_below = 0, .affine = false})) {
    Vec sums = Vec::Zero(static_cast<Eigen::Index>(handles.size()));
    for (const auto& [node, weight] : weights) sums[owner[node]] += weight;
    sums = (sums.array() - kNothing).cwiseMax(0);  // goes on smoothly where a handle drops out
    sums /= sums.sum();
    std::vector<Influence> own;
    for (int h = 0; h < static_cast<int>(handles.size()); ++h)
      if (sums[h] > 0) own.push_back({h, sums[h]});
    result.push_back(std::move(own));
  }
  return result;
}

/// Its own axes, longest first, become x, y and z, and its length kNeighbourLength.
void lay_along_axes(TetMesh& mesh) {
  auto flat = Eigen::Map<Eigen::Matrix3Xd>(mesh.points.data(), 3, mesh.point_count());
  const Eigen::Matrix3Xd centred = flat.colwise() - flat.rowwise().mean();
  const Eigen::SelfAdjointEigenSolver<Mat3> spread(centred * centred.transpose());  // ascending
  Mat3 axes = spread.eigenvectors().rowwise().reverse();
  axes.col(2) = axes.col(0).cross(axes.col(1));  // a rotation: no tetrahedron turns over
  flat = axes.transpose() * centred;
  flat *= kNeighbourLength / (flat.row(0).maxCoeff() - flat.row(0).minCoeff());
}

/// Two beats a second: the handle heaves, and pitches a quarter of a beat later.
void swim(const Rig& rig, int handle, double time, Vec& p) {
  const double beat = 2 * std::numbers::pi * 2 * time, on = std::min(1.0, 2 * time);
  const double heave = 0.08 * on * std::sin(beat), pitch = 0.25 * on * std::sin(beat - std::numbers::pi / 2);
  const std::string name = fmt::format("handle_{}", handle + 1);
  p[rig.find(name + ".ty")] = heave * kNeighbourLength;
  // About z, the length of the body along x: a rotation, as the artist's handle would turn.
  p[rig.find(name + ".xx")] = p[rig.find(name + ".yy")] = std::cos(pitch) - 1;
  p[rig.find(name + ".xy")] = -std::sin(pitch);
  p[rig.find(name + ".yx")] = std::sin(pitch);
}

}  // namespace

HandleRig make_handle_rig(const TetMesh& mesh, int handles) {
  HandleRig made{.rig = {}, .nodes = spread(mesh, handles)};
  auto graph = std::make_shared<ControlGraph>();
  SkinDescription skin;
  const double size = diagonal(mesh.points);
  for (int h = 0; h < handles; ++h) {
    const Vec3 center = point(mesh.points, made.nodes[h]);
    skin.joint_slots.push_back(add_handle(*graph, fmt::format("handle_{}", h + 1), center, size));
    skin.inverse_bind.push_back(identity_affine());
    translation(skin.inverse_bind.back()) = -center;
  }
  const std::vector<std::vector<Influence>> of_nodes = shares(mesh, made.nodes);
  std::vector<int> nodes;
  const TriMesh surface = boundary_surface(mesh, &nodes);
  for (const int node : nodes) skin.influences.push_back(of_nodes[node]);
  std::vector<std::shared_ptr<const Deformer>> deformers{make_linear_blend_skin(skin)};
  made.rig = std::make_shared<BuiltInRig>(std::move(graph), surface.points, std::move(deformers));
  return made;
}

NeighbourFigure neighbour_figure(int handles) {
  if (handles == 4) return {48, 0.23};
  if (handles == 16) return {192, 0.8};
  throw Error({.code = ErrorCode::internal, .element = "bench fast", .problem = "knows 4 and 16 handles"});
}

std::filesystem::path neighbour_file() {
  const char* named = std::getenv("RIGSPACE_ASSETS");
  return std::filesystem::path(named != nullptr ? named : "../shared/assets") / "polyfem_dolphin" / "dolphin.msh";
}

std::optional<RspSetup> prepare_neighbour(int handles, int steps) {
  if (!std::filesystem::exists(neighbour_file())) return std::nullopt;
  TetMesh mesh = read_tets(neighbour_file()).mesh;
  lay_along_axes(mesh);
  const HandleRig handle_rig = make_handle_rig(mesh, handles);
  const TriMesh surface = boundary_surface(mesh);
  RspSetup setup{.body = make_rig_body(handle_rig.rig, surface, std::move(mesh)), .falling = true};
  setup.options = {.step = kRspStep,
                   .integrator = IntegratorKind::euler,
                   .material = {.young = 2e5, .poisson = 0.4},
                   .gravity = {0, 0, 0},  // water carries it
                   .hessian = HessianMode::exact};
  const Rig& rig = *setup.body.rig;
  for (int c = kNumbers; c < static_cast<int>(rig.controls().size()); ++c) setup.free.push_back(c);
  for (int k = 0; k <= steps; ++k) {
    setup.keys.push_back(rig.rest());
    swim(rig, 0, kRspStep * k, setup.keys.back());
  }
  setup.balance = setup.keys[0];
  setup.nodes = setup.body.mesh.points;
  return setup;
}

}  // namespace rigspace::bench
