#include "optimize/energies.h"
#include "rigspace/testing/check_energy.h"
#include "rigspace/testing/check_mapping.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

using namespace testing;

TEST(CheckEnergy, AcceptsEnergiesThatKeepTheLaws) {
  const Vec x = random_vector(15, 1, 2);
  EXPECT_TRUE(check_energy(Springs::chain(5, 1, 10), x).ok()) << check_energy(Springs::chain(5, 1, 10), x);
  EXPECT_TRUE(check_energy(Springs::chain(3, 1, 10, 1), x).ok());  // with points outside its support
  EXPECT_TRUE(check_energy(Rosenbrock(), random_vector(2, 2)).ok());
  EXPECT_TRUE(check_energy(Pull(Vec::Zero(15), 3), x).ok());
  const Mat R = random_matrix(6, 6, 3);
  EXPECT_TRUE(check_energy(Quadratic(R + R.transpose(), Vec::Ones(6)), random_vector(6, 4)).ok());
  EXPECT_TRUE(check_energy(LogBarrier(1, 2), Vec::Ones(3)).ok());
  EXPECT_GT(check_energy(Springs::chain(5, 1, 10), x).checks(), 30);
}

// A spring chain that breaks one law at a time.
class Lawless final : public Energy {
 public:
  enum class Crime {
    gradient,
    hessian,
    asymmetry,
    weight,
    overwrite,
    indefinite,
    support,
    sampling,
    max_step,
    silent,
    range
  };
  explicit Lawless(Crime crime) : crime_(crime) {}

  double value(const State& s, In x) const override {
    return inner_.value(s, x) + (crime_ == Crime::support ? x(0) : 0) + (crime_ == Crime::silent ? refreshes_ : 0);
  }
  Change refresh(State&, In, Phase) const override { return ++refreshes_, Change::none; }
  void add_gradient(const State& s, In x, double w, Vec& g) const override {
    if (crime_ == Crime::overwrite) g.setZero();
    inner_.add_gradient(s, x, crime_ == Crime::weight ? 1 : w, g);
    if (crime_ == Crime::gradient) g(4) *= 1.001;
    if (crime_ == Crime::support) g(0) += w;
  }
  void add_hessian(const State& s, In x, double w, HessianMode mode, BlockSink& sink) const override {
    const int edge[] = {1, 2};
    Mat H = Mat::Zero(6, 6);
    if (crime_ == Crime::hessian) H(0, 0) = 1e-2;
    if (crime_ == Crime::asymmetry) H(0, 1) = 1e-3, H(1, 0) = -1e-3;
    sink.add(edge, H.data());
    const int outside[] = {7};
    if (crime_ == Crime::range) sink.add(outside, H.data());
    inner_.add_hessian(s, x, w, crime_ == Crime::indefinite ? HessianMode::exact : mode, sink);
  }
  double max_step(const State&, In, In) const override { return crime_ == Crime::max_step ? 0.5 : 1; }
  int element_count() const override { return crime_ == Crime::sampling ? 2 : 0; }
  std::unique_ptr<Energy> sampled(std::span<const WeightedElement>) const override {
    return std::make_unique<Springs>(Springs::chain(3, 0.9, 10, 1));
  }
  std::span<const int> support() const override { return inner_.support(); }

 private:
  Crime crime_;
  Springs inner_ = Springs::chain(3, 1, 10, 1);
  mutable int refreshes_ = 0;
};

TEST(CheckEnergy, NamesTheLawThatIsBroken) {
  using Crime = Lawless::Crime;
  Vec x = random_vector(12, 5, 0.4);  // compressed springs, so that projection matters
  const std::pair<Crime, const char*> crimes[] = {
      {Crime::gradient, "gradient differs from differences"},
      {Crime::hessian, "Hessian differs from differences"},
      {Crime::asymmetry, "not symmetric"},
      {Crime::weight, "add weight times the gradient"},
      {Crime::overwrite, "add weight times the gradient"},
      {Crime::indefinite, "eigenvalue"},
      {Crime::support, "outside support"},
      {Crime::sampling, "sampled"},
      {Crime::max_step, "max_step"},
      {Crime::silent, "Change::none"},
      {Crime::range, "outside x"},
  };
  for (const auto& [crime, sentence] : crimes) {
    const LawReport report = check_energy(Lawless(crime), x);
    EXPECT_FALSE(report.ok()) << sentence;
    EXPECT_NE(report.message().find(sentence), std::string::npos) << report.message();
  }
}

TEST(CheckEnergy, RefusesToTestNothing) {
  const Pull pull(Vec::Zero(3));
  EXPECT_NE(check_energy(pull, Vec::Zero(3)).message().find("gradient is zero"), std::string::npos);
  EXPECT_NE(check_energy(LogBarrier(0, 1), Vec::Constant(3, -1)).message().find("value is inf"), std::string::npos);
}

