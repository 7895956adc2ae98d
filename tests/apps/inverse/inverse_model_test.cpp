#include "rigspace/apps/inverse/printed_refinement.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/cast/cast.h"
#include "rigspace/testing/check_rig.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

namespace rigspace {
namespace {

/// Frames of a clip as targets, with the poses that they come from.
struct Targets {
  std::vector<Vec> p, x;
};

Targets targets_of(const InverseModel& model, const Character& character, std::string_view clip, int frames) {
  Targets targets;
  const Animation& animation = *character.clip(clip);
  for (int k = 0; k < frames; ++k) {
    targets.p.push_back(pose_at(character, &animation, animation.duration * (k + 0.5) / frames));
    model.features().evaluate(targets.p.back(), targets.x.emplace_back());
  }
  return targets;
}

double root_mean_square(const std::vector<double>& values) {
  double sum = 0;
  for (const double each : values) sum += each * each;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

/// Joint error (share of the size) and ground-truth error (typical changes) over a clip.
std::pair<double, double> errors(const InverseModel& model, const Targets& targets, const RefineOptions& options) {
  std::vector<double> joints, controls;
  for (std::size_t k = 0; k < targets.x.size(); ++k) {
    const InversePose pose = model.solve(targets.x[k], options);
    joints.push_back(pose.joint_error);
    const Vec zero = Vec::Zero(model.coordinates().size());
    const Vec truth = model.coordinates().coordinates(targets.p[k], zero);
    controls.push_back((model.coordinates().coordinates(pose.p, truth) - truth).norm());
  }
  return {root_mean_square(joints), root_mean_square(controls)};
}

class InverseOfPeanut : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    character_ = new Character(make_character("peanut", Version::skeleton));
    InverseTraining training{.samples = 60, .learn_jacobian = true, .local = 40};
    for (const Animation& clip : character_->clips)
      if (clip.name != kUnseen) training.clips.push_back(clip.name);
    model_ = new InverseModel(*character_, training);
  }
  static void TearDownTestSuite() {
    delete model_;
    delete character_;
  }
  static constexpr std::string_view kUnseen = "Walk";
  static inline Character* character_ = nullptr;
  static inline InverseModel* model_ = nullptr;
};

TEST_F(InverseOfPeanut, RefinementBringsTheJointsOfAnUnseenClipToTheirTargets) {
  const Targets targets = targets_of(*model_, *character_, kUnseen, 12);
  const auto [joints_predicted, controls_predicted] = errors(*model_, targets, {.max_iterations = 0});
  const auto [joints_refined, controls_refined] = errors(*model_, targets, {});
  EXPECT_LT(joints_refined, 0.2 * joints_predicted);
  EXPECT_LT(joints_refined, 2e-3);
  EXPECT_LT(controls_refined, 1.05 * controls_predicted) << "controls do not drift away from those of the animator";
}

TEST_F(InverseOfPeanut, ReturnsExamplesAsTheyWere) {
  const Targets targets = targets_of(*model_, *character_, "Dance", 6);
  EXPECT_LT(errors(*model_, targets, {}).first, 1e-3);
}

TEST_F(InverseOfPeanut, AMovedAndTurnedTargetGivesTheSamePoseMovedAndTurned) {
  ASSERT_TRUE(model_->root().moves());
  ASSERT_TRUE(model_->root().turns());
  const Targets targets = targets_of(*model_, *character_, kUnseen, 3);
  for (const Vec& x : targets.x) {
    Vec moved(x.size());
    const Mat3 R = heading_rotation(2.5);
    const Vec3 by(3, 0.5, -2);
    for (int k = 0; k < model_->features().count(); ++k) point(moved, k) = R * point(x, k) + by;
    const InversePose here = model_->solve(x), there = model_->solve(moved);
    EXPECT_NEAR(here.joint_error, there.joint_error, 1e-9);
    EXPECT_LT((here.y - there.y).norm(), 1e-6);
    Vec x_here, x_there;
    model_->features().evaluate(here.p, x_here);
    model_->features().evaluate(there.p, x_there);
    for (int k = 0; k < model_->features().count(); ++k)
      EXPECT_LT((R * point(x_here, k) + by - point(x_there, k)).norm(), 1e-6 * model_->size());
  }
}

TEST_F(InverseOfPeanut, SaysWhereItGuesses) {
  Vec x = targets_of(*model_, *character_, "Dance", 1).x[0];
  EXPECT_FALSE(model_->predict(x).guessed);
  for (int k = 0; k < model_->features().count(); k += 2) point(x, k) += model_->size() * Vec3(0.5, 0.8, 0);
  const InversePose far = model_->predict(x);
  EXPECT_TRUE(far.guessed);
  EXPECT_GT(far.uncertainty, 2);
}

TEST_F(InverseOfPeanut, IsTheSameAfterSavingAndRefusesWhatIsNotItsOwn) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "inverse_model_test.inverse";
  model_->save(path, "peanut.glb");
  EXPECT_EQ(InverseModel::rig_file_of(path), "peanut.glb");
  const InverseModel again = InverseModel::load(path, *character_);
  const Vec x = targets_of(*model_, *character_, kUnseen, 1).x[0];
  EXPECT_EQ(again.solve(x).p, model_->solve(x).p);
  EXPECT_THROW(InverseModel::load(path, make_character("bobbin", Version::skeleton)), Error);
  std::vector<std::byte> bytes = read_file(path);
  bytes[bytes.size() / 2] ^= std::byte{1};
  write_file(path, bytes);
  EXPECT_THROW(InverseModel::load(path, *character_), Error);
  write_file(path, std::string_view("glTF"));
  EXPECT_THROW(InverseModel::load(path, *character_), Error);
  std::filesystem::remove(path);
}

