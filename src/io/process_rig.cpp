#include "rigspace/io/process_rig.h"

#include "process_conversation.h"
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

/// The k-th of `parts` nearly equal ranges of [0, count).
std::pair<std::size_t, std::size_t> part_of(std::size_t count, std::size_t parts, std::size_t k) {
  return {count * k / parts, count * (k + 1) / parts};
}

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
  require_option(processes >= 1 && processes <= kMostProcesses, "number of rig processes", processes,
                 "expected 1 to " + std::to_string(kMostProcesses));
  require_option(handshake_seconds > 0 && std::isfinite(handshake_seconds), "rig process's time to start",
                 handshake_seconds, "expected seconds above 0");
  require_option(answer_seconds > 0 && std::isfinite(answer_seconds), "rig process's time to answer", answer_seconds,
                 "expected seconds above 0");
}

struct ProcessRig::Content {
  ProcessConversation conversation;
  double noise = 0;

  explicit Content(ProcessRigOptions options) : conversation(std::move(options)) {}

  const ProcessHandshake& rig() const { return conversation.handshake(); }
  std::size_t coordinates() const { return 3 * static_cast<std::size_t>(rig().point_count); }

  /// s of `count` poses, one behind the other, shared out among the processes.
  void evaluate(const double* poses, std::size_t count, double* answer) {
    const std::size_t width = rig().controls.size();
    std::vector<Question> questions(std::min(count, conversation.processes()));
    for (std::size_t k = 0; k < questions.size(); ++k) {
      const auto [begin, end] = part_of(count, questions.size(), k);
      questions[k] = {.kind = ProcessOp::evaluate,
                      .count = end - begin,
                      .body = std::as_bytes(std::span(poses + begin * width, (end - begin) * width)),
                      .answer = {answer + begin * coordinates(), (end - begin) * coordinates()}};
    }
    conversation.ask(questions);
  }

  /// ds/dp, the columns of `free` one behind the other. Each process gets the pose, then the numbers of its controls.
  void differentiate(In p, std::span<const int> free, double* answer) {
    std::vector<Question> questions(std::min(free.size(), conversation.processes()));
    std::vector<std::vector<std::byte>> bodies(questions.size());
    for (std::size_t k = 0; k < questions.size(); ++k) {
      const auto [begin, end] = part_of(free.size(), questions.size(), k);
      const std::vector<std::uint32_t> columns(free.begin() + begin, free.begin() + end);
      const auto pose = std::as_bytes(std::span(p.data(), static_cast<std::size_t>(p.size())));
      const auto numbers = std::as_bytes(std::span(columns));
      bodies[k].assign(pose.begin(), pose.end());
      bodies[k].insert(bodies[k].end(), numbers.begin(), numbers.end());
      questions[k] = {.kind = ProcessOp::jacobian,
                      .count = end - begin,
                      .body = bodies[k],
                      .answer = {answer + begin * coordinates(), (end - begin) * coordinates()}};
    }
    conversation.ask(questions);
  }
};

ProcessRig::ProcessRig(ProcessRigOptions options) {
  options.validate();
  content_ = std::make_unique<Content>(std::move(options));
  const auto workspace = make_workspace();
  content_->noise = content_->rig().noise >= 0 ? content_->rig().noise : estimate_noise(*this, *workspace, rest());
}

ProcessRig::~ProcessRig() = default;

std::span<const Control> ProcessRig::controls() const { return content_->rig().controls; }
int ProcessRig::point_count() const { return content_->rig().point_count; }
std::vector<std::string> ProcessRig::incidents() const { return content_->conversation.incidents(); }
long ProcessRig::batches() const { return content_->conversation.batches(); }

Traits ProcessRig::traits() const {
  return {.exact_jacobian = content_->rig().jacobian, .concurrent = false, .noise = content_->noise};
}

void ProcessRig::evaluate(Workspace&, In p, Vec& s) const {
  assert(p.size() == static_cast<Eigen::Index>(controls().size()));
  s.resize(static_cast<Eigen::Index>(content_->coordinates()));
  content_->evaluate(p.data(), 1, s.data());
}

void ProcessRig::evaluate_batch(Workspace&, const Mat& P, Mat& S) const {
  assert(P.rows() == static_cast<Eigen::Index>(controls().size()));
  S.resize(static_cast<Eigen::Index>(content_->coordinates()), P.cols());
  content_->evaluate(P.data(), static_cast<std::size_t>(P.cols()), S.data());
}

void ProcessRig::jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const {
  if (!content_->rig().jacobian) return Rig::jacobian(workspace, p, free, J);
  Mat columns(static_cast<Eigen::Index>(content_->coordinates()), static_cast<Eigen::Index>(free.size()));
  content_->differentiate(p, free, columns.data());
  from_columns(columns, J);
}

Character start_character(ProcessRigOptions options) {
  auto rig = std::make_shared<ProcessRig>(std::move(options));
  const ProcessHandshake& told = rig->content_->rig();
  return {.name = told.name, .rig = rig, .pieces = told.pieces, .materials = told.materials};
}

}  // namespace rigspace
