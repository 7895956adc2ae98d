#include "rigspace/anim/control_modes.h"

#include "rigspace/anim/key_fitting.h"
#include "rigspace/anim/mode_rig.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/black_box.h"
#include "rigspace/rig/skeleton.h"
#include "rigspace/testing/check_rig.h"
#include "support/full_plan.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigspace {
namespace {

using testing::full_plan;

/// Points on a line; control i moves point i by gain[i], so that J is diagonal.
std::shared_ptr<const BlackBoxRig> straight_rig(std::vector<double> gain, double noise = 0) {
  BlackBoxDescription box;
  for (std::size_t i = 0; i < gain.size(); ++i)
    box.controls.push_back(
        {.name = "c" + std::to_string(i), .node = "c", .unit = Unit::length, .rest = 0.5, .typical = 1 / gain[i]});
  box.point_count = static_cast<int>(gain.size());
  box.noise = noise;
  box.evaluate = [gain](In p, Vec& s) {
    s.setZero();
    for (std::size_t i = 0; i < gain.size(); ++i) s[static_cast<Eigen::Index>(3 * i)] = gain[i] * p[i];
  };
  return std::make_shared<BlackBoxRig>(std::move(box));
}

/// Linear keys at 0, 1 .. seconds; a row for each control.
Animation clip_of(const Rig& rig, std::span<const int> controls, const Mat& values) {
  Animation clip{.name = "clip", .duration = static_cast<double>(values.cols() - 1)};
  for (std::size_t i = 0; i < controls.size(); ++i) {
    Track track{.control = rig.controls()[controls[i]].name, .curve = {}};
    for (Eigen::Index k = 0; k < values.cols(); ++k) {
      track.curve.times.push_back(static_cast<double>(k));
      track.curve.values.push_back(values(static_cast<Eigen::Index>(i), k));
    }
    clip.tracks.push_back(std::move(track));
  }
  return clip;
}

const std::vector<int> kFour{0, 1, 2, 3};

TEST(ControlModes, AreWhatTheDataWasMadeOfStrongestFirst) {
  const auto rig = straight_rig({1, 1, 1, 1});
  Vec strong(4), weak(4);
  strong << 0.6, 0, -0.8, 0, weak << 0.8, 0, 0.6, 0;
  Mat values(4, 5);
  const double a[] = {0, 3, 0, -3, 0}, b[] = {0, 0.1, 0.4, 0.1, 0};
  for (int k = 0; k < 5; ++k) values.col(k) = Vec::Constant(4, 0.5) + a[k] * strong + b[k] * weak;
  const Animation clip = clip_of(*rig, kFour, values);
  const ControlModes modes = find_modes(*rig, kFour, std::vector<ModeSample>{{&clip}});
  ASSERT_EQ(modes.count(), 2);  // asked for six, but there are no more
  EXPECT_EQ(modes.controls, (std::vector<int>{0, 2}));
  EXPECT_NEAR(modes.share(), 1, 1e-12);
  EXPECT_GT(modes.modes[0].share, 0.95);
  EXPECT_LT((modes.U.transpose() * modes.U - Mat::Identity(2, 2)).cwiseAbs().maxCoeff(), 1e-12);
  // The larger entry is positive: minus `strong`, and `weak`; the two overlap in no sample but by symmetry.
  EXPECT_LT((modes.U.col(0) - Eigen::Vector2d(-0.6, 0.8)).norm(), 1e-9);
  EXPECT_LT((modes.U.col(1) - Eigen::Vector2d(0.8, 0.6)).norm(), 1e-9);
}

TEST(ControlModes, CountWhatControlsMoveAndNotTheirUnits) {
  // The same rig with its second control in hundredths.
  const auto metres = straight_rig({1, 1, 1}), mixed = straight_rig({1, 0.01, 1});
  Mat values = Mat::Constant(3, 4, 0.5);
  values.middleCols<2>(1) += (Mat(3, 2) << 0.3, 0.1, 0.4, -0.2, 0, 0.2).finished();
  const std::vector<int> three{0, 1, 2};
  const Animation one = clip_of(*metres, three, values);
  values.row(1) = (values.row(1).array() - 0.5) * 100 + 0.5;
  const Animation other = clip_of(*mixed, three, values);
  const ControlModes a = find_modes(*metres, three, std::vector<ModeSample>{{&one}});
  const ControlModes b = find_modes(*mixed, three, std::vector<ModeSample>{{&other}});
  ASSERT_EQ(a.count(), 2);
  ASSERT_EQ(b.count(), 2);
  EXPECT_LT((a.U - b.U).cwiseAbs().maxCoeff(), 1e-8);  // as far as differences give J
  EXPECT_NEAR(b.scale[1] / b.scale[0], 100, 1e-6);
  EXPECT_NEAR(a.modes[0].max, b.modes[0].max, 1e-8);
}

TEST(ControlModes, OfAResultAreThoseOfItsDeviationFromTheBase) {
  const auto rig = straight_rig({1, 1, 1, 1});
  Mat base = Mat::Constant(4, 4, 0.5), soft;
  for (int k = 0; k < 4; ++k) base(0, k) += 10 * k;  // the artist's, and large
  soft = base;
  soft(1, 1) += 0.1, soft(1, 2) -= 0.05;
  const Animation artist = clip_of(*rig, kFour, base), result = clip_of(*rig, kFour, soft);
  const ControlModes modes = find_modes(*rig, kFour, std::vector<ModeSample>{{&result, &artist}});
  ASSERT_EQ(modes.count(), 1);
  EXPECT_EQ(modes.controls, std::vector<int>{1});
  // Limits: from -0.05 to 0.1 and a fifth of that range beyond, in units of scale (four points, one of them moved).
  EXPECT_NEAR(modes.expanded(Vec::Constant(1, modes.modes[0].max))[0], 0.1 + 0.03, 1e-9);
  EXPECT_NEAR(modes.expanded(Vec::Constant(1, modes.modes[0].min))[0], -0.05 - 0.03, 1e-9);
}

class OnAFullRig : public ::testing::Test {
 protected:
  void SetUp() override {
    rig_ = build(plan_).rig;
    const std::vector<std::string> patterns{"c2", "c3", "c4", "belly", "twist", "toe.rx", "toe.rz", "squash"};
    chosen_ = controls_matching(rig_->controls(), patterns);
    // Not toe.ry, which the rig's drivers read: they would not see what sliders add to it. Smooth, of six independent
    // motions, some of them in orientations.
    const auto wave = [](double t, int k) { return std::sin((1 + k) * t + k); };
    base_ = {.name = "Base", .duration = 2, .tracks = {}, .rotations = {}};
    base_.tracks.push_back({"c4.tx", {.times = {0, 1, 2}, .values = {0, 0.2, 0}}});
    RotationTrack swing{.node = "toe"};
    clip_ = base_, clip_.name = "Soft", clip_.tracks.clear();
    RotationTrack soft_swing{.node = "toe"};
    std::vector<Track> tracks;
    for (const int i : chosen_)
      if (rig_->controls()[i].node != "toe") tracks.push_back({rig_->controls()[i].name, {}});
    for (int frame = 0; frame <= 40; ++frame) {
      const double t = frame / 20.0;
      const Quat key(Eigen::AngleAxisd(0.4 * t, Vec3(1, 2, 0).normalized()));
      const Quat soft = key * Quat(rotation_exp(0.1 * Vec3(wave(t, 0), 0, 0.3 * wave(t, 2))));
      swing.times.push_back(t), swing.values.push_back(key.coeffs());
      soft_swing.times.push_back(t), soft_swing.values.push_back(soft.coeffs());
      for (std::size_t k = 0; k < tracks.size(); ++k) {
        const Control& control = rig_->controls()[rig_->find(tracks[k].control)];
        const double below = control.name == "c4.tx" ? base_.tracks[0].curve(t) : control.rest;
        tracks[k].curve.times.push_back(t);
        tracks[k].curve.values.push_back(below + 0.3 * control.typical * wave(t, static_cast<int>(k % 6)));
      }
    }
    clip_.tracks = tracks;
    base_.rotations = {swing}, clip_.rotations = {soft_swing};
    modes_ = find_modes(*rig_, chosen_, std::vector<ModeSample>{sample()}, {.count = 4});
  }

