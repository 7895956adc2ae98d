#include "rigspace/io/process_rig.h"

#include "process_batches.h"
#include "rigspace/anim/bound_skin.h"
#include "rigspace/anim/point_joints.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/rig/differences.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

namespace rigspace {
namespace {

constexpr int kMostProcesses = 256;

/// Columns of ds/dp as they come over the wire; blocks of zeros are left out.
void from_columns(const Mat& columns, BlockJacobian& J) {
  const int points = static_cast<int>(columns.rows() / 3), count = static_cast<int>(columns.cols());
  const auto zero = [&](int i, int k) { return (columns.block<3, 1>(3 * i, k).array() == 0).all(); };
  J.columns = count;
  J.start.assign(1, 0);
  J.column.clear();
  for (int i = 0; i < points; ++i) {
    for (int k = 0; k < count; ++k)
      if (!zero(i, k)) J.column.push_back(k);
    J.start.push_back(static_cast<int>(J.column.size()));
  }
  J.value.resize(3, static_cast<Eigen::Index>(J.column.size()));
  for (int i = 0; i < points; ++i)
    for (int e = J.start[i]; e < J.start[i + 1]; ++e) J.value.col(e) = columns.block<3, 1>(3 * i, J.column[e]);
}

}  // namespace

void ProcessRigOptions::validate() const {
  if (command.find_first_not_of(" \t\n") == std::string::npos)
    throw Error({.code = ErrorCode::usage,
                 .element = "rig process",
                 .problem = "has no command",
                 .remedy = "give one, such as 'python3 rig.py'"});
  require_option(processes >= 0 && processes <= kMostProcesses, "number of rig processes", processes,
                 "expected 0 to " + std::to_string(kMostProcesses));
  require_option(handshake_seconds > 0 && std::isfinite(handshake_seconds), "rig process's time to start",
                 handshake_seconds, "expected seconds above 0");
  require_option(answer_seconds > 0 && std::isfinite(answer_seconds), "rig process's time to answer", answer_seconds,
                 "expected seconds above 0");
}

namespace {

void jacobian_of(ProcessBatches& batches, In p, std::span<const int> free, std::span<const int> points,
                 BlockJacobian& J) {
  Mat columns;
  batches.differentiate(p, free, points, columns);
  from_columns(columns, J);
}

void evaluate_one(ProcessBatches& batches, In p, std::span<const int> points, Vec& s) {
  Mat S;
  batches.evaluate(Eigen::Map<const Mat>(p.data(), p.size(), 1), points, S);
  s = S.col(0);
}

Traits traits_of(const ProcessBatches& batches) {
  return {.exact_jacobian = batches.handshake().jacobian,
          .concurrent = false,
          .noise = batches.noise,
          .remembers_poses = batches.remembers()};
}

/// Some points of a rig in other processes.
class SomePoints final : public Rig {
 public:
  SomePoints(std::shared_ptr<ProcessBatches> batches, std::vector<int> points)
      : batches_(std::move(batches)), points_(std::move(points)) {}

  std::span<const Control> controls() const override { return batches_->handshake().controls; }
  int point_count() const override { return static_cast<int>(points_.size()); }
  Traits traits() const override { return traits_of(*batches_); }

  void evaluate(Workspace&, In p, Vec& s) const override {
    s.resize(0);
    if (!points_.empty()) evaluate_one(*batches_, p, points_, s);
  }
  void evaluate_batch(Workspace&, const Mat& P, Mat& S) const override {
    S.resize(0, P.cols());
    if (!points_.empty()) batches_->evaluate(P, points_, S);
  }
  void jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const override {
    if (!traits().exact_jacobian || points_.empty()) return Rig::jacobian(workspace, p, free, J);
    jacobian_of(*batches_, p, free, points_, J);
  }
  std::unique_ptr<Rig> restricted(std::span<const int> points) const override {
    std::vector<int> of_whole;
    for (const int i : points) of_whole.push_back(points_[i]);
    return std::make_unique<SomePoints>(batches_, std::move(of_whole));
  }

 private:
  std::shared_ptr<ProcessBatches> batches_;
  std::vector<int> points_;
};

}  // namespace

ProcessRig::ProcessRig(ProcessRigOptions options) {
  options.validate();
  batches_ = std::make_shared<ProcessBatches>(std::move(options));
  const auto workspace = make_workspace();
  const double noise = batches_->handshake().noise;
  batches_->noise = noise >= 0 ? noise : estimate_noise(*this, *workspace, rest());
}

ProcessRig::~ProcessRig() = default;

std::span<const Control> ProcessRig::controls() const { return batches_->handshake().controls; }
int ProcessRig::point_count() const { return batches_->handshake().point_count; }
std::vector<std::string> ProcessRig::incidents() const { return batches_->conversation().incidents(); }
long ProcessRig::batches() const { return batches_->conversation().batches(); }
long ProcessRig::evaluations() const { return batches_->conversation().evaluations(); }
const std::string& ProcessRig::plain() const { return batches_->handshake().plain; }
Traits ProcessRig::traits() const { return traits_of(*batches_); }

void ProcessRig::evaluate(Workspace&, In p, Vec& s) const {
  assert(p.size() == static_cast<Eigen::Index>(controls().size()));
  evaluate_one(*batches_, p, {}, s);
}

void ProcessRig::evaluate_batch(Workspace&, const Mat& P, Mat& S) const {
  assert(P.rows() == static_cast<Eigen::Index>(controls().size()));
  batches_->evaluate(P, {}, S);
}

void ProcessRig::jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const {
  if (!batches_->handshake().jacobian) return Rig::jacobian(workspace, p, free, J);
  jacobian_of(*batches_, p, free, {}, J);
}

std::unique_ptr<Rig> ProcessRig::restricted(std::span<const int> points) const {
  return std::make_unique<SomePoints>(batches_, std::vector<int>(points.begin(), points.end()));
}

Character start_character(ProcessRigOptions options) {
  auto rig = std::make_shared<ProcessRig>(std::move(options));
  const ProcessHandshake& handshake = rig->batches_->handshake();
  Character character{.name = handshake.name,
                      .rig = rig,
                      .pieces = handshake.pieces,
                      .materials = handshake.materials,
                      .bones = handshake.joints,
                      .clips = handshake.clips,
                      .warnings = handshake.warnings};
  if (const int count = static_cast<int>(handshake.joints.size()); count > 0) {
    auto joints = std::make_shared<PointJoints>();
    for (int k = 0; k < count; ++k) joints->first.push_back(handshake.point_count - 4 * (count - k));
    character.extensions[kPointJoints] = std::move(joints);
  }
  if (handshake.skin) character.extensions[kBoundSkin] = handshake.skin;
  return character;
}

}  // namespace rigspace
