#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"
#include "rigspace/rig/motion_weights.h"
#include "rigspace/rig/skeleton_extraction.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace rigspace {
namespace {

constexpr double kSeedShare = 0.02;     // of the points begin a new part
constexpr double kLeastShare = 0.004;   // a part with fewer points is given up
constexpr double kBorderSpread = 0.05;  // of the diagonal: how far a joint is expected from the middle of its border

/// The rigid motion that takes points of the rest shape nearest to where they are.
Affine rigid_fit(In rest, In x, const std::vector<int>& points) {
  Vec3 a = Vec3::Zero(), b = Vec3::Zero();
  for (const int i : points) a += point(rest, i), b += point(x, i);
  a /= static_cast<double>(points.size()), b /= static_cast<double>(points.size());
  Mat3 M = Mat3::Zero();
  for (const int i : points) M += (point(x, i) - b) * (point(rest, i) - a).transpose();
  Affine A;
  linear(A) = nearest_rotation(M + 1e-9 * std::max(M.norm(), 1e-300) * Mat3::Identity());
  translation(A) = b - linear(A) * a;
  return A;
}

/// Points in parts that move rigidly.
class MotionParts {
 public:
  MotionParts(const TriMesh& rest, std::span<const Vec> frames, const MotionSkeletonOptions& options)
      : rest_(rest.points), frames_(frames), options_(options), count_(rest.point_count()) {
    part_.assign(count_, 0);
    size_ = bounding_box(rest.points).diagonal();
    fit();
  }

  void run() {
    std::vector<char> whole;  // parts that no division made better
    while (parts() < options_.most_joints) {
      const Vec error = errors();
      if (std::sqrt(error.sum() / (static_cast<double>(count_) * static_cast<double>(frames_.size()))) <=
          options_.tolerance * size_)
        break;
      whole.resize(parts(), 0);
      Vec sum = Vec::Zero(parts());
      for (int i = 0; i < count_; ++i) sum[part_[i]] += whole[part_[i]] != 0 ? 0 : error[i];
      Eigen::Index worst = 0;
      if (sum.maxCoeff(&worst) <= 0) break;
      const std::vector<int> before = part_;
      const int parts_before = parts();
      divide(static_cast<int>(worst), error);
      if (parts() > parts_before) continue;
      part_ = before;
      fit();
      whole.resize(parts(), 0);
      whole[worst] = 1;
    }
  }

  /// How far points are from where their parts go, scene units.
  double rms() const {
    return std::sqrt(errors().sum() / (static_cast<double>(count_) * static_cast<double>(frames_.size())));
  }
  int parts() const { return static_cast<int>(motion_.size()); }
  const std::vector<int>& part() const { return part_; }
  const Affine& motion(int part, std::size_t frame) const { return motion_[part][frame]; }
  std::vector<std::vector<int>> members() const {
    std::vector<std::vector<int>> result;
    for (int i = 0; i < count_; ++i) {
      if (part_[i] >= std::ssize(result)) result.resize(part_[i] + 1);
      result[part_[i]].push_back(i);
    }
    return result;
  }

 private:
  double error_of(int i, const std::vector<Affine>& motion) const {
    double sum = 0;
    for (std::size_t t = 0; t < frames_.size(); ++t)
      sum += (apply(motion[t], point(rest_, i)) - point(frames_[t], i)).squaredNorm();
    return sum;
  }
  Vec errors() const {
    Vec error(count_);
    for (int i = 0; i < count_; ++i) error[i] = error_of(i, motion_[part_[i]]);
    return error;
  }
  std::vector<Affine> motion_of(const std::vector<int>& points) const {
    std::vector<Affine> motion;
    for (const Vec& x : frames_) motion.push_back(rigid_fit(rest_, x, points));
    return motion;
  }

  void fit() {
    drop_small();
    const auto own = members();
    motion_.assign(own.size(), {});
    parallel_ranges(static_cast<int>(own.size()), 1, [&](int begin, int end) {
      for (int k = begin; k < end; ++k) motion_[k] = motion_of(own[k]);
    });
  }

  /// Parts with hardly a point are given up; the others are numbered anew.
  void drop_small() {
    auto own = members();
    const double least = std::max(4.0, kLeastShare * count_);
    std::vector<int> number(own.size(), -1);
    int next = 0;
    for (std::size_t k = 0; k < own.size(); ++k)
      if (static_cast<double>(own[k].size()) >= least || own.size() == 1) number[k] = next++;
    for (int i = 0; i < count_; ++i) part_[i] = std::max(0, number[part_[i]]);
  }

