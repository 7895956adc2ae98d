#include "rigspace/apps/physics/live_character.h"

#include "realtime_input.h"
#include "rigspace/apps/physics/flesh.h"

#include <algorithm>

namespace rigspace {

struct LiveCharacter::Data {
  RealtimeInput input;
  std::vector<LivePart> parts;
  std::shared_ptr<const RealtimeModel> model;
  std::vector<std::string> notes;
  std::vector<std::byte> glb;
  double metres_per_unit = 1;
};

namespace {

std::string kind_of(const Part& part) {
  if (!part.points.empty()) return "sheet";
  if (!part.controls.empty()) return "controls";
  return preset_named(part.preset).flesh ? "flesh" : "chain";
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
  for (const int control : part.controls) live.carried.push_back(character.rig->controls()[control].name);
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
  RealtimePlan plan;
  plan.request = request, plan.may_rest = true;
  plan.request.soft = "joints", plan.request.clips.clear();
  data.input = open_realtime_input(file, plan, data.notes);
  const SimulationOptions& physics = data.input.recipe.options.physics;
  data.metres_per_unit = physics.metres_per_unit;
  RealtimeOptions realtime = options;
  realtime.material = physics.material, realtime.poisson = physics.poisson;
  data.model = make_realtime_model(data.input, realtime, "", data.notes, progress);
  Subject& subject = *data.input.subject;
  data.glb = subject.shown_glb();
  for (const Part& part : subject.parts()) data.parts.push_back(live_part(subject.simulated(), part));
}

LiveCharacter::~LiveCharacter() = default;
const Character& LiveCharacter::artists() const { return data_->input.subject->character(); }
const Character& LiveCharacter::character() const { return data_->input.subject->simulated(); }
const std::vector<LivePart>& LiveCharacter::parts() const { return data_->parts; }
const std::shared_ptr<const RealtimeModel>& LiveCharacter::model() const { return data_->model; }
const std::vector<std::string>& LiveCharacter::notes() const { return data_->notes; }
double LiveCharacter::metres_per_unit() const { return data_->metres_per_unit; }
bool LiveCharacter::on_controls() const { return data_->input.on_controls; }
std::span<const Part> LiveCharacter::made() const { return data_->input.subject->parts(); }
const std::vector<std::byte>& LiveCharacter::glb() const { return data_->glb; }

}  // namespace rigspace
