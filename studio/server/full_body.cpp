#include "full_body.h"

#include "rigspace/apps/inverse/joint_mapping.h"
#include "rigspace/base/error.h"

#include <chrono>

namespace rigspace::studio {
namespace {

namespace fs = std::filesystem;

constexpr int kSamples = 200;  // poses that are kept: more take longer to learn, and the refinement makes up for them

/// hero.inverse of hero.glb and hero.rig.json.
fs::path model_beside(const fs::path& file) {
  fs::path stem = file.parent_path() / file.stem();
  if (stem.extension() == ".rig") stem.replace_extension();
  return stem.string() + ".inverse";
}

}  // namespace

FullBody::FullBody(std::shared_ptr<const LiveCharacter> character, const fs::path& file,
                   const ProgressCallback& progress)
    : live_(std::move(character)) {
  const Character& own = live_->artists();
  const BodyJoints body = find_body_joints(own);
  const std::vector<std::string> joints = body_effectors(own);
  if (joints.empty())
    throw Error({.file = own.name,
                 .element = "the character",
                 .problem = "is no body on two legs",
                 .remedy = "move its joints one by one, or draw its pose"});
  for (const std::string& joint : joints) {
    const auto at = std::ranges::find(own.bones, joint, &Bone::name);
    const BodyJoint* const part = body.of_bone(static_cast<int>(at - own.bones.begin()));
    effectors_.push_back({part->role == BodyRole::spine ? "chest" : describe(*part), joint});
  }
  const fs::path given = model_beside(file);
  if (std::error_code failed; fs::exists(given, failed)) {
    try {
      model_ = std::make_unique<InverseModel>(InverseModel::load(given, own));
      ik_ = std::make_unique<FullBodyIk>(own, *model_, joints);
      words_ = given.filename().string();
      return;
    } catch (const Error& error) {
      remark_ = error.what();
    }
  }
  ik_.reset();
  model_ = std::make_unique<InverseModel>(
      own, InverseTraining{.joints = body_features(own), .all_rotations = true, .samples = kSamples}, progress);
  ik_ = std::make_unique<FullBodyIk>(own, *model_, joints);
  words_ = own.clips.empty() ? "turns of the joints" : "the character's clips";
}

void FullBody::begin(In seen, const std::vector<bool>& pinned) {
  seen_ = seen;
  ik_->set_pose(seen_);
  for (std::size_t k = 0; k < pinned.size(); ++k)
    if (!pinned[k]) ik_->release(static_cast<int>(k));
}

FullBody::Solve FullBody::drag(int effector, const Vec3& target) {
  const auto start = std::chrono::steady_clock::now();
  ik_->drag(effector, target);
  Solve solve{.added = model_->coordinates().on_top_of(seen_, ik_->update().p) - seen_, .residual = ik_->residual()};
  solve.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return solve;
}

}  // namespace rigspace::studio