TEST_F(InverseOfPeanut, RefusesTargetsThatAreNone) {
  EXPECT_THROW(model_->solve(Vec::Zero(3)), Error);
  EXPECT_THROW(model_->solve(Vec::Constant(3 * model_->features().count(), NAN)), Error);
}

TEST_F(InverseOfPeanut, LearnedJacobianIsTheRigsAtSamplesAndNearItElsewhere) {
  const LearnedJacobian& learned = *model_->learned_jacobian();
  const auto error = [&](In f, In y) {
    const PoseCoordinates& coordinates = model_->coordinates();
    const Mat J =
        model_->features().jacobian(coordinates.pose(y), coordinates.chosen()) * coordinates.typical().asDiagonal();
    return (learned.predict(model_->regression().basis(f)) - J).norm() / J.norm();
  };
  const Mat& samples = model_->regression().samples();
  for (const int k : {0, 7, 31}) EXPECT_LT(error(samples.col(k), model_->regression().predict(samples.col(k))), 0.01);
  for (const Vec& x : targets_of(*model_, *character_, kUnseen, 4).x)
    EXPECT_LT(error(model_->seen_from_itself(x).f, model_->solve(x).y), 0.2);
  EXPECT_LT(learned.basis().size(), 0.5 * learned.rows() * learned.columns() * samples.cols());
}

TEST_F(InverseOfPeanut, RefinesWithoutJacobiansOfTheRig) {
  const Targets targets = targets_of(*model_, *character_, kUnseen, 8);
  const double predicted = errors(*model_, targets, {.max_iterations = 0}).first;
  EXPECT_LT(errors(*model_, targets, {.jacobian = JacobianSource::learned}).first, 0.3 * predicted);
  EXPECT_LT(errors(*model_, targets, {.jacobian = JacobianSource::differences}).first, 0.01 * predicted);
}

TEST_F(InverseOfPeanut, AMotionIsFollowedAsWellAsItsFramesAreAlone) {
  const Targets targets = targets_of(*model_, *character_, kUnseen, 30);
  Mat X(targets.x.front().size(), 30);
  for (int k = 0; k < 30; ++k) X.col(k) = targets.x[static_cast<std::size_t>(k)];
  const std::vector<InversePose> frames = model_->solve_motion(X);
  int jacobians = 0;
  for (int k = 0; k < 30; ++k) {
    EXPECT_LT(frames[static_cast<std::size_t>(k)].joint_error, 1e-3) << k;
    jacobians += frames[static_cast<std::size_t>(k)].jacobians;
  }
  EXPECT_LE(jacobians, 45) << "most frames do with one, or with that of the frame before";
}

