// Chains: tails, ears, hair. Rods on the artist's own joints, mass from the skin. Sheets: rods on the joints that they
// were given, neighbours tied.

#include "flesh/flesh_region.h"
#include "part_system.h"
#include "rigspace/anim/character_frame.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

namespace rigspace {
namespace {

/// The area of the skin around each point, a third of each triangle. It serves as mass: a common factor has no effect,
/// since stiffness is derived from mass and rate.
Vec point_areas(const Character& character, In s) {
  Vec area = Vec::Zero(s.size() / 3);
  for (const Piece& piece : character.pieces)
    for (const auto& [a, b, c] : piece.triangles) {
      const Vec3 u = s.segment<3>(3 * b) - s.segment<3>(3 * a), v = s.segment<3>(3 * c) - s.segment<3>(3 * a);
      const double third = u.cross(v).norm() / 6;
      area[a] += third, area[b] += third, area[c] += third;
    }
  return area;
}

/// Number of points, at most, to which a part's mass is lumped. The inertia differs from that of all skin by a few
/// percent; the rate does not, since it is set with the same points.
constexpr int kSamples = 96;

/// Farthest-point sampling: indices into `points`, beginning with `first`. `nearest`: for each point the index of its
/// nearest sample.
std::vector<int> far_samples(const std::vector<Vec3>& points, int first, std::vector<int>& nearest) {
  std::vector<int> samples{first};
  nearest.assign(points.size(), 0);
  std::vector<double> distance(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) distance[i] = (points[i] - points[first]).squaredNorm();
  while (samples.size() < std::min<std::size_t>(kSamples, points.size())) {
    const auto farthest = std::max_element(distance.begin(), distance.end());
    if (*farthest == 0) break;
    const int next = static_cast<int>(farthest - distance.begin());
    for (std::size_t i = 0; i < points.size(); ++i)
      if (const double d = (points[i] - points[next]).squaredNorm(); d < distance[i])
        distance[i] = d, nearest[i] = static_cast<int>(samples.size());
    samples.push_back(next);
  }
  return samples;
}

constexpr double kTie = 0.4;  // of the springs of two joints side by side: how much their difference resists

/// The rods of some parts of a character.
class ChainSystem final : public PartSystem {
 public:
  ChainSystem(const Character& character, std::span<const Part> all, std::span<const int> chosen,
              const SimulationOptions& options)
      : character_(character), options_(options) {
    collect_controls(all, chosen);
    if (!free_.empty()) collect_points();
  }

  SteppedBody body() override;
  SteppedBody settings() override;
  bool flesh() const override { return false; }
  /// The angle, seen from the root, between the tip and its position in the artist's motion.
  double swing(const TunedPart& part, double reach) const override {
    return 2 * std::asin(std::min(1.0, reach / (2 * part.length)));
  }
  std::vector<int> rows(std::size_t part) const override { return chains_[part].columns; }

 private:
  struct Chain {
    std::vector<int> columns;   // indices of its joints' rx ry rz among the free controls
    std::vector<double> depth;  // per joint: 0 at the root, 1 at the tip
    Vec masses;                 // per simulated point, zero outside the part
    double overlap = -1;        // for which `shape` and `period` were found; -1: none yet
    Vec shape;                  // per free control: stiffness of its spring, up to a factor
    double period = 0;          // slowest_period with these springs
  };

  void collect_controls(std::span<const Part> all, std::span<const int> chosen);
  void collect_points();
  std::vector<int> columns_of(const Part& part) const;
  void set_depths(Chain& chain, const Part& part) const;
  void find_shape(Chain& chain, double overlap) const;
  Vec stiffness();
  Mat coupling(const Vec& springs) const;
  double slowest_period(const Chain& chain, const Vec& stiffness) const;
  double lever() const;
  double rounding() const;