  void divide(int worst, const Vec& error) {
    // From the point that is carried worst, and those of the part around it.
    std::vector<int> own;
    for (int i = 0; i < count_; ++i)
      if (part_[i] == worst) own.push_back(i);
    const int seed = *std::max_element(own.begin(), own.end(), [&](int a, int b) { return error[a] < error[b]; });
    const auto number = std::min<std::size_t>(own.size() / 2 + 1,
                                              std::max<std::size_t>(6, static_cast<std::size_t>(kSeedShare * count_)));
    std::nth_element(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(number) - 1, own.end(), [&](int a, int b) {
      return (point(rest_, a) - point(rest_, seed)).squaredNorm() <
             (point(rest_, b) - point(rest_, seed)).squaredNorm();
    });
    own.resize(number);
    motion_.push_back(motion_of(own));
    for (int round = 0; round < options_.rounds; ++round) {
      parallel_ranges(count_, 256, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
          double best = std::numeric_limits<double>::infinity();
          for (int k = 0; k < parts(); ++k)
            if (const double e = error_of(i, motion_[k]); e < best) best = e, part_[i] = k;
        }
      });
      fit();
    }
  }

  const Vec& rest_;
  std::span<const Vec> frames_;
  const MotionSkeletonOptions& options_;
  int count_;
  double size_ = 0;
  std::vector<int> part_;
  std::vector<std::vector<Affine>> motion_;  // of each part, by frame
};

/// A possible joint between two parts.
struct Border {
  int a = 0, b = 0;
  Vec3 middle = Vec3::Zero();  // of the edges between them
  Vec3 joint = Vec3::Zero();
  double apart = 0;  // how far both motions take the joint from each other, rms
};

/// min_c sum_t |A_t c - B_t c|^2 / noise^2 + |c - middle|^2 / spread^2: the likeliest place where parts move rigidly
/// but for `noise`, so that parts which hardly turn against each other are joined at their border.
void place_joint(const MotionParts& parts, std::size_t frames, double noise_by_spread, Border& border) {
  Mat3 M = Mat3::Zero();
  Vec3 b = Vec3::Zero();
  for (std::size_t t = 0; t < frames; ++t) {
    const Affine D = parts.motion(border.a, t) - parts.motion(border.b, t);
    M += linear(D).transpose() * linear(D);
    b -= linear(D).transpose() * translation(D);
  }
  const double pull = (noise_by_spread * noise_by_spread + 1e-12) * static_cast<double>(frames);
  border.joint = (M + pull * Mat3::Identity()).ldlt().solve(b + pull * border.middle);
  double sum = 0;
  for (std::size_t t = 0; t < frames; ++t)
    sum +=
        (apply(parts.motion(border.a, t), border.joint) - apply(parts.motion(border.b, t), border.joint)).squaredNorm();
  border.apart = std::sqrt(sum / static_cast<double>(frames));
}

std::vector<Border> borders_of(const TriMesh& rest, const MotionParts& parts, std::size_t frames) {
  const Weld welded = weld(rest);
  const EdgeTable edges = edge_table(welded.mesh);
  std::vector<int> part(welded.mesh.point_count(), -1);
  for (int i = 0; i < rest.point_count(); ++i) part[welded.point[i]] = parts.part()[i];
  std::map<std::pair<int, int>, std::pair<Vec3, int>> shared;
  for (const auto& [i, j] : edges.edges) {
    if (part[i] == part[j]) continue;
    auto& own = shared.try_emplace(std::minmax(part[i], part[j]), Vec3::Zero(), 0).first->second;
    own.first += 0.5 * (point(welded.mesh.points, i) + point(welded.mesh.points, j));
    ++own.second;
  }
  const double far = bounding_box(rest.points).diagonal(), noise_by_spread = parts.rms() / (kBorderSpread * far);
  std::vector<Border> borders;
  for (const auto& [pair, own] : shared) borders.push_back({pair.first, pair.second, own.first / own.second});
  // Parts that no edge joins may be joined at the nearest places of their middles.
  std::vector<Vec3> middle(parts.parts(), Vec3::Zero());
  const auto members = parts.members();
  for (int k = 0; k < parts.parts(); ++k) {
    for (const int i : members[k]) middle[k] += point(rest.points, i);
    middle[k] /= static_cast<double>(members[k].size());
  }
  for (Border& each : borders) place_joint(parts, frames, noise_by_spread, each);
  for (int a = 0; a < parts.parts(); ++a)
    for (int b = a + 1; b < parts.parts(); ++b) {
      if (shared.contains({a, b})) continue;
      Border border{a, b, 0.5 * (middle[a] + middle[b])};
      place_joint(parts, frames, noise_by_spread, border);
      border.apart += far + (middle[a] - middle[b]).norm();  // only where nothing else joins them
      borders.push_back(border);
    }
  std::stable_sort(borders.begin(), borders.end(), [](const Border& a, const Border& b) { return a.apart < b.apart; });
  return borders;
}

