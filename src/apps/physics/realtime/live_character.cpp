#include "rigspace/apps/physics/live_character.h"

#include "job/simulation_plan.h"
#include "realtime_input.h"
#include "rigspace/apps/physics/flesh.h"
#include "rigspace/jobs/earlier_result.h"

#include <algorithm>

namespace rigspace {

struct LiveCharacter::Data {
  std::unique_ptr<Subject> subject;
  std::vector<LivePart> parts;
  std::shared_ptr<const RealtimeModel> model;
  std::vector<std::string> notes;
  std::vector<std::byte> glb;
  double metres_per_unit = 1;
  bool on_controls = false;
};

namespace {

std::string kind_of(const Part& part) {
  if (!part.points.empty()) return "sheet";
  if (!part.controls.empty()) return "controls";
  return preset_named(part.preset).flesh ? "flesh" : "chain";
}

/// Whether an earlier run wrote the character: it has soft clips, and soft joints where it needs them.
bool is_result(const Character& character) {
  return std::any_of(character.clips.begin(), character.clips.end(),
                     [](const Animation& clip) { return is_soft_clip(clip.name); });
}

LivePart live_part(const Character& character, const Part& part) {
  LivePart live{.name = part.name,
                .preset = part.preset,
                .reason = part.reason,
                .kind = kind_of(part),
                .carried = {},
                .moved = {},
                .free = part.controls,
                .settings = part.settings,
                .found = part.found};
  for (const int bone : part.bones) live.carried.push_back(character.bones[static_cast<std::size_t>(bone)].name);
  for (const int bone : part.flesh ? part.flesh->joints : turning_joints(part))
    live.moved.push_back(character.bones[static_cast<std::size_t>(bone)].name);
  const std::span<const Control> controls = character.rig->controls();
  for (const std::string& node : live.moved)
    for (const char* axis : {".rx", ".ry", ".rz", ".tx", ".ty", ".tz"}) {
      if (axis[1] == 't' && !part.flesh) continue;
      if (const int c = find_control(controls, node + axis); c >= 0) live.free.push_back(c);
    }
  std::sort(live.free.begin(), live.free.end());
  return live;
}

}  // namespace

LiveCharacter::LiveCharacter(const std::string& file, const SimulationRequest& request, const RealtimeOptions& options,
                             const ProgressCallback& progress)
    : data_(std::make_unique<Data>()) {
  Data& data = *data_;
  std::tie(data.subject, data.on_controls) = open_realtime_input(file);
  Subject& subject = *data.subject;
  SimulationRequest as_simulated = request;
  as_simulated.soft = "joints", as_simulated.clips.clear();
  const FolderSettings folder = folder_settings(file);
  Recipe recipe;
  recipe.options = plan_options(subject.character(), as_simulated, folder, data.notes);
  data.metres_per_unit = recipe.options.physics.metres_per_unit;
  if (is_result(subject.character()))
    data.notes.push_back(
        "this file is a result: its soft clips are played as they are; open the artist's file to change them");
  else
    recipe.parts = recipe_parts(subject.character(), plan_parts(subject, as_simulated, folder, data.notes));
  about_file(subject.name(), subject.character(), [&] {
    subject.prepare(recipe, data.notes, progress);
    data.glb = subject.shown_glb();
    if (subject.parts().empty()) return;
    const Character& character = subject.simulated();
    for (const Part& part : subject.parts()) data.parts.push_back(live_part(character, part));
    RealtimeOptions realtime = options;
    realtime.metres_per_unit = data.metres_per_unit;
    realtime.material = recipe.options.physics.material, realtime.poisson = recipe.options.physics.poisson;
    const std::vector<Part> made(subject.parts().begin(), subject.parts().end());
    data.model = std::make_shared<const RealtimeModel>(character, made, realtime, progress);
  });
}

LiveCharacter::~LiveCharacter() = default;
const Character& LiveCharacter::artists() const { return data_->subject->character(); }
const Character& LiveCharacter::character() const { return data_->subject->simulated(); }
const std::vector<LivePart>& LiveCharacter::parts() const { return data_->parts; }
const std::shared_ptr<const RealtimeModel>& LiveCharacter::model() const { return data_->model; }
const std::vector<std::string>& LiveCharacter::notes() const { return data_->notes; }
double LiveCharacter::metres_per_unit() const { return data_->metres_per_unit; }
bool LiveCharacter::on_controls() const { return data_->on_controls; }
const std::vector<std::byte>& LiveCharacter::glb() const { return data_->glb; }

}  // namespace rigspace