  const Character& character_;
  SimulationOptions options_;
  std::vector<int> free_;           // simulated controls, ascending
  std::vector<int> points_;         // points of the rig that have mass
  std::shared_ptr<const Rig> rig_;  // restricted to points_
  BlockJacobian J_rest_;
  std::vector<Chain> chains_;
  double rounding_ = 0;  // see `rounding`
};

/// Whether the part is simulated as rods on joints, not as flesh, a solid or a part on controls.
bool is_chain(const Part& part) { return !preset_named(part.preset).flesh && !part.flesh && part.controls.empty(); }

void ChainSystem::collect_controls(std::span<const Part> all, std::span<const int> chosen) {
  for (const int i : chosen) {
    const Preset& preset = preset_named(all[i].preset);
    parts.push_back({.part = &all[i], .preset = &preset, .index = i, .settings = all[i].settings});
    for (const int bone : turning_joints(all[i]))
      for (const int control : turns_of(character_, bone)) free_.push_back(control);
  }
  std::sort(free_.begin(), free_.end());
  free_.erase(std::unique(free_.begin(), free_.end()), free_.end());
}

std::vector<int> ChainSystem::columns_of(const Part& part) const {
  std::vector<int> columns;
  for (const int bone : turning_joints(part))
    for (const int control : turns_of(character_, bone))
      columns.push_back(static_cast<int>(std::lower_bound(free_.begin(), free_.end(), control) - free_.begin()));
  return columns;
}

/// Lumps the mass of the skin that each part moves to a few points.
void ChainSystem::collect_points() {
  const auto& whole = dynamic_cast<const BuiltInRig&>(*character_.rig);
  const auto workspace = whole.make_workspace();
  Vec s, u;
  whole.evaluate(*workspace, whole.rest(), s);
  whole.evaluate_slots(*workspace, whole.rest(), u);
  const Vec areas = point_areas(character_, s);
  const OwnFrame frame = character_frame(character_);  // samples do not depend on the scene's axes, nor on their order
  BlockJacobian J;
  whole.jacobian(*workspace, whole.rest(), free_, J);

  std::vector<std::map<int, double>> mass_of_point(parts.size());
  for (std::size_t c = 0; c < parts.size(); ++c) {
    const Part& part = *parts[c].part;
    const std::vector<int> columns = columns_of(part);
    const std::set<int> own(columns.begin(), columns.end());
    // Of a sheet: the middle of its upper joints.
    const std::vector<int>& joints = turning_joints(part);
    const std::size_t tops = static_cast<std::size_t>(std::max(1, part.columns));
    Vec3 root = Vec3::Zero();
    for (std::size_t k = 0; k < tops; ++k) {
      const int slot = character_.bones[joints[k * (joints.size() / tops)]].slot;
      root += translation(transform_at(u, whole.graph().slots()[slot])) / static_cast<double>(tops);
    }
    std::vector<std::pair<std::array<double, 3>, int>> sorted;  // place, point
    for (int i = 0; i < J.points(); ++i) {
      double moved = 0;
      for (int e = J.start[i]; e < J.start[i + 1]; ++e)
        if (own.contains(J.column[e])) moved = std::max(moved, J.value.col(e).norm());
      if (moved == 0 || areas[i] == 0) continue;
      const Vec3 x = frame.place(s.segment<3>(3 * i));
      sorted.push_back({{x.x(), x.y(), x.z()}, i});
    }
    if (sorted.empty())
      throw Error({.file = character_.name,
                   .element = "part \"" + part.name + "\"",
                   .problem = "moves no skin",
                   .remedy = "its joints carry no weight; name other joints"});
    std::sort(sorted.begin(), sorted.end());
    std::vector<int> members;
    std::vector<Vec3> places;
    int tip = 0;
    const Vec3 root_place = frame.place(root);
    for (const auto& [at, i] : sorted) {
      members.push_back(i), places.emplace_back(at[0], at[1], at[2]);
      if ((places.back() - root_place).norm() > (places[tip] - root_place).norm())
        tip = static_cast<int>(places.size()) - 1;
    }
    std::vector<int> nearest;
    const std::vector<int> samples = far_samples(places, tip, nearest);
    for (std::size_t i = 0; i < members.size(); ++i)
      mass_of_point[c][members[samples[nearest[i]]]] += areas[members[i]];
    parts[c].length = (s.segment<3>(3 * members[tip]) - root).norm();
    chains_.push_back({.columns = columns});
  }
  std::set<int> all;
  for (const auto& masses : mass_of_point)
    for (const auto& [point, mass] : masses) all.insert(point);
  points_.assign(all.begin(), all.end());
  for (std::size_t c = 0; c < parts.size(); ++c) {
    chains_[c].masses = Vec::Zero(static_cast<Eigen::Index>(points_.size()));
    for (const auto& [point, mass] : mass_of_point[c])
      chains_[c].masses[std::lower_bound(points_.begin(), points_.end(), point) - points_.begin()] = mass;
    set_depths(chains_[c], *parts[c].part);
  }
  rig_ = whole.restricted(points_);
  rig_->jacobian(*rig_->make_workspace(), rig_->rest(), free_, J_rest_);
  rounding_ = rounding();
}

/// Sets chain.depth: for each joint the number of joints above it in the part, divided by the largest such number.
void ChainSystem::set_depths(Chain& chain, const Part& part) const {
  const std::vector<int>& bones = turning_joints(part);
  std::vector<int> hops(bones.size(), 0);
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const auto parent = std::find(bones.begin(), bones.end(), character_.bones[bones[b]].parent);
    if (parent != bones.end()) hops[b] = hops[parent - bones.begin()] + 1;
  }
  const int deepest = std::max(1, *std::max_element(hops.begin(), hops.end()));
  for (const int hop : hops) chain.depth.push_back(static_cast<double>(hop) / deepest);
}

/// 1 / omega^2 of the slowest mode: the largest eigenvalue of J^T M J v = mu K v over the chain's own controls.
double ChainSystem::slowest_period(const Chain& chain, const Vec& stiffness) const {
  const int n = static_cast<int>(chain.columns.size());
  std::vector<int> place(free_.size(), -1);
  for (int k = 0; k < n; ++k) place[chain.columns[k]] = k;
  Mat M = Mat::Zero(n, n), K = Mat::Zero(n, n);
  for (int i = 0; i < J_rest_.points(); ++i) {
    if (chain.masses[i] == 0) continue;
    for (int e = J_rest_.start[i]; e < J_rest_.start[i + 1]; ++e)
      for (int f = J_rest_.start[i]; f < J_rest_.start[i + 1]; ++f) {
        const int a = place[J_rest_.column[e]], b = place[J_rest_.column[f]];
        if (a >= 0 && b >= 0) M(a, b) += chain.masses[i] * J_rest_.value.col(e).dot(J_rest_.value.col(f));
      }
  }
  for (int k = 0; k < n; ++k) K(k, k) = stiffness[chain.columns[k]];
  M.diagonal().array() += 1e-9 * M.trace() / n;  // a twist may move no mass: keeps M definite
  return generalised_symmetric_eigenvalues(M, K).maxCoeff();
}

/// Springs k_j = kappa I_j (1 - overlap t_j / 2)^2 with I_j the inertia that joint j moves and t_j its depth: without
/// overlap each joint by itself would swing at the same rate, with overlap slower toward the tip. `stiffness` chooses
/// kappa; here it is 1.
void ChainSystem::find_shape(Chain& chain, double overlap) const {
  chain.overlap = overlap;
  Vec inertia = Vec::Zero(static_cast<Eigen::Index>(free_.size()));
  for (int i = 0; i < J_rest_.points(); ++i)
    for (int e = J_rest_.start[i]; e < J_rest_.start[i + 1]; ++e)
      inertia[J_rest_.column[e]] += chain.masses[i] * J_rest_.value.col(e).squaredNorm();
  Vec& shape = chain.shape = Vec::Zero(inertia.size());
  double largest = 0;
  for (const int column : chain.columns) largest = std::max(largest, inertia[column]);
  for (std::size_t b = 0; b < chain.depth.size(); ++b) {
    double most = 1e-6 * largest;  // lower bound: a joint that moves no skin still needs a spring
    for (int k = 0; k < 3; ++k) most = std::max(most, inertia[chain.columns[3 * b + k]]);
    const double slower = 1 - 0.5 * overlap * chain.depth[b];
    for (int k = 0; k < 3; ++k) shape[chain.columns[3 * b + k]] = most * slower * slower;
  }
  chain.period = slowest_period(chain, shape);
}

/// Per free control. kappa is chosen so that the slowest mode of each whole chain has PartSettings::rate.
Vec ChainSystem::stiffness() {
  Vec total = Vec::Zero(static_cast<Eigen::Index>(free_.size()));
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const PartSettings& settings = parts[c].settings;
    if (chains_[c].overlap != settings.overlap) find_shape(chains_[c], settings.overlap);
    const double omega = 2 * std::numbers::pi * settings.rate;
    total += omega * omega * chains_[c].period * chains_[c].shape;
  }
  return total;
}

