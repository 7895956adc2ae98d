// IRM figures 4, 5 and 6 on real characters: seven effectors that are dragged, with updates a second; a captured walk
// bent along a path and laid onto hills; the whole body from its feet. Arguments: the folder of assets, a folder for
// results (bent_walk.glb, for `rigspace render --sheet`). Fails if its numbers do not hold.
#include "rigspace/apps/inverse/edit_motion.h"
#include "rigspace/apps/inverse/full_body_ik.h"
#include "rigspace/io/formats.h"
#include "rigspace/jobs/posed_model.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>

using namespace rigspace;

namespace {

bool fine = true;
void require(bool holds, const char* what) {
  if (holds) return;
  fine = false;
  std::printf("  FAILS: %s\n", what);
}

InverseModel trained(const Character& character, std::vector<std::string> clips) {
  return {character, {.clips = std::move(clips), .joints = body_features(character), .all_rotations = true}};
}

void drag_effectors(const std::filesystem::path& file, const std::string& clip) {
  const Character character = load_character(file);
  const InverseModel model = trained(character, {clip});
  FullBodyIk ik(character, model, body_effectors(character));
  ik.set_pose(pose_at(character, &character.clips.front(), 0));
  const Vec3 left = ik.place(3), right = ik.place(4), head = ik.place(2);
  constexpr int kUpdates = 200;
  double error = 0, residual = 0;
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();  // of all threads: what a machine that is not shared would take, at most
  for (int k = 0; k < kUpdates; ++k) {
    const double a = 0.1 * k, r = 0.08 * model.size();
    ik.drag(3, left + r * Vec3(std::cos(a) - 1, std::sin(a), std::sin(a)));
    ik.drag(4, right + r * Vec3(1 - std::cos(a), std::sin(a), 0));
    ik.drag(2, head + 0.3 * r * Vec3(std::sin(a), std::cos(a) - 1, 0));
    const InversePose& pose = ik.update();
    error = std::max(error, pose.joint_error), residual = std::max(residual, ik.residual());
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double busy = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
  std::printf(
      "%-28s %d effectors, %d controls: %.0f updates a second (%.0f a second of processor time); effectors at most "
      "%.2f %% of the size away, rig from "
      "skeleton %.3f %%\n",
      file.stem().c_str(), ik.effector_count(), model.coordinates().size(), kUpdates / seconds, kUpdates / busy,
      100 * residual, 100 * error);
  require(kUpdates / seconds >= 30, "30 updates a second");
}

void body_from_feet(const std::filesystem::path& file) {
  const Character knight = load_character(file);
  const InverseModel feet(
      knight, {.clips = {"Walking_B", "Walking_C", "Running_A", "Running_B"}, .joints = {"foot.?", "toes.?"}});
  const FeatureRig whole(
      knight, joints_matching(knight, std::vector<std::string>{"hips", "spine", "chest", "head", "upper*", "lower*",
                                                               "foot.?", "toes.?", "wrist.?"}));
  const Animation& walk = *knight.clip("Walking_A");
  const JointMotion motion = own_motion(knight, feet, walk);
  // The null model: the mean of the training clips' own places, seen as they are (all walk on the spot).
  Vec x, mean = Vec::Zero(3 * whole.count());
  int count = 0;
  for (const char* name : {"Walking_B", "Walking_C", "Running_A", "Running_B"})
    for (const double time : {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7})
      whole.evaluate(pose_at(knight, knight.clip(name), time), x), mean += x, ++count;
  mean /= count;
  double predicted = 0, refined = 0, null = 0;
  for (std::size_t k = 0; k < motion.times.size(); ++k) {
    Vec truth, found;
    whole.evaluate(pose_at(knight, &walk, motion.times[k]), truth);
    whole.evaluate(feet.predict(motion.X.col(static_cast<Eigen::Index>(k))).p, found);
    predicted += (found - truth).squaredNorm();
    whole.evaluate(feet.solve(motion.X.col(static_cast<Eigen::Index>(k))).p, found);
    refined += (found - truth).squaredNorm(), null += (mean - truth).squaredNorm();
  }
  const auto share = [&](double sum) {
    return 100 * std::sqrt(sum / (static_cast<double>(motion.times.size()) * whole.count())) / 1.67;
  };
  std::printf(
      "%-28s whole body from four joints of the feet, an unseen walk: %.2f %% of the height predicted, %.2f %% "
      "refined; the mean pose is %.2f %% off\n",
      "Knight", share(predicted), share(refined), share(null));
  require(predicted < null, "better than the mean pose");
}

void bent_walk(const std::filesystem::path& assets, const std::filesystem::path& out) {
  const Character man = load_character(assets / "khr_CesiumMan/CesiumMan.glb"),
                  capture = load_character(assets / "cmu_bvh_dev/02_01.bvh");
  const InverseModel model = trained(man, {});
  const JointMotion straight = joint_motion(man, model, capture, capture.clips.front(), {.rate = 30});
  const Terrain hills = [](double x, double z) { return 0.06 * std::sin(3 * x) + 0.06 * std::sin(2 * z); };
  const JointMotion bent =
      along_path(straight, std::vector<Vec3>{{0, 0, 0}, {0, 0, 0.7}, {0.5, 0, 1.2}, {1.4, 0, 1.3}}, hills);
  MappedMotion mapped = map_motion(man, model, bent, {.max_iterations = 30});
  double gap = 0;
  int count = 0;
  for (std::size_t k = 0; k < mapped.frames.size(); ++k) {
    const std::vector<Affine> world = bone_transforms(man, mapped.frames[k].p);
    for (const std::size_t side : {0, 1}) {
      if (!bent.body.stands[side][k]) continue;
      const Vec3 toe = translation(world[static_cast<std::size_t>(bent.body.toes[side])]);
      const Vec3 rest =
          translation(bent.mapping.own_body.reference.world[static_cast<std::size_t>(bent.body.toes[side])]);
      gap += std::pow(toe.y() - rest.y() - hills(toe.x(), toe.z()), 2), ++count;
    }
  }
  gap = std::sqrt(gap / std::max(1, count)) / straight.body.leg;
  std::printf(
      "%-28s captured walk along a path over hills: joints %.2f %% of the size from targets, standing feet slide %.1f "
      "%% of a leg a second, %.1f %% of a leg off the ground\n",
      "CesiumMan", 100 * mapped.joint_error, 100 * mapped.sliding, 100 * gap);
  require(mapped.joint_error < 0.03 && gap < 0.05, "the walk is on the hills");
  mapped.clip.name = "bent";
  const CharacterSource source{.file = (assets / "khr_CesiumMan/CesiumMan.glb").string()};
  write_posed_model((out / "bent_walk.glb").string(), source, man, mapped.clip, 30);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::printf("usage: %s ASSETS OUT\n", argv[0]), 2;
  const std::filesystem::path assets = argv[1];
  drag_effectors(assets / "khr_CesiumMan/CesiumMan.glb", "animation0");
  drag_effectors(assets / "gdquest_mannequiny/mannequiny-0.3.0.glb", "idle");
  drag_effectors(assets / "kaykit_Knight/Knight.glb", "Idle");
  body_from_feet(assets / "kaykit_Knight/Knight.glb");
  bent_walk(assets, argv[2]);
  return fine ? 0 : 1;
}