TEST(CheckMapping, AcceptsMappingsThatKeepTheLaws) {
  const auto expect_lawful = [](const Mapping& mapping, const Vec& q) {
    const LawReport report = check_mapping(mapping, q);
    EXPECT_TRUE(report.ok()) << report;
  };
  expect_lawful(IdentityMapping(12), random_vector(12, 6));
  expect_lawful(IdentityMapping(13), random_vector(13, 6));
  expect_lawful(IdentityMapping(16, 4), random_vector(16, 6));
  expect_lawful(IdentityMapping(15, 6), random_vector(15, 6));
  expect_lawful(LinearMapping(random_vector(24, 7), random_matrix(24, 5, 8)), random_vector(5, 9));
  expect_lawful(LinearMapping(random_vector(300, 7), random_matrix(300, 150, 8)), random_vector(150, 9));
  expect_lawful(Arm(5), random_vector(5, 10));
}

TEST(LinearMapping, NoticesCoordinatesThatWakeUp) {
  // The same stream of blocks, first with zeros in it, then without.
  const LinearMapping mapping(Vec::Zero(6), random_matrix(6, 3, 12));
  const auto state = mapping.make_state();
  const auto system = mapping.make_system(*state);
  const int both[] = {0, 1}, other[] = {4};
  for (const double value : {0.0, 2.0}) {
    Mat H = Mat::Zero(6, 6), block(2, 2);
    block << 1, value, value, 0;
    H.topLeftCorner<2, 2>() = block;
    H(4, 4) = value;
    system->clear();
    BlockSink& sink = mapping.sink(*state, *system);
    sink.add_coordinates(both, block.data());
    sink.add_coordinates(other, &value);
    mapping.finish(*state, *system);
    system->finish();
    const Vec dq = random_vector(3, 13);
    Vec y;
    system->multiply(dq, y);
    EXPECT_LT((y - mapping.basis().transpose() * H * mapping.basis() * dq).norm(), 1e-14);
  }
}

class LawlessArm final : public Mapping {
 public:
  enum class Crime { push, pull, sink, curvature, evaluate, size };
  explicit LawlessArm(Crime crime) : crime_(crime) {}
  int size_q() const override { return 4; }
  int size_x() const override { return 12; }
  std::unique_ptr<State> make_state() const override { return arm_.make_state(); }
  std::unique_ptr<System> make_system(const State& s) const override {
    if (crime_ == Crime::size) return std::make_unique<DenseSystem>(3);
    return arm_.make_system(s);
  }
  void evaluate(State& s, In q, Vec& x) const override {
    arm_.evaluate(s, q, x);
    if (crime_ == Crime::evaluate) arm_.linearize(s, q);
  }
  void linearize(State& s, In q) const override { arm_.linearize(s, q); }
  void push(const State& s, In dq, Vec& dx) const override {
    arm_.push(s, dq, dx);
    if (crime_ == Crime::push) dx(4) += 1e-3 * dq(0);
  }
  void pull(const State& s, In g, Vec& g_q) const override {
    arm_.pull(s, g, g_q);
    if (crime_ == Crime::pull) g_q(1) *= 1.0001;
  }
  bool add_curvature(State& s, In g, System& system) const override {
    if (crime_ == Crime::curvature) return arm_.add_curvature(s, 1.01 * g, system);
    return arm_.add_curvature(s, g, system);
  }
  BlockSink& sink(State& s, System& system) const override { return arm_.sink(s, system); }
  void finish(State&, System& system) const override {
    if (crime_ == Crime::sink) dynamic_cast<DenseSystem&>(system).matrix()(0, 0) *= 1.01;
  }

 private:
  Crime crime_;
  Arm arm_{4};
};

TEST(CheckMapping, NamesTheLawThatIsBroken) {
  using Crime = LawlessArm::Crime;
  const std::pair<Crime, const char*> crimes[] = {
      {Crime::push, "push differs from differences"},
      {Crime::pull, "pull is not the transpose"},
      {Crime::sink, "do not arrive"},
      {Crime::curvature, "add_curvature differs"},
      {Crime::evaluate, "disturbs the linearisation"},
      {Crime::size, "make_system gives"},
  };
  for (const auto& [crime, sentence] : crimes) {
    const LawReport report = check_mapping(LawlessArm(crime), random_vector(4, 11));
    EXPECT_FALSE(report.ok()) << sentence;
    EXPECT_NE(report.message().find(sentence), std::string::npos) << report.message();
  }
  EXPECT_FALSE(check_mapping(Arm(3), Vec::Zero(2)).ok());
}

}  // namespace
}  // namespace rigspace
