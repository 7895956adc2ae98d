#include "rigspace/testing/check_mapping.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace rigspace::testing {
namespace {

class MappingCheck {
 public:
  MappingCheck(const Mapping& mapping, In q, const CheckMappingOptions& options)
      : mapping_(mapping), q_(q), options_(options), state_(mapping.make_state()), random_(options.seed) {}

  LawReport run() {
    report_.require(q_.size() == mapping_.size_q(), "q has " + std::to_string(q_.size()) + " coordinates, size_q is " +
                                                        std::to_string(mapping_.size_q()));
    if (!report_.ok()) return report_;
    mapping_.refresh(*state_, q_, Phase::step);
    evaluation();
    if (!report_.ok()) return report_;
    mapping_.linearize(*state_, q_);
    for (int i = 0; i < options_.directions; ++i) {
      const Vec dq = random_vector(static_cast<int>(q_.size()));
      jacobian(dq);
      if (!report_.ok()) return report_;
      transpose(dq);
    }
    sink();
    curvature();
    return report_;
  }

 private:
  Vec random_vector(int size) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    return Vec::NullaryExpr(size, [&] { return uniform(random_); });
  }
  Vec evaluate(const Vec& q) {
    Vec x;
    mapping_.evaluate(*state_, q, x);
    return x;
  }
  Vec push(const Vec& dq) {
    Vec dx;
    mapping_.push(*state_, dq, dx);
    return dx;
  }
  Vec pull(const Vec& g) {
    Vec g_q;
    mapping_.pull(*state_, g, g_q);
    return g_q;
  }

  void evaluation() {
    const Vec x = evaluate(q_);
    report_.require(x.size() == mapping_.size_x(), "evaluate gives " + std::to_string(x.size()) +
                                                       " coordinates, size_x is " + std::to_string(mapping_.size_x()));
    report_.require(x.allFinite(), "evaluate is not finite");
    if (!report_.ok()) return;
    mapping_.linearize(*state_, q_);
    const Vec dq = random_vector(static_cast<int>(q_.size()));
    const Vec before = push(dq);
    evaluate(q_ + 1e-2 * dq);
    report_.require(push(dq) == before, "evaluate disturbs the linearisation");
    report_.require(evaluate(q_) == x, "evaluate does not repeat itself");
  }

  void jacobian(const Vec& dq) {
    const Vec dx = push(dq);
    report_.require(dx.size() == mapping_.size_x(), "push gives a vector of another size than x");
    if (!report_.ok() || !options_.exact_jacobian) return;
    report_.require(dx.cwiseAbs().maxCoeff() > 0, "push is zero, so nothing would be tested; choose another q");
    const double h = options_.step;
    const Vec difference = (8 * (evaluate(q_ + h * dq) - evaluate(q_ - h * dq)) -
                            (evaluate(q_ + 2 * h * dq) - evaluate(q_ - 2 * h * dq))) /
                           (12 * h);
    int i = 0;
    const double off = (difference - dx).cwiseAbs().maxCoeff(&i);
    const double rounding = 1e-14 * evaluate(q_).cwiseAbs().maxCoeff() / h;
    report_.require(off <= options_.tolerance * dx.cwiseAbs().maxCoeff() + rounding,
                    "push differs from differences of evaluate: coordinate " + std::to_string(i) + " moves by " +
                        short_number(dx(i)) + ", differences give " + short_number(difference(i)));
  }

  void transpose(const Vec& dq) {
    const Vec g = random_vector(mapping_.size_x()), g_q = pull(g), dx = push(dq);
    report_.require(g_q.size() == q_.size(), "pull gives a vector of another size than q");
    if (!report_.ok()) return;
    const double left = g.dot(dx), right = g_q.dot(dq), scale = g.norm() * dx.norm() + g_q.norm() * dq.norm();
    report_.require(std::abs(left - right) <= 1e-11 * scale, "pull is not the transpose of push: g.(J dq) is " +
                                                                 short_number(left) + ", (J^T g).dq is " +
                                                                 short_number(right));
    const Vec other = random_vector(mapping_.size_x());
    const std::vector<Vec> several{g, other, -g, other};
    std::vector<Vec> pulled(several.size());
    mapping_.pull_each(*state_, several, pulled);
    for (std::size_t k = 0; k < several.size(); ++k)
      report_.require((pulled[k] - pull(several[k])).norm() <= 1e-13 * g_q.norm(), "pull_each differs from pull");
  }

