#include "rigspace/anim/pose_correctives.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

namespace rigspace {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;
constexpr double kHolds = 0.01;  // least skin weight of a joint that holds a point
constexpr double kFlat = 1e-9;   // of a determinant, relative to its matrix' size

/// The shortest text that reads back as the same number.
std::string text(double number) {
  std::array<char, 32> digits;
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

/// How a joint is turned from rest, three numbers in degrees: twice the vector of its quaternion relative to rest,
/// which is the rotation vector to second order, plus the turn that is laid on top.
struct Turn {
  std::string node;
  int first = 0;  ///< of its controls qx qy qz qw rx ry rz
  Quat rest;

  static constexpr int kQuaternion = 0, kTurn = 4;

  Vec3 at(In p) const {
    const Quat q(p[first + 3], p[first], p[first + 1], p[first + 2]);
    const Quat relative = rest.conjugate() * q.normalized();
    const Vec3 r(p[first + kTurn], p[first + kTurn + 1], p[first + kTurn + 2]);
    return kDegrees * ((relative.w() < 0 ? -2 : 2) * relative.vec() + r);
  }

  /// The same as expressions of a rig file.
  std::vector<plan::Value> inputs() const {
    const auto name = [&](const char* channel) { return std::string("'") + node + "." + channel + "'"; };
    const std::array<std::string, 4> q = {name("qx"), name("qy"), name("qz"), name("qw")};
    const double x = rest.x(), y = rest.y(), z = rest.z(), w = rest.w();
    const auto sum = [&](double a, double b, double c, double d) {
      return text(a) + "*" + q[0] + " + " + text(b) + "*" + q[1] + " + " + text(c) + "*" + q[2] + " + " + text(d) +
             "*" + q[3];
    };
    std::string factor = "(";
    factor += sum(x, y, z, w) + " < 0 ? " + text(-2 * kDegrees) + " : " + text(2 * kDegrees) + ")/sqrt(";
    factor += q[0] + "^2 + " + q[1] + "^2 + " + q[2] + "^2 + " + q[3] + "^2)*(";
    return {factor + sum(w, z, -y, -x) + ") + " + name("rx"), factor + sum(-z, w, x, -y) + ") + " + name("ry"),
            factor + sum(y, -x, w, -z) + ") + " + name("rz")};
  }
};

/// One joint's examples, and its columns among all unknown shapes.
struct Driver {
  Turn turn;
  plan::PoseWeights poses;
  int column = 0;
};

class Fit {
 public:
  Fit(const RigPlan& plan, const Rig& rig, std::span<const PoseSample> samples, const CorrectiveOptions& options)
      : plan_(plan), rig_(rig), samples_(samples), options_(options) {}

  Correctives make() {
    find_holders();
    find_drivers();
    weigh();
    collect();
    solve();
    return result();
  }

 private:
  int shapes() const { return static_cast<int>(A_.cols()); }

  /// The joints that hold each point, and the next ones along the skeleton.
  void find_holders() {
    std::map<std::string, std::string> parent;
    for (const plan::Node& node : plan_.nodes) parent[node.name] = node.parent;
    std::map<std::string, std::set<std::string>> beside;
    for (const auto& [node, above] : parent)
      beside[node].insert(node), beside[node].insert(above), beside[above].insert(node);
    holders_.resize(static_cast<std::size_t>(rig_.point_count()));
    for (const plan::Deformer& deformer : plan_.deformers) {
      const auto* skin = std::get_if<plan::Skin>(&deformer.kind);
      if (skin == nullptr || deformer.pieces.size() != 1) continue;
      const auto run = std::find_if(plan_.pieces.begin(), plan_.pieces.end(),
                                    [&](const plan::PointRun& each) { return each.name == deformer.pieces[0]; });
      for (std::size_t k = 0; run != plan_.pieces.end() && k < skin->influences.size(); ++k)
        for (const Influence& influence : skin->influences[k]) {
          if (influence.weight < kHolds) continue;
          const std::set<std::string>& near = beside[skin->joints[static_cast<std::size_t>(influence.joint)]];
          holders_[static_cast<std::size_t>(run->first) + k].insert(near.begin(), near.end());
        }
    }
  }

  /// Joints that turn, with examples: rest, and again and again the pose that is farthest from those chosen.
  void find_drivers() {
    std::set<std::string> holding;
    for (const auto& holders : holders_) holding.insert(holders.begin(), holders.end());
    for (const std::string& node : holding) {
      Turn turn{node, rig_.find(node + ".qx"), {}};
      if (turn.first < 0 || rig_.find(node + ".rz") != turn.first + Turn::kTurn + 2) continue;
      const Vec rest = rig_.rest();
      turn.rest = Quat(rest[turn.first + 3], rest[turn.first], rest[turn.first + 1], rest[turn.first + 2]).normalized();
      std::vector<Vec3> turns, chosen = {Vec3::Zero()};
      for (const PoseSample& sample : samples_) turns.push_back(turn.at(sample.p));
      while (std::ssize(chosen) <= options_.most_examples) {
        double farthest = 0;
        Vec3 next = Vec3::Zero();
        for (const Vec3& each : turns) {
          double nearest = (each - chosen[0]).norm();
          for (const Vec3& known : chosen) nearest = std::min(nearest, (each - known).norm());
          if (nearest > farthest) farthest = nearest, next = each;
        }
        if (farthest < options_.least_turn) break;
        chosen.push_back(next);
      }
      if (chosen.size() < 2) continue;
      Driver driver{std::move(turn), {.name = "fix_" + plain(node), .inputs = {}, .examples = {}}};
      driver.poses.kernel = PoseKernel::linear;
      for (const Vec3& each : chosen) driver.poses.examples.push_back({each.x(), each.y(), each.z()});
      driver.poses.inputs = driver.turn.inputs();
      drivers_.push_back(std::move(driver));
    }
    if (drivers_.empty())
      throw Error({.element = "correctives",
                   .problem = "find no joint of a skin that turns by " + text(options_.least_turn) +
                              " degrees in the poses given",
                   .remedy = "give clips that move the skeleton"});
  }

  /// Names of values hold letters, digits and _ alone.
  std::string plain(const std::string& node) {
    std::string name;
    for (const char c : node) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    while (!names_.insert(name).second) name += "_";
    return name;
  }

  /// A: a row a sample, a column a shape. By the graph's own operator, so that fit and file agree.
  void weigh() {
    int count = 0;
    for (Driver& driver : drivers_) driver.column = count, count += static_cast<int>(driver.poses.examples.size()) - 1;
    A_.resize(std::ssize(samples_), count);
    for (const Driver& driver : drivers_) {
      auto graph = std::make_shared<ControlGraph>();
      PoseWeights weights{.name = driver.poses.name, .inputs = {}, .examples = driver.poses.examples};
      weights.kernel = driver.poses.kernel;
      for (const char* axis : {"x", "y", "z"})
        weights.inputs.push_back(Source::of_slot(add_scalar(*graph, {.name = axis, .node = {}})));
      const std::vector<int> slots = add_pose_weights(*graph, weights);
      const BuiltInRig rig(graph, Vec(), std::vector<std::shared_ptr<const Deformer>>{});
      const auto workspace = rig.make_workspace();
      Vec u;
      for (std::size_t f = 0; f < samples_.size(); ++f) {
        rig.evaluate_slots(*workspace, driver.turn.at(samples_[f].p), u);
        for (std::size_t e = 1; e < slots.size(); ++e)
          A_(static_cast<Eigen::Index>(f), driver.column + static_cast<Eigen::Index>(e) - 1) =
              u[graph->slots()[static_cast<std::size_t>(slots[e])].offset];
      }
    }
  }

  /// d, a row a sample.
  void collect() {
    const auto workspace = rig_.make_workspace();
    D_.resize(std::ssize(samples_), 3 * rig_.point_count());
    Vec s;
    std::vector<Mat3> B;
    for (std::size_t f = 0; f < samples_.size(); ++f) {
      const PoseSample& sample = samples_[f];
      rig_.evaluate(*workspace, sample.p, s);
      if (!rig_.rest_jacobian(*workspace, sample.p, B))
        throw Error({.element = "the rig",
                     .problem = "has no derivative by its points at rest",
                     .remedy = "give a rig of joints and skin"});
      for (int i = 0; i < rig_.point_count(); ++i) {
        const Mat3& Bi = B[static_cast<std::size_t>(i)];
        const bool turns = std::abs(Bi.determinant()) > kFlat * std::pow(Bi.norm(), 3);
        const Vec3 lacks = point(sample.points, i) - point(s, i);
        D_.block<1, 3>(static_cast<Eigen::Index>(f), 3 * i) =
            (turns ? Vec3(Bi.inverse() * lacks) : Vec3(Vec3::Zero())).transpose();
      }
    }
  }

  void solve() {
    const Mat G = A_.transpose() * A_, R = A_.transpose() * D_;
    const double ridge = options_.ridge * G.trace() / shapes() + 1e-12;
    std::map<std::vector<int>, std::vector<int>> points_of;  // by the columns that may move them
    for (int i = 0; i < rig_.point_count(); ++i) {
      std::vector<int> columns;
      for (const Driver& driver : drivers_)
        if (holders_[static_cast<std::size_t>(i)].contains(driver.turn.node))
          for (std::size_t e = 1; e < driver.poses.examples.size(); ++e)
            columns.push_back(driver.column + static_cast<int>(e) - 1);
      if (!columns.empty()) points_of[columns].push_back(i);
    }
    S_ = Mat::Zero(shapes(), 3 * rig_.point_count());
    for (const auto& [columns, points] : points_of) {
      Mat K = G(columns, columns);
      K.diagonal().array() += ridge;
      const Eigen::LDLT<Mat> factors(K);
      for (const int i : points) {
        const Mat own = factors.solve(R(columns, Eigen::seqN(3 * i, 3)));
        for (std::size_t k = 0; k < columns.size(); ++k)
          S_.block<1, 3>(columns[k], 3 * i) = own.row(static_cast<Eigen::Index>(k));
      }
    }
  }

  Correctives result() const {
    Correctives result;
    double largest = 0;
    for (Eigen::Index i = 0; i < S_.cols(); i += 3)
      largest = std::max(largest, S_.middleCols(i, 3).rowwise().norm().maxCoeff());
    for (const Driver& driver : drivers_) {
      bool used = false;
      for (std::size_t e = 1; e < driver.poses.examples.size(); ++e) {
        const Eigen::Index row = driver.column + static_cast<Eigen::Index>(e) - 1;
        plan::Shape shape{
            .name = driver.poses.name + "_" + std::to_string(e + 1),
            .weight = plan::Value(std::string("'") + driver.poses.name + "." + std::to_string(e + 1) + "'"),
            .points = {},
            .offsets = {}};
        for (int i = 0; i < rig_.point_count(); ++i) {
          const Vec3 offset = S_.block<1, 3>(row, 3 * i).transpose();
          if (offset.norm() > options_.least_offset * largest)
            shape.points.push_back(i), shape.offsets.push_back(offset);
        }
        if (shape.points.empty()) continue;
        result.shapes.push_back(std::move(shape)), used = true;
      }
      if (used) result.poses.push_back(driver.poses);
    }
    return result;
  }

  const RigPlan& plan_;
  const Rig& rig_;
  std::span<const PoseSample> samples_;
  const CorrectiveOptions& options_;
  std::vector<std::set<std::string>> holders_;  // per point
  std::vector<Driver> drivers_;
  std::set<std::string> names_;
  Mat A_, D_, S_;  // weights; what points lack; shapes, a row each
};

}  // namespace

void CorrectiveOptions::validate() const {
  const auto require = [](bool good, const char* name, double value, const char* expected) {
    if (!good) throw Error({.element = name, .value = text(value), .problem = "is out of range", .remedy = expected});
  };
  require(most_examples >= 1 && most_examples <= 100, "most_examples", most_examples, "expected 1 to 100");
  require(least_turn > 0, "least_turn", least_turn, "expected degrees above 0");
  require(ridge >= 0, "ridge", ridge, "expected 0 or more");
  require(least_offset >= 0 && least_offset < 1, "least_offset", least_offset, "expected a share from 0 to 1");
}

Correctives fit_correctives(const RigPlan& plan, const Rig& rig, std::span<const PoseSample> samples,
                            const CorrectiveOptions& options) {
  options.validate();
  if (samples.empty())
    throw Error({.element = "correctives", .problem = "have no pose to be fitted to", .remedy = "give a clip"});
  for (const PoseSample& sample : samples)
    if (sample.p.size() != std::ssize(rig.controls()) || sample.points.size() != 3 * rig.point_count())
      throw Error({.element = "a pose with its simulation",
                   .value = std::to_string(sample.points.size() / 3),
                   .problem = "has " + std::to_string(sample.points.size() / 3) + " points where the rig has " +
                              std::to_string(rig.point_count()),
                   .remedy = "take the simulation of the same character"});
  return Fit(plan, rig, samples, options).make();
}

BakeError corrective_error(const Rig& rig, const Rig& corrected, std::span<const PoseSample> samples) {
  const auto workspace = rig.make_workspace(), own = corrected.make_workspace();
  BakeErrorSum sum(rig.point_count());
  Vec before, after;
  for (const PoseSample& sample : samples) {
    rig.evaluate(*workspace, sample.p, before);
    corrected.evaluate(*own, sample.p, after);
    sum.add(sample.points, before, after);
  }
  return sum.error();
}

}  // namespace rigspace
