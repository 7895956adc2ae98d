#include "rigspace/testing/check_energy.h"

#include "rigspace/base/decompositions.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace rigspace::testing {
namespace {

// Sums blocks densely, and keeps the worst asymmetry and the most negative eigenvalue of any, relative to its size.
class DenseSink final : public BlockSink {
 public:
  explicit DenseSink(int size) : H(Mat::Zero(size, size)) {}

  void add_coordinates(std::span<const int> coordinates, const double* data) override {
    const int k = static_cast<int>(coordinates.size());
    const Mat block = Eigen::Map<const Mat>(data, k, k);
    const double scale = block.size() ? block.cwiseAbs().maxCoeff() : 0;
    for (const int i : coordinates) out_of_range = out_of_range || i < 0 || i >= H.rows();
    if (out_of_range) return;
    if (scale > 0) {
      asymmetry = std::max(asymmetry, (block - block.transpose()).cwiseAbs().maxCoeff() / scale);
      const double least = symmetric_eigenvalues(block).minCoeff();
      negative = std::max(negative, -least / scale);
    }
    for (int b = 0; b < k; ++b)
      for (int a = 0; a < k; ++a) H(coordinates[a], coordinates[b]) += block(a, b);
  }

  Mat H;
  double asymmetry = 0, negative = 0;
  bool out_of_range = false;
};

class Check {
 public:
  Check(const Energy& energy, In x, const CheckEnergyOptions& options)
      : energy_(energy), x_(x), options_(options), state_(energy.make_state()), random_(options.seed) {}

  LawReport run() {
    refresh();
    const double value = energy_.value(*state_, x_);
    report_.require(std::isfinite(value), "value is " + short_number(value) + " at x; choose an x that is allowed");
    if (!report_.ok()) return report_;
    report_.require(energy_.value(*state_, x_) == value, "value does not repeat itself at the same x and state");
    pick_coordinates();
    gradient();
    if (options_.hessian) hessian();
    projection();
    const double free = energy_.max_step(*state_, x_, x_);
    report_.require(free == 1, "max_step from x to x is " + short_number(free) + "; expected 1");
    support();
    sampling(value);
    return report_;
  }

 private:
  Vec gradient_at(In x, double weight = 1) const {
    Vec g = Vec::Zero(x.size());
    energy_.add_gradient(*state_, x, weight, g);
    return g;
  }
  DenseSink hessian_at(double weight, HessianMode mode) const {
    DenseSink sink(static_cast<int>(x_.size()));
    energy_.add_hessian(*state_, x_, weight, mode, sink);
    return sink;
  }
  double step() const { return 1e-5 * options_.length; }

  void refresh() {
    energy_.refresh(*state_, x_, Phase::step);
    const double before = energy_.value(*state_, x_);
    const Change change = energy_.refresh(*state_, x_, Phase::iteration);
    const double after = energy_.value(*state_, x_);
    report_.require(
        change != Change::none || before == after || (std::isnan(before) && std::isnan(after)),
        "refresh reported Change::none but the value went from " + short_number(before) + " to " + short_number(after));
  }

  void pick_coordinates() {
    std::vector<int> all;
    for (const int point : energy_.support())
      for (int c = 0; c < 3; ++c) all.push_back(3 * point + c);
    if (all.empty()) {
      all.resize(static_cast<std::size_t>(x_.size()));
      std::iota(all.begin(), all.end(), 0);
    }
    std::shuffle(all.begin(), all.end(), random_);
    all.resize(std::min(all.size(), static_cast<std::size_t>(options_.max_coordinates)));
    std::sort(all.begin(), all.end());
    coordinates_ = std::move(all);
  }

  void gradient() {
    const Vec g = gradient_at(x_);
    const double scale = g.size() ? g.cwiseAbs().maxCoeff() : 0;
    report_.require(g.allFinite(), "gradient is not finite");
    report_.require(!options_.require_gradient || scale > 0,
                    "gradient is zero at x, so nothing would be tested; move x");
    Vec trial = x_;
    for (const int i : coordinates_) {
      const auto value = [&](double offset) {
        trial(i) = x_(i) + offset;
        return energy_.value(*state_, trial);
      };
      const double h = step();
      // Fourth order, so that truncation does not limit the step from above.
      const double difference = (8 * (value(h) - value(-h)) - (value(2 * h) - value(-2 * h))) / (12 * h);
      trial(i) = x_(i);
      const double rounding = 1e-14 * std::abs(energy_.value(*state_, x_)) / h;
      report_.require(std::abs(difference - g(i)) <= options_.tolerance * scale + rounding,
                      "gradient differs from differences of the value: coordinate " + std::to_string(i) + " has " +
                          short_number(g(i)) + ", differences give " + short_number(difference));
    }
    Vec again = Vec::Ones(x_.size());
    energy_.add_gradient(*state_, x_, 2.5, again);
    const double off = x_.size() ? (again - Vec::Ones(x_.size()) - 2.5 * g).cwiseAbs().maxCoeff() : 0;
    report_.require(off <= 1e-12 * (1 + scale),
                    "add_gradient does not add weight times the gradient; it is off by " + short_number(off));
  }

