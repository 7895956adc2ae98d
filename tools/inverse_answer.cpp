// What rigspace inverse says of models and of motions that were mapped.

#include "inverse_answer.h"

#include <fmt/format.h>

#include <algorithm>

namespace rigspace::tools {

using Json = nlohmann::ordered_json;

Json facts_of(const InverseModel& model) {
  const KernelRegression& regression = model.regression();
  return {{"joints", model.features().count()},
          {"controls", model.coordinates().size()},
          {"examples", model.example_count()},
          {"samples", regression.count()},
          {"kernel", name(regression.settings().kernel)},
          {"length", regression.settings().length},
          {"smoothing", regression.settings().smoothing},
          {"leave_one_out", model.leave_one_out()},
          {"root_moves", model.root().moves()},
          {"root_turns", model.root().turns()}};
}

void print_facts(const InverseModel& model) {
  const KernelRegression& regression = model.regression();
  fmt::print("  {} joints, {} controls, {} of {} frames kept as samples\n", model.features().count(),
             model.coordinates().size(), regression.count(), model.example_count());
  fmt::print("  {} kernel; a sample is predicted by the others to {:.2g} of a control's ordinary change\n",
             name(regression.settings().kernel), model.leave_one_out());
  if (!model.root().moves())
    fmt::print("  the clips never move the whole character: targets must be where the clips are\n");
  else if (!model.root().turns())
    fmt::print("  the root does not turn freely: targets must face as the clips do\n");
}

std::string words_of(const MappedKeys& made, int keys) {
  if (made.clip.tracks.empty() && made.clip.rotations.empty()) return fmt::format("{} linear keys, one a frame", keys);
  const std::string where =
      !made.from_source
          ? "fitted"
          : fmt::format("at the {} times of the motion's own keys{}", made.kept_times,
                        made.added_times > 0 ? fmt::format(" and {} between them", made.added_times) : "");
  return fmt::format("{} cubic keys, {}; the surface is at most {:.2g} % of the height off at the frames", keys, where,
                     100 * made.error);
}

Json json_of(const MappedMotion& mapped, const JointMotion& motion, const Character& own, const Character& source) {
  Json joints = Json::array();
  for (const JointMatch& match : motion.mapping.matches)
    joints.push_back(
        {{"joint", own.bones[static_cast<std::size_t>(match.own)].name},
         {"source", match.source < 0 ? Json() : Json(source.bones[static_cast<std::size_t>(match.source)].name)},
         {"part", match.what},
         {"how", match.how},
         {"sure", match.sure}});
  Json body;
  if (motion.body.leg > 0)
    body = {{"standing_frames", motion.body.standing_frames()},
            {"foot_sliding_legs_per_second", mapped.sliding},
            {"source_sliding_legs_per_second", motion.body.source_sliding},
            {"limb_direction_error_degrees", mapped.direction_error * 180 / M_PI}};
  return {{"joints", joints},
          {"scale", motion.scale},
          {"body", body},
          {"clip", mapped.clip.name},
          {"frames", mapped.frames.size()},
          {"carried", motion.carried},
          {"z_up", motion.mapping.by_body && !motion.mapping.source.upright.isIdentity(0)},
          {"reference_standing", motion.mapping.by_body ? Json(motion.mapping.source.standing) : Json()},
          {"reference_time", motion.mapping.by_body && motion.mapping.source.reference_time >= 0
                                 ? Json(motion.mapping.source.reference_time)
                                 : Json()},
          {"joint_error_share_of_size", mapped.joint_error},
          {"worst_error_share_of_size", mapped.worst_error},
          {"worst_time", mapped.worst_time},
          {"guessed_frames", mapped.guessed},
          {"unconverged_frames", mapped.unconverged},
          {"parted_frames", mapped.parted},
          {"depth_before_share_of_size", mapped.depth_before},
          {"depth_share_of_size", mapped.depth}};
}

void print_mapped(const MappedMotion& mapped, const JointMotion& motion) {
  fmt::print("  {}: {} frames, joints {:.2g} % of the size from their targets, at most {:.2g} % at {:.3g} s\n",
             mapped.clip.name, mapped.frames.size(), 100 * mapped.joint_error, 100 * mapped.worst_error,
             mapped.worst_time);
  if (motion.carried)
    fmt::print("  the motion's skeleton has other proportions: its rotations were carried over, paths times {:.3g}\n",
               motion.scale);
  if (motion.mapping.by_body && !motion.mapping.source.upright.isIdentity(0))
    fmt::print("  the motion's axes have +z up: it was turned\n");
  if (motion.mapping.by_body && motion.mapping.source.reference_time >= 0)
    fmt::print("  bones are aligned in the motion's pose at {:.3g} s\n", motion.mapping.source.reference_time);
  if (motion.body.leg > 0)
    fmt::print("  {}feet that stand ({} frames) slide {:.2g} % of a leg a second ({:.2g} % in the motion)\n",
               motion.body.limbs.empty()  // bent along a path they have no others to be compared with
                   ? ""
                   : fmt::format("limbs {:.1f} degrees from the motion's; ", mapped.direction_error * 180 / M_PI),
               motion.body.standing_frames(), 100 * mapped.sliding, 100 * motion.body.source_sliding);
  if (mapped.parted > 0)
    fmt::print("  pieces were brought apart in {} frames: at most {:.2g} % of the size deep, {:.2g} % before\n",
               mapped.parted, 100 * mapped.depth, 100 * mapped.depth_before);
  if (mapped.guessed > 0)
    fmt::print("  {} of {} frames are far from all examples: look at them, or add such poses to the training\n",
               mapped.guessed, mapped.frames.size());
}

void print_mapping(const JointMapping& mapping, const Character& own, const Character& source) {
  std::vector<const JointMatch*> order;
  int same = 0;
  int follow = 0;
  for (const JointMatch& match : mapping.matches)
    if (match.how == "same name" && match.what.empty())
      ++same;
    else if (match.source < 0 && match.what.find("finger") != std::string::npos)
      ++follow;
    else
      order.push_back(&match);
  std::ranges::stable_sort(order, {}, [](const JointMatch* each) { return each->sure; });
  if (same > 0) fmt::print("  {} joints have the same name in the motion\n", same);
  if (follow > 0) fmt::print("  {} joints of fingers are not in the motion: the model predicts them\n", follow);
  for (const JointMatch* match : order)
    fmt::print("  {:<28} {:<28} {:<18} {:>3.0f} %  {}\n", own.bones[static_cast<std::size_t>(match->own)].name,
               match->source < 0 ? "-" : source.bones[static_cast<std::size_t>(match->source)].name, match->what,
               100 * match->sure, match->how);
}

}  // namespace rigspace::tools
