#include "process_batches.h"

#include "rigspace/base/cache.h"

#include <algorithm>

namespace rigspace {
namespace {

constexpr std::ptrdiff_t kWorthKeeping = 4;  // poses near rest, at once: three are evaluated to identify the rig

/// The k-th of `parts` nearly equal ranges of [0, count).
std::pair<std::size_t, std::size_t> part_of(std::size_t count, std::size_t parts, std::size_t k) {
  return {count * k / parts, count * (k + 1) / parts};
}

template <class T>
void append(std::vector<std::byte>& body, std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  body.insert(body.end(), bytes.begin(), bytes.end());
}

Mat rows_of_points(const Mat& all, std::span<const int> points) {
  Mat some(3 * std::ssize(points), all.cols());
  for (std::size_t i = 0; i < points.size(); ++i)
    some.middleRows<3>(3 * static_cast<Eigen::Index>(i)) = all.middleRows<3>(3 * static_cast<Eigen::Index>(points[i]));
  return some;
}

}  // namespace

ProcessBatches::ProcessBatches(ProcessRigOptions options)
    : remember_bytes_(options.remember_bytes), conversation_(options) {
  if (options.cache_rest_poses && remember_bytes_ > 0 && !handshake().jacobian && !cache_folder().empty())
    rest_.emplace(handshake().controls);
}

Eigen::Index ProcessBatches::coordinates(bool some, std::span<const int> points) const {
  return 3 * (some ? std::ssize(points) : static_cast<Eigen::Index>(handshake().point_count));
}

/// What questions 3 and 4 have before what 1 and 2 have.
std::vector<std::byte> ProcessBatches::beginning(std::span<const int> points) const {
  std::vector<std::byte> bytes;
  const std::uint64_t count = points.size();
  const std::vector<std::uint32_t> numbers(points.begin(), points.end());
  append(bytes, std::span(&count, 1));
  append(bytes, std::span<const std::uint32_t>(numbers));
  return bytes;
}

void ProcessBatches::evaluate(Eigen::Ref<const Mat> P, std::span<const int> points, Mat& S) {
  if (remember_bytes_ == 0) return ask(P, points, S);
  const std::lock_guard lock(mutex_);
  ProcessMemory& known =
      known_.try_emplace(std::vector<int>(points.begin(), points.end()), remember_bytes_).first->second;
  S.resize(coordinates(!points.empty(), points), P.cols());
  std::vector<Eigen::Index> open;
  for (Eigen::Index k = 0; k < P.cols(); ++k)
    if (const Vec* s = known.find(P.col(k)))
      S.col(k) = *s;
    else if (!find_in_larger_sets(P.col(k), points, S.col(k)))
      open.push_back(k);
  if (rest_) find_in_rest_cache(P, points, open, S, known);
  if (open.empty()) return;
  Mat answers;
  ask(P(Eigen::all, open), points, answers);
  for (std::size_t k = 0; k < open.size(); ++k) {
    S.col(open[k]) = answers.col(static_cast<Eigen::Index>(k));
    known.add(P.col(open[k]), S.col(open[k]));
    if (rest_) rest_->add(P.col(open[k]), points, S.col(open[k]));
  }
}

/// Takes poses that an earlier run evaluated (RestPoseCache) from the list of open ones.
void ProcessBatches::find_in_rest_cache(Eigen::Ref<const Mat> P, std::span<const int> points,
                                        std::vector<Eigen::Index>& open, Mat& S, ProcessMemory& known) {
  if (!rest_->opened()) {
    const auto near = [&](Eigen::Index k) { return rest_->is_near(P.col(k)); };
    if (std::ranges::count_if(open, near) < kWorthKeeping) return;
    rest_->open([&](const Mat& poses, Mat& answers) { ask(poses, {}, answers); });
  }
  std::erase_if(open, [&](Eigen::Index k) {
    const bool kept = rest_->find(P.col(k), points, S.col(k));
    if (kept) known.add(P.col(k), S.col(k));
    return kept;
  });
}

/// Finds a pose that was evaluated for a larger set of points.
bool ProcessBatches::find_in_larger_sets(In p, std::span<const int> points, Eigen::Ref<Vec> s) {
  if (points.empty()) return false;
  for (auto& [others, memory] : known_) {
    const Vec* known = others.size() > points.size() || others.empty() ? memory.find(p) : nullptr;
    if (known == nullptr || (!others.empty() && !std::ranges::includes(others, points))) continue;
    for (std::size_t i = 0, at = 0; i < points.size(); ++i, ++at) {
      at = others.empty() ? points[i] : std::lower_bound(others.begin() + at, others.end(), points[i]) - others.begin();
      s.segment<3>(3 * static_cast<Eigen::Index>(i)) = known->segment<3>(3 * static_cast<Eigen::Index>(at));
    }
    return true;
  }
  return false;
}

void ProcessBatches::ask(const Mat& P, std::span<const int> points, Mat& S) {
  const bool some = computes_some(points);
  const auto count = static_cast<std::size_t>(P.cols()), width = static_cast<std::size_t>(P.rows());
  const auto size = static_cast<std::size_t>(coordinates(some, points));
  S.resize(static_cast<Eigen::Index>(size), P.cols());
  std::vector<Question> questions(std::min(count, conversation_.ready(count)));
  std::vector<std::vector<std::byte>> bodies(some ? questions.size() : 0);
  for (std::size_t k = 0; k < questions.size(); ++k) {
    const auto [begin, end] = part_of(count, questions.size(), k);
    const std::span<const double> poses(P.data() + begin * width, (end - begin) * width);
    if (some) append(bodies[k] = beginning(points), poses);
    questions[k] = {.kind = some ? ProcessOp::evaluate_some : ProcessOp::evaluate,
                    .count = end - begin,
                    .body = some ? std::span<const std::byte>(bodies[k]) : std::as_bytes(poses),
                    .answer = {S.data() + begin * size, (end - begin) * size},
                    .points = some ? points : std::span<const int>()};
  }
  conversation_.ask(questions);
  if (!some && !points.empty()) S = rows_of_points(S, points);
}

/// Each process gets the pose, then the numbers of its controls.
void ProcessBatches::differentiate(In p, std::span<const int> free, std::span<const int> points, Mat& columns) {
  const bool some = computes_some(points);
  const auto size = static_cast<std::size_t>(coordinates(some, points));
  columns.resize(static_cast<Eigen::Index>(size), std::ssize(free));
  std::vector<Question> questions(std::min(free.size(), conversation_.ready(free.size())));
  std::vector<std::vector<std::byte>> bodies(questions.size());
  for (std::size_t k = 0; k < questions.size(); ++k) {
    const auto [begin, end] = part_of(free.size(), questions.size(), k);
    const std::vector<std::uint32_t> numbers(free.begin() + begin, free.begin() + end);
    if (some) bodies[k] = beginning(points);
    append(bodies[k], std::span<const double>(p.data(), static_cast<std::size_t>(p.size())));
    append(bodies[k], std::span<const std::uint32_t>(numbers));
    questions[k] = {.kind = some ? ProcessOp::jacobian_some : ProcessOp::jacobian,
                    .count = end - begin,
                    .body = bodies[k],
                    .answer = {columns.data() + begin * size, (end - begin) * size},
                    .points = some ? points : std::span<const int>()};
  }
  conversation_.ask(questions);
  if (!some && !points.empty()) columns = rows_of_points(columns, points);
}

}  // namespace rigspace