  void hessian() {
    const DenseSink exact = hessian_at(1, HessianMode::exact);
    check_blocks(exact, "exact");
    if (exact.out_of_range) return;
    const double scale = exact.H.size() ? exact.H.cwiseAbs().maxCoeff() : 0;
    Vec trial = x_;
    for (const int j : coordinates_) {
      const auto g = [&](double offset) {
        trial(j) = x_(j) + offset;
        return gradient_at(trial);
      };
      const double h = step();
      const Vec difference = (8 * (g(h) - g(-h)) - (g(2 * h) - g(-2 * h))) / (12 * h);
      trial(j) = x_(j);
      int i = 0;
      const double off = (difference - exact.H.col(j)).cwiseAbs().maxCoeff(&i);
      const double rounding = 1e-14 * gradient_at(x_).cwiseAbs().maxCoeff() / h;
      report_.require(off <= options_.tolerance * std::max(scale, difference.cwiseAbs().maxCoeff()) + rounding,
                      "Hessian differs from differences of the gradient: entry (" + std::to_string(i) + ", " +
                          std::to_string(j) + ") is " + short_number(exact.H(i, j)) + ", differences give " +
                          short_number(difference(i)));
    }
    const DenseSink weighted = hessian_at(2.5, HessianMode::exact);
    report_.require((weighted.H - 2.5 * exact.H).cwiseAbs().maxCoeff() <= 1e-12 * (1 + scale),
                    "add_hessian does not scale with the weight");
  }

  void projection() {
    const DenseSink projected = hessian_at(1, HessianMode::projected);
    check_blocks(projected, "projected");
    // Eigenvalues of a block of moderate size carry rounding of some 1e-15 of its entries.
    report_.require(projected.negative <= 1e-10, "a projected Hessian block has an eigenvalue of " +
                                                     short_number(-projected.negative) + " times its largest entry");
    if (!options_.hessian) return;
    const DenseSink exact = hessian_at(1, HessianMode::exact);
    if (exact.negative > 0 || exact.out_of_range) return;
    const double off = exact.H.size() ? (exact.H - projected.H).cwiseAbs().maxCoeff() : 0;
    report_.require(
        off <= 1e-9 * exact.H.cwiseAbs().maxCoeff(),
        "the exact blocks have no negative eigenvalue but the projected Hessian differs, by " + short_number(off));
  }

  void check_blocks(const DenseSink& sink, const std::string& mode) {
    report_.require(!sink.out_of_range, "a Hessian block (" + mode + ") names a coordinate outside x");
    report_.require(sink.H.allFinite(), "Hessian (" + mode + ") is not finite");
    report_.require(sink.asymmetry <= 1e-10, "a Hessian block (" + mode + ") is not symmetric; it is off by " +
                                                 short_number(sink.asymmetry) + " of its largest entry");
  }

  void support() {
    if (energy_.support().empty()) return;
    report_.require(std::is_sorted(energy_.support().begin(), energy_.support().end()), "support is not ascending");
    std::vector<char> read(static_cast<std::size_t>(x_.size()), 0);
    for (const int point : energy_.support()) {
      report_.require(point >= 0 && 3 * point + 2 < x_.size(), "support names point " + std::to_string(point));
      if (!report_.ok()) return;
      std::fill_n(read.begin() + 3 * point, 3, 1);
    }
    Vec moved = x_;
    const Vec g = gradient_at(x_);
    for (int i = 0; i < x_.size(); ++i) {
      if (read[i]) continue;
      moved(i) += options_.length * std::uniform_real_distribution<double>(-1, 1)(random_);
      report_.require(g(i) == 0, "gradient has an entry outside support, at coordinate " + std::to_string(i));
    }
    report_.require(energy_.value(*state_, moved) == energy_.value(*state_, x_),
                    "value depends on points outside support");
    report_.require(gradient_at(moved) == g, "gradient depends on points outside support");
  }

  void sampling(double value) {
    if (energy_.element_count() == 0) return;
    std::vector<WeightedElement> all(static_cast<std::size_t>(energy_.element_count()));
    for (std::size_t e = 0; e < all.size(); ++e) all[e] = {static_cast<int>(e), 1.0};
    const std::unique_ptr<Energy> whole = energy_.sampled(all);
    report_.require(whole != nullptr, "sampled returned nothing though there are elements");
    if (!whole) return;
    const auto state = whole->make_state();
    whole->refresh(*state, x_, Phase::step);
    const double sampled = whole->value(*state, x_);
    report_.require(
        std::abs(sampled - value) <= 1e-10 * std::abs(value),
        "all elements sampled with weight 1 give " + short_number(sampled) + ", the whole is " + short_number(value));
    Vec g = Vec::Zero(x_.size());
    whole->add_gradient(*state, x_, 1, g);
    const Vec expected = gradient_at(x_);
    report_.require((g - expected).norm() <= 1e-10 * expected.norm(),
                    "all elements sampled with weight 1 give another gradient");
  }

  const Energy& energy_;
  const Vec x_;
  const CheckEnergyOptions& options_;
  std::unique_ptr<State> state_;
  std::mt19937 random_;
  std::vector<int> coordinates_;
  LawReport report_;
};

}  // namespace

LawReport check_energy(const Energy& energy, In x, const CheckEnergyOptions& options) {
  return Check(energy, x, options).run();
}

}  // namespace rigspace::testing