  ModeSample sample() const { return {&clip_, &base_}; }
  static std::vector<double> times() { return {0, 0.15, 0.55, 1, 1.35, 2}; }  // all on frames of the clip

  Vec pose(const Rig& rig, const Animation& clip, double time) const {
    Vec p = rig.rest();
    Sampler(clip, rig.controls()).sample(time, p);
    return p;
  }

  RigPlan plan_ = full_plan();
  std::shared_ptr<const Rig> rig_;
  std::vector<int> chosen_;
  Animation base_, clip_;
  ControlModes modes_;
};

TEST_F(OnAFullRig, OrientationsCountAsRotationVectorsWhereverTheyAreKeyed) {
  // The same motion, with the deviation in rx ry rz and the base's orientation below.
  Animation vectors = clip_;
  vectors.rotations = base_.rotations;
  for (int axis = 0; axis < 3; ++axis)
    vectors.tracks.push_back({std::string("toe.r") + "xyz" [axis], { .times = clip_.rotations[0].times }});
  for (std::size_t k = 0; k < clip_.rotations[0].times.size(); ++k) {
    const Quat difference = Quat(base_.rotations[0].values[k]).conjugate() * Quat(clip_.rotations[0].values[k]);
    const Vec3 r = rotation_log(difference.toRotationMatrix());
    for (int axis = 0; axis < 3; ++axis)
      vectors.tracks[vectors.tracks.size() - 3 + axis].curve.values.push_back(r[axis]);
  }
  const std::vector<ModeSample> samples{{&vectors, &base_}};
  const ControlModes other = find_modes(*rig_, chosen_, samples, {.count = 4, .rate = 20});
  const ControlModes same = find_modes(*rig_, chosen_, std::vector<ModeSample>{sample()}, {.count = 4, .rate = 20});
  ASSERT_EQ(same.controls, other.controls);
  EXPECT_LT((same.U - other.U).cwiseAbs().maxCoeff(), 1e-9);
}

TEST_F(OnAFullRig, ScalingLeavesTheOtherModesAndWhatNoModeHolds) {
  EXPECT_GT(modes_.share(), 0.8);
  EXPECT_LT(modes_.share(), 0.9999);  // something is left that the four do not hold
  const std::vector<double> factors{1, 1.5};
  const Animation edited = scaled_modes(rig_->controls(), modes_, sample(), factors);
  for (const double time : times()) {
    Vec before(modes_.controls.size()), after = before;
    for (std::size_t i = 0; i < modes_.controls.size(); ++i) {
      const int c = modes_.controls[i];
      const Vec base = pose(*rig_, base_, time);
      before[i] = pose(*rig_, clip_, time)[c] - base[c];
      after[i] = pose(*rig_, edited, time)[c] - base[c];
    }
    for (const auto& [d, clip] :
         {std::pair{&before, static_cast<const Animation*>(&clip_)}, std::pair{&after, &edited}}) {
      const Quat turn = Quat(base_.rotations[0](time)).conjugate() * Quat(clip->rotations[0](time));
      const Vec3 r = rotation_log(turn.toRotationMatrix());
      for (std::size_t i = 0; i < modes_.controls.size(); ++i) {
        const std::string& name = rig_->controls()[modes_.controls[i]].name;
        if (name.starts_with("toe.r")) (*d)[static_cast<Eigen::Index>(i)] = r[name.back() - 'x'];
      }
    }
    const Vec r = modes_.reduced(before);
    EXPECT_GT(std::abs(r[1]), 1e-5);
    Vec wanted = r;
    wanted[1] *= 1.5;
    EXPECT_LT((modes_.reduced(after) - wanted).norm(), 1e-10);
    const Vec left = before - modes_.expanded(r), left_after = after - modes_.expanded(wanted);
    EXPECT_LT((left - left_after).norm(), 1e-10);
  }
}

TEST_F(OnAFullRig, ScalingByOneGivesTheInputBack) {
  const Animation same = scaled_modes(rig_->controls(), modes_, sample(), std::vector<double>{1, 1, 1, 1});
  ASSERT_EQ(same.tracks.size(), clip_.tracks.size());
  for (std::size_t k = 0; k < same.tracks.size(); ++k)
    EXPECT_EQ(same.tracks[k].curve.values, clip_.tracks[k].curve.values);
  // Nearly one: everything is rewritten, and hardly moves.
  const double close = std::nextafter(1.0, 2.0);
  const Animation rewritten = scaled_modes(rig_->controls(), modes_, sample(), std::vector<double>{close});
  EXPECT_LT(surface_error(*rig_, clip_, rewritten, times()).distance, 1e-12);
}

TEST_F(OnAFullRig, SlidersHoldTheMotionOnARigThatIsWrittenDown) {
  const SliderOptions named{.name = "soft"};
  RigPlan plan = plan_;
  append_parts(plan, slider_parts(modes_, rig_->controls(), named));
  const auto with = build(plan).rig;
  EXPECT_EQ(with->controls().size(), rig_->controls().size() + 4);
  const Control& slider = with->controls()[with->find("soft_1")];
  EXPECT_EQ(slider.group, "modes");
  EXPECT_EQ(slider.min, modes_.modes[0].min);
  const Animation moved = moved_to_sliders(rig_->controls(), modes_, sample(), mode_controls(modes_, named));
  double most = 0, before = 0, left = 0;  // squares of what the old controls do, as the modes count it
  Vec s, t;
  for (const double time : times()) {
    rig_->evaluate(*rig_->make_workspace(), pose(*rig_, clip_, time), s);
    with->evaluate(*with->make_workspace(), pose(*with, moved, time), t);
    EXPECT_LT((s - t).norm(), 1e-11);
    most = std::max(most, std::abs(pose(*with, moved, time)[with->find("soft_1")]));
    const Vec base = pose(*rig_, base_, time), soft = pose(*rig_, clip_, time), now = pose(*with, moved, time);
    for (std::size_t i = 0; i < modes_.controls.size(); ++i) {
      const int c = modes_.controls[i];
      if (rig_->controls()[c].node == "toe") continue;
      before += std::pow((soft[c] - base[c]) / modes_.scale[i], 2);
      left += std::pow((now[with->find(rig_->controls()[c].name)] - base[c]) / modes_.scale[i], 2);
    }
  }
  EXPECT_GT(most, 0.2 * modes_.modes[0].max);
  EXPECT_GT(left, 0);
  EXPECT_LT(left, 2 * (1 - modes_.share()) * before);  // few moments stand for all: twice the share at most
}

TEST_F(OnAFullRig, IsToTheBitWhatItWasWithSlidersAtZero) {
  RigPlan plan = plan_;
  append_parts(plan, slider_parts(modes_, rig_->controls()));
  const auto with = build(plan).rig;
  const ModeRig wrapped(rig_, modes_);
  Vec s, t, u;
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    const Vec p = testing::random_pose(*rig_, 1, seed);
    Vec q = with->rest(), r = wrapped.rest();
    for (int i = 0; i < p.size(); ++i) q[with->find(rig_->controls()[i].name)] = p[i];
    r.head(p.size()) = p;
    rig_->evaluate(*rig_->make_workspace(), p, s);
    with->evaluate(*with->make_workspace(), q, t);
    wrapped.evaluate(*wrapped.make_workspace(), r, u);
    EXPECT_EQ(s, t);
    EXPECT_EQ(s, u);
  }
}

