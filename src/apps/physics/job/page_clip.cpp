#include "page_clip.h"

#include "rigspace/anim/animation.h"
#include "rigspace/jobs/clip_names.h"

#include <algorithm>

namespace rigspace {
namespace {

Vec skin_at(const Character& character, Workspace& workspace, const Animation& clip, double time) {
  Vec p = character.rig->rest(), s;
  Sampler(clip, character.rig->controls()).sample(time, p);
  character.rig->evaluate(workspace, p, s);
  return s;
}

/// The largest extent of points x y z.
double extent_of(const Vec& s) {
  const Eigen::Map<const Eigen::Matrix3Xd> points(s.data(), 3, s.size() / 3);
  return (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).maxCoeff();
}

SoftPageLargest largest_of(const RecipeClip& made, const Character& played, const Animation& base,
                           const Animation& soft) {
  SoftPageLargest largest;
  const auto workspace = played.rig->make_workspace();
  const double height = extent_of(skin_at(played, *workspace, base, 0));
  if (!(height > 0)) return largest;
  for (const PartReport& part : made.parts) {
    const Vec d =
        skin_at(played, *workspace, soft, part.largest_at) - skin_at(played, *workspace, base, part.largest_at);
    const double percent =
        100 * Eigen::Map<const Eigen::Matrix3Xd>(d.data(), 3, d.size() / 3).colwise().norm().maxCoeff() / height;
    if (percent > largest.percent) largest = {.percent = percent, .at = part.largest_at};
  }
  return largest;
}

}  // namespace

SoftPair page_pair(const RecipeClip& made, const Character& played, const Animation* base, const Animation* soft) {
  SoftPair pair{.base = made.base, .soft = made.name, .loop = made.loop, .why = made.why};
  if (made.loop) pair.period = made.period, pair.gap = 100 * made.seam;
  if (base != nullptr && soft != nullptr && played.rig->point_count() > 0)
    pair.largest = largest_of(made, played, *base, *soft);
  return pair;
}

SoftPageAmount page_amount(const RecipePart& part, const RecipeClip& made) {
  SoftPageAmount amount{.part = part.name};
  PartSettings settings = part.settings;
  for (const RecipeValue& value : made.set) {
    if (value.part != part.name || value.control != "amount") continue;
    value.apply_to(settings);
    amount.clip_only = true;
  }
  amount.amount = settings.amount;
  if (const Curve* keys = settings.keys_of("amount")) {
    amount.key_times = keys->times;
    amount.key_values = keys->values;
    if (keys->interpolation != Interpolation::hermite) amount.interpolation = name(keys->interpolation);
  }
  return amount;
}

std::string rerun_command(const Recipe& recipe, const std::filesystem::path& file) {
  if (file.empty()) return "";
  std::string command = "rigspace rerun " + shell_quoted(file.filename().string());
  if (!recipe.input.process.empty()) command += " --rig-process " + shell_quoted(recipe.input.process);
  return command;
}

}  // namespace rigspace