/// The borders of the smallest spanning tree (Kruskal 1956), of each part.
std::vector<std::vector<const Border*>> spanning_tree(const std::vector<Border>& borders, int parts) {
  std::vector<int> leader(parts);
  std::iota(leader.begin(), leader.end(), 0);
  const auto find = [&](int k) {
    while (leader[k] != k) k = leader[k] = leader[leader[k]];
    return k;
  };
  std::vector<std::vector<const Border*>> tree(parts);
  for (const Border& each : borders) {
    const int a = find(each.a), b = find(each.b);
    if (a == b) continue;
    leader[a] = b;
    tree[each.a].push_back(&each);
    tree[each.b].push_back(&each);
  }
  return tree;
}

/// Parts in an order from `root` outward, with the border by which each was reached.
std::vector<std::pair<int, const Border*>> walk(const std::vector<std::vector<const Border*>>& tree, int root) {
  std::vector<std::pair<int, const Border*>> order = {{root, nullptr}};
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto [at, by] = order[k];
    for (const Border* border : tree[at])
      if (border != by) order.emplace_back(border->a == at ? border->b : border->a, border);
  }
  return order;
}

/// The part from which the farthest is the fewest joints away; of several the one with the most points.
int middle_part(const std::vector<std::vector<const Border*>>& tree, const std::vector<std::vector<int>>& members) {
  int best = 0;
  std::pair<int, double> least = {std::numeric_limits<int>::max(), 0};
  for (int root = 0; root < std::ssize(tree); ++root) {
    std::map<int, int> steps;
    int most = 0;
    for (const auto& [part, by] : walk(tree, root)) {
      steps[part] = by == nullptr ? 0 : steps[by->a == part ? by->b : by->a] + 1;
      most = std::max(most, steps[part]);
    }
    const std::pair<int, double> own = {most, -static_cast<double>(members[root].size())};
    if (own < least) least = own, best = root;
  }
  return best;
}

void check(const TriMesh& rest, std::span<const Vec> frames) {
  rest.validate("the mesh");
  const bool fits = std::all_of(frames.begin(), frames.end(),
                                [&](const Vec& x) { return x.size() == rest.points.size() && x.allFinite(); });
  if (frames.size() < 2 || !fits || rest.point_count() < 4)
    throw Error({.element = "the moving mesh",
                 .problem = "has " + std::to_string(frames.size()) + " frames, of other points, or hardly any points",
                 .remedy = "give two frames or more of the points of the mesh at rest"});
}

}  // namespace

void MotionSkeletonOptions::validate() const {
  require_option(most_joints >= 1 && most_joints <= 200, "most_joints", most_joints, "give 1 to 200");
  require_option(tolerance > 0 && tolerance < 1, "tolerance", tolerance, "give a share of the diagonal");
  require_option(rounds >= 1, "rounds", rounds, "give 1 or more");
}

MotionSkeleton skeleton_from_motion(const TriMesh& rest, std::span<const Vec> frames,
                                    const MotionSkeletonOptions& options) {
  options.validate();
  check(rest, frames);
  MotionParts parts(rest, frames, options);
  parts.run();
  const std::vector<Border> borders = borders_of(rest, parts, frames.size());
  const auto tree = spanning_tree(borders, parts.parts());
  const auto members = parts.members();
  const auto order = walk(tree, middle_part(tree, members));
  MotionSkeleton result;
  std::vector<int> joint(parts.parts(), -1);
  for (const auto& [part, by] : order) {
    joint[part] = static_cast<int>(result.joints.size());
    JointPlace place{.name = by == nullptr ? "root" : "joint" + std::to_string(joint[part])};
    if (by == nullptr) {
      for (const int i : members[part]) place.position += point(rest.points, i);
      place.position /= static_cast<double>(members[part].size());
    } else {
      place.parent = joint[by->a == part ? by->b : by->a];
      place.position = by->joint;
    }
    result.joints.push_back(place);
  }
  for (std::size_t t = 0; t < frames.size(); ++t) {
    result.motions.emplace_back(order.size());
    for (int k = 0; k < parts.parts(); ++k) result.motions.back()[joint[k]] = parts.motion(k, t);
  }
  for (const int k : parts.part()) result.part.push_back(joint[k]);
  const MotionWeights weights = motion_weights(rest.points, result.motions, frames);
  result.weights = weights.influences;
  result.rms = weights.rms;
  return result;
}

std::vector<std::vector<Affine>> rigid_motions(In rest, std::span<const Vec> frames, std::span<const int> part,
                                               int parts) {
  std::vector<std::vector<int>> members(parts);
  for (int i = 0; i < std::ssize(part); ++i) members[part[i]].push_back(i);
  std::vector<std::vector<Affine>> motions;
  for (const Vec& x : frames) {
    motions.emplace_back();
    for (const auto& own : members) motions.back().push_back(own.empty() ? identity_affine() : rigid_fit(rest, x, own));
  }
  return motions;
}

}  // namespace rigspace