/// Joints of a sheet side by side: 1/2 k |r_a - r_b|^2. It has no energy where all columns swing alike, so that the
/// slowest swing keeps its rate, and columns that would part or cross come together.
Mat ChainSystem::coupling(const Vec& springs) const {
  Mat K;
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const Part& part = *parts[c].part;
    if (part.columns < 2) continue;
    if (K.size() == 0) K = Mat::Zero(springs.size(), springs.size());
    const std::vector<int>& columns = chains_[c].columns;
    const std::size_t per_column = columns.size() / static_cast<std::size_t>(part.columns);
    for (std::size_t a = 0; a + per_column < columns.size(); ++a) {
      const int i = columns[a], j = columns[a + per_column];
      const double k = kTie * 0.5 * (springs[i] + springs[j]);
      K(i, i) += k, K(j, j) += k, K(i, j) -= k, K(j, i) -= k;
    }
  }
  return K;
}

/// The largest moment per metre that an error of all points at once makes.
double ChainSystem::lever() const {
  Vec levers = Vec::Zero(static_cast<Eigen::Index>(free_.size()));
  for (int i = 0; i < J_rest_.points(); ++i)
    for (int e = J_rest_.start[i]; e < J_rest_.start[i + 1]; ++e)
      for (const Chain& chain : chains_) levers[J_rest_.column[e]] += chain.masses[i] * J_rest_.value.col(e).norm();
  return levers.maxCoeff();
}