TEST_F(OnAFullRig, ModesOfAnyRigAreThoseOfAPlan) {
  RigPlan plan = plan_;
  append_parts(plan, slider_parts(modes_, rig_->controls()));
  const auto with = build(plan).rig;
  const ModeRig wrapped(rig_, modes_);
  Vec p = testing::random_pose(wrapped, 0.3, 5), q = with->rest(), s, t;
  for (int i = 0; i < p.size(); ++i) q[with->find(wrapped.controls()[i].name)] = p[i];
  EXPECT_GT(p.tail(4).norm(), 1e-3);
  wrapped.evaluate(*wrapped.make_workspace(), p, s);
  with->evaluate(*with->make_workspace(), q, t);
  EXPECT_LT((s - t).norm(), 1e-12);
}

TEST_F(OnAFullRig, KeepsTheLawsOfRigs) {
  const ModeRig exact(rig_, modes_);
  const testing::CheckRigOptions near{.spread = 0.3, .tolerance = 2e-5};  // IK at the end of its reach, as in rig_plan
  const auto report = testing::check_rig(exact, near);
  EXPECT_TRUE(report.ok()) << report;
  RigPlan plan = plan_;
  append_parts(plan, slider_parts(modes_, rig_->controls()));
  const auto with = testing::check_rig(*build(plan).rig, near);
  EXPECT_TRUE(with.ok()) << with;
}