TEST_F(InverseOfPeanut, SuggestsTheFrameThatIsFarFromAllExamples) {
  const Targets known = targets_of(*model_, *character_, "Dance", 10);
  std::vector<Mat> motions(2, Mat(known.x.front().size(), 10));
  for (int k = 0; k < 10; ++k) motions[0].col(k) = motions[1].col(k) = known.x[static_cast<std::size_t>(k)];
  for (int j = 0; j < model_->features().count(); j += 2) motions[1].col(6).segment<3>(3 * j) += Vec3(0.3, 0.5, 0);
  const auto suggested = model_->suggest(motions, 2);
  ASSERT_EQ(suggested.size(), 2u);
  EXPECT_EQ(suggested[0].motion, 1);
  EXPECT_EQ(suggested[0].frame, 6);
  EXPECT_GT(suggested[0].gain, 0.5);
  EXPECT_GT(suggested[0].gain, suggested[1].gain);
  EXPECT_TRUE(model_->predict(motions[1].col(6)).guessed);
}

TEST_F(InverseOfPeanut, ThePrintedRefinementComesNearerToo) {
  const Targets targets = targets_of(*model_, *character_, kUnseen, 4);
  Mat X(targets.x.front().size(), 4);
  for (int k = 0; k < 4; ++k) X.col(k) = targets.x[static_cast<std::size_t>(k)];
  const std::vector<InversePose> before = model_->solve_motion(X, {.max_iterations = 0});
  for (const PrintedJacobian jacobian : {PrintedJacobian::learned, PrintedJacobian::differences}) {
    const std::vector<InversePose> after = refine_as_printed(*model_, X, {.jacobian = jacobian, .damping = 0.03});
    for (std::size_t k = 0; k < after.size(); ++k) EXPECT_LT(after[k].joint_error, 0.6 * before[k].joint_error) << k;
  }
}

/// IRM (13) alone, from frame to frame: least squares with a damping that holds to no pose.
double drift_of_plain_least_squares(const InverseModel& model, const Targets& targets) {
  const PoseCoordinates& coordinates = model.coordinates();
  const Vec zero = Vec::Zero(coordinates.size());
  Vec y = coordinates.coordinates(model.predict(targets.x[0]).p, zero), x;
  std::vector<double> controls;
  for (std::size_t k = 0; k < targets.x.size(); ++k) {
    for (int iteration = 0; iteration < 30; ++iteration) {
      model.features().evaluate(coordinates.pose(y), x);
      const Mat J = model.features().jacobian(coordinates.pose(y), coordinates.chosen()) *
                    coordinates.typical().asDiagonal() / model.size();
      const Mat H = J.transpose() * J + 1e-4 * Mat::Identity(y.size(), y.size());
      y += solve_ldlt(H, J.transpose() * (targets.x[k] - x) / model.size());
    }
    const Vec truth = coordinates.coordinates(targets.p[k], y);
    controls.push_back((y - truth).norm());
  }
  return root_mean_square(controls);
}

// IRM figure 10: where targets leave controls free, optimisation alone drifts away from what animators set.
TEST(InverseModel, ControlsDoNotDriftWhereTargetsLeaveThemFree) {
  const Character character = make_character("peanut", Version::skeleton);
  const InverseModel model(character, {.clips = {"Walk", "Dance"},
                                       .joints = {"root", "pelvis", "foot_?", "hand_?", "head", "trunk_06"},
                                       .samples = 40});
  const Targets targets = targets_of(model, character, "Workout", 24);
  const auto [joints, ours] = errors(model, targets, {.max_iterations = 30});
  EXPECT_LT(joints, 2e-3);
  const double plain = drift_of_plain_least_squares(model, targets);
  EXPECT_LT(ours, 0.9 * plain);
  EXPECT_LT(ours, 1.05 * errors(model, targets, {.max_iterations = 0}).second);
}