/// The rounding error of positions in the inertial forces of a step, as moments of the controls.
double ChainSystem::rounding() const {
  Vec s;
  rig_->evaluate(*rig_->make_workspace(), rig_->rest(), s);
  return 1e-15 / (options_.step * options_.step) * s.cwiseAbs().maxCoeff() * lever();
}

SteppedBody ChainSystem::body() {
  SteppedBody body = settings();
  body.rig = rig_, body.free = free_, body.ties = one_point_each(rig_->point_count());
  body.roles.assign(static_cast<std::size_t>(rig_->point_count()), NodeRole::bound);
  for (std::size_t c = 0; c < chains_.size(); ++c) body.groups[c].masses = chains_[c].masses;
  return body;
}

SteppedBody ChainSystem::settings() {
  const Vec springs = stiffness();
  SteppedBody body;
  for (int c = 0; c < static_cast<int>(free_.size()); c += 3)
    body.rods.push_back({.first = c, .bend = springs[c], .twist = springs[c]});
  body.coupling = coupling(springs);
  body.limits.assign(free_.size() / 3, std::numbers::pi);
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const PartSettings& settings = parts[c].settings;
    for (std::size_t b = 0; b < chains_[c].depth.size(); ++b)
      body.limits[chains_[c].columns[3 * b] / 3] =
          std::min(0.95, settings.limit / std::max(0.1, parts[c].scaling)) * std::numbers::pi;
    const double omega = 2 * std::numbers::pi * settings.rate;
    // exp(-3) = 5 % after `settle`: zeta omega = 3 / settle. A sheet that runs into the body or its limits would
    // ripple: of its damping a quarter is proportional to mass, the rest to stiffness, as in flesh.
    const double by_mass = parts[c].part->points.empty() ? 1 : 0.25;
    if (by_mass < 1) {
      body.stiffness_damping = (1 - by_mass) * 6 / (settings.settle * omega * omega);
      body.springs = body.stiffness_damping * springs;
    }
    body.groups.push_back({.name = parts[c].part->name,
                           .damping = by_mass * 6 / settings.settle + calming(parts[c]),
                           .drag = settings.lag * omega * omega,  // a steady velocity v trails by lag v
                           .weight = felt_gravity(parts[c], options_.metres_per_unit),
                           .load = parts[c].load,
                           .travel = settings.travel,
                           .push = settings.push,
                           .wind = parts[c].held,
                           .pull = hold_stiffness(parts[c])});
    body.size = c == 0 ? parts[c].length : std::min(body.size, parts[c].length);
  }
  body.limit_stiffness = springs.maxCoeff();
  body.force_floor = 1e-9 * springs.maxCoeff() + rounding_;  // a solve ends at the moment of 1e-9 radians
  return body;
}

}  // namespace

std::unique_ptr<PartSystem> make_chain_system(const Character& character, std::span<const Part> parts,
                                              const SimulationOptions& options) {
  std::vector<int> chains;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (is_chain(parts[i]) && parts[i].points.empty()) chains.push_back(static_cast<int>(i));
  if (chains.empty()) return nullptr;
  return std::make_unique<ChainSystem>(character, parts, chains, options);
}

std::unique_ptr<PartSystem> make_sheet_system(const Character& character, std::span<const Part> parts, int index,
                                              const SimulationOptions& options) {
  return std::make_unique<ChainSystem>(character, parts, std::span(&index, 1), options);
}

}  // namespace rigspace