TEST(ModeRig, OfABlackBoxNeedsTwoEvaluationsAMode) {
  const auto box = straight_rig({1, 2, 0.5, 1});
  Mat values = Mat::Constant(4, 3, 0.5);
  values.col(1) += Vec4(0.1, 0.2, 0.3, 0.1);
  const Animation clip = clip_of(*box, kFour, values);
  const ControlModes modes = find_modes(*box, kFour, std::vector<ModeSample>{{&clip}});
  const ModeRig rig(box, modes);
  const auto report = testing::check_rig(rig);
  EXPECT_TRUE(report.ok()) << report;
  const long before = box->evaluations();
  BlockJacobian J;
  rig.jacobian(*rig.make_workspace(), rig.rest(), std::vector<int>{rig.first_mode()}, J);
  EXPECT_EQ(box->evaluations() - before, 2);
  EXPECT_LT((J.dense()(0, 0) - modes.expanded(Vec::Ones(1))[0]), 1e-8);
}

TEST(ControlModes, SayWhatIsWrong) {
  const auto rig = straight_rig({1, 1});
  const std::vector<int> both{0, 1};
  const Animation still = clip_of(*rig, both, Mat::Constant(2, 3, 0.5));
  EXPECT_THROW(find_modes(*rig, both, std::vector<ModeSample>{{&still}}), Error);
  EXPECT_THROW(find_modes(*rig, both, std::vector<ModeSample>{{&still}}, {.count = 0}), Error);
  EXPECT_THROW(controls_matching(rig->controls(), std::vector<std::string>{"c", "nobody*"}), Error);
  Mat values = Mat::Constant(2, 3, 0.5);
  values(0, 1) = 1;
  const Animation moves = clip_of(*rig, both, values);
  const ControlModes modes = find_modes(*rig, both, std::vector<ModeSample>{{&moves}});
  BlackBoxDescription taken{.controls = {{.name = "mode_1", .node = "mode_1"}}, .point_count = 1};
  taken.evaluate = [](In p, Vec& s) { s.setConstant(p[0]); };
  taken.noise = 0;
  EXPECT_THROW(ModeRig(std::make_shared<BlackBoxRig>(taken), modes), Error);
}

}  // namespace
}  // namespace rigspace