  // Random symmetric blocks through the sink; H itself is summed beside.
  void sink() {
    const int n = mapping_.size_x();
    if (n == 0) return;
    const std::unique_ptr<System> system = mapping_.make_system(*state_);
    report_.require(system->size() == q_.size(), "make_system gives a system of size " +
                                                     std::to_string(system->size()) + ", q has " +
                                                     std::to_string(q_.size()));
    if (!report_.ok()) return;
    for (const bool points : {true, false}) {
      if (points && n % 3 != 0) continue;
      Mat H = Mat::Zero(n, n);
      system->clear();
      BlockSink& to = mapping_.sink(*state_, *system);
      for (int i = 0; i < options_.directions; ++i) add_random_block(points, to, H);
      mapping_.finish(*state_, *system);
      system->finish();
      const Vec dq = random_vector(static_cast<int>(q_.size()));
      Vec arrived;
      system->multiply(dq, arrived);
      const Vec expected = pull(H * push(dq));
      const double off = (arrived - expected).cwiseAbs().maxCoeff();
      report_.require(off <= 1e-10 * (expected.cwiseAbs().maxCoeff() + arrived.cwiseAbs().maxCoeff()),
                      std::string("blocks over ") + (points ? "points" : "coordinates") +
                          " do not arrive in the system as J^T H J; off by " + short_number(off));
    }
  }

  void add_random_block(bool points, BlockSink& to, Mat& H) {
    const int unit = points ? 3 : 1, count = static_cast<int>(H.rows()) / unit, k = std::min(3, count);
    std::vector<int> all(static_cast<std::size_t>(count)), coordinates;
    for (int i = 0; i < count; ++i) all[i] = i;
    std::shuffle(all.begin(), all.end(), random_);
    all.resize(static_cast<std::size_t>(k));
    for (const int id : all)
      for (int c = 0; c < unit; ++c) coordinates.push_back(unit * id + c);
    Mat block =
        Mat::NullaryExpr(unit * k, unit * k, [&] { return std::uniform_real_distribution<double>(-1, 1)(random_); });
    block = (block + block.transpose()).eval();
    if (points)
      to.add(all, block.data());
    else
      to.add_coordinates(all, block.data());
    for (std::size_t b = 0; b < coordinates.size(); ++b)
      for (std::size_t a = 0; a < coordinates.size(); ++a)
        H(coordinates[a], coordinates[b]) += block(static_cast<int>(a), static_cast<int>(b));
  }

  void curvature() {
    if (!report_.ok() || q_.size() == 0) return;
    const Vec g = random_vector(mapping_.size_x());
    const std::unique_ptr<System> system = mapping_.make_system(*state_);
    system->clear();
    mapping_.sink(*state_, *system);
    mapping_.finish(*state_, *system);
    mapping_.linearize(*state_, q_);
    const bool given = mapping_.add_curvature(*state_, g, *system);
    system->finish();
    if (!given) return;
    const Vec dq = random_vector(static_cast<int>(q_.size()));
    Vec added;
    system->multiply(dq, added);
    const auto pulled = [&](double offset) {
      const Vec there = q_ + offset * dq;
      mapping_.linearize(*state_, there);
      return pull(g);
    };
    const double h = options_.step;
    const Vec difference = (8 * (pulled(h) - pulled(-h)) - (pulled(2 * h) - pulled(-2 * h))) / (12 * h);
    mapping_.linearize(*state_, q_);
    const double off = (added - difference).cwiseAbs().maxCoeff(), scale = difference.cwiseAbs().maxCoeff();
    const double rounding = 1e-13 * pull(g).cwiseAbs().maxCoeff() / h;
    report_.require(
        off <= 10 * options_.tolerance * scale + rounding,
        "add_curvature differs from differences of pull: off by " + short_number(off) + " of " + short_number(scale));
  }

  const Mapping& mapping_;
  Vec q_;
  const CheckMappingOptions& options_;
  std::unique_ptr<State> state_;
  std::mt19937 random_;
  LawReport report_;
};

}  // namespace

LawReport check_mapping(const Mapping& mapping, In q, const CheckMappingOptions& options) {
  return MappingCheck(mapping, q, options).run();
}

}  // namespace rigspace::testing