// A rig as productions have them: 642 controls, IK, limits.
TEST(InverseOfHound, LimitsHoldWhileOtherControlsMakeUpForThem) {
  const Character hound = make_character("hound");
  const InverseModel model(hound, {.clips = {"Walk", "Gallop", "Sit"}, .samples = 80});
  ASSERT_TRUE(model.root().moves() && model.root().turns());
  const Targets targets = targets_of(model, hound, "JumpAndPlay", 12);
  Mat X(targets.x.front().size(), 12);
  for (int k = 0; k < 12; ++k) X.col(k) = targets.x[static_cast<std::size_t>(k)];
  const auto before = model.solve_motion(X, {.max_iterations = 0}), after = model.solve_motion(X);
  const Vec &low = model.coordinates().lower(), &high = model.coordinates().upper();
  int at_limits = 0;
  double missed = 0, missed_before = 0;
  for (std::size_t k = 0; k < after.size(); ++k) {
    const Vec& y = after[k].y;
    EXPECT_TRUE((y.array() >= low.array() - 1e-9).all() && (y.array() <= high.array() + 1e-9).all());
    at_limits += static_cast<int>((y.array() <= low.array() + 1e-9 || y.array() >= high.array() - 1e-9).count());
    missed += after[k].joint_error, missed_before += before[k].joint_error;
  }
  EXPECT_GT(at_limits, 0) << "else this shows nothing";
  EXPECT_LT(missed, 0.1 * missed_before);
}

TEST(InverseModel, RefusesCharactersWithoutMotion) {
  Character still = make_character("bobbin", Version::skeleton);
  still.clips.clear();
  EXPECT_THROW(InverseModel(still, {}), Error);
  const Character moving = make_character("bobbin", Version::skeleton);
  EXPECT_THROW(InverseModel(moving, {.clips = {"Nothing"}}), Error);
  EXPECT_THROW(InverseModel(moving, {.joints = {"nose_of_someone_else"}}), Error);
}

// The neck of the squirrel sinks by a driver that reads neck.rx: as an orientation the turn would not be seen.
TEST(InverseModel, TurnsStayOnTheControlsThatDriversRead) {
  const Character squirrel = make_character("squirrel");
  std::vector<int> points;
  for (int i = 0; i < squirrel.rig->point_count(); i += 40) points.push_back(i);
  const InverseModel model(squirrel, {.clips = {"Nod"}, .points = points, .heading = false, .samples = 40});
  Vec p = squirrel.rig->rest(), x, reached;
  p[squirrel.rig->find("neck.rx")] = p[squirrel.rig->find("head.rx")] = 0.3;
  model.features().evaluate(p, x);
  const InversePose pose = model.solve(x, {.max_iterations = 30});
  model.features().evaluate(pose.p, reached);
  EXPECT_LT((reached - x).norm() / std::sqrt(static_cast<double>(points.size())), 1e-3 * model.size());
  EXPECT_NEAR(pose.p[squirrel.rig->find("neck.rx")], 0.3, 0.02);
}

TEST(PoseCoordinates, OrientationsAndTurnsAreOneRotationVector) {
  const Character character = make_character("bobbin", Version::skeleton);
  std::vector<int> chosen;
  for (int c = 0; c < static_cast<int>(character.rig->controls().size()); ++c)
    if (character.rig->controls()[c].unit != Unit::quaternion) chosen.push_back(c);
  const PoseCoordinates coordinates(character.rig->controls(), chosen);
  const Vec p = testing::random_pose(*character.rig, 0.4, 3), zero = Vec::Zero(coordinates.size());
  const auto workspace = character.rig->make_workspace();
  Vec s, s_again, s_oriented;
  character.rig->evaluate(*workspace, p, s);
  const Vec again = coordinates.pose(coordinates.coordinates(p, zero));
  character.rig->evaluate(*workspace, again, s_again);
  character.rig->evaluate(*workspace, coordinates.with_orientations(again), s_oriented);
  EXPECT_LT((s - s_again).norm(), 1e-9);
  EXPECT_LT((s - s_oriented).norm(), 1e-9);
}

}  // namespace
}  // namespace rigspace
