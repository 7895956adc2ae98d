// rigspace live: secondary motion while another program plays the character, over standard streams (docs/realtime.md).

#include "command.h"
#include "realtime_options.h"
#include "rigspace/anim/clip_play.h"
#include "source_options.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <optional>

namespace rigspace::tools {
namespace {

/// Exactly this many bytes of standard input; false at its end.
bool read_input(void* data, std::size_t bytes) { return std::fread(data, 1, bytes, stdin) == bytes; }

void write_output(const void* data, std::size_t bytes) {
  if (std::fwrite(data, 1, bytes, stdout) != bytes || std::fflush(stdout) != 0)
    throw Error({.code = ErrorCode::external_process,
                 .file = "standard output",
                 .problem = "was closed",
                 .remedy = "the program that started this one has ended"});
}

/// One line of JSON: what is asked of poses, and what answers are.
void introduce(const RealtimeModel& model, double period, const std::vector<std::string>& notes) {
  nlohmann::ordered_json told = {
      {"rigspace_live", 1}, {"latency", model.latency()}, {"period", period}, {"notes", notes}};
  for (const Control& control : model.controls()) told["controls"].push_back(control.name);
  for (const int free : model.free()) told["free"].push_back(model.controls()[static_cast<std::size_t>(free)].name);
  for (const RealtimePart& part : model.tuning())
    told["parts"].push_back(
        {{"name", part.name}, {"rate", part.rate}, {"settle", part.settle}, {"amount", part.amount}});
  const std::string line = told.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  write_output(line.data(), line.size());
}

struct LiveArguments {
  CharacterSource source;
  RealtimeArguments model;
  std::string clip, loop = "auto";
};

/// Seconds after which the clip that is going to be played repeats itself, as a run would have it; 0: it does not.
double period_of(const RealtimeModel& model, const LiveArguments& options) {
  const Animation* clip = model.character().clip(options.clip);
  if (clip == nullptr || options.loop == "no") return 0;
  const ClipPlay play = decide_play(model.character(), *clip);
  return play.loops ? play.period : options.loop == "yes" ? clip->duration : 0;
}

enum class Request : std::uint32_t { step = 1, reset = 2, teleport = 3, set = 4 };

class LiveRig {
 public:
  explicit LiveRig(std::shared_ptr<const RealtimeModel> model) : model_(std::move(model)), rig_(model_) {
    pose_.resize(model_->controls().size());
  }

  /// One question and its answer, the deviation of the free controls; false at the end of the input. A question is
  /// uint32 what, uint32 count, float64 dt; behind it count float64 of a pose, or count bytes of PART.CONTROL=VALUE.
  bool answer() {
    struct {
      std::uint32_t what, count;
      double dt;
    } head;
    if (!read_input(&head, sizeof head)) return false;
    if (static_cast<Request>(head.what) == Request::set) return set(head.count);
    if (head.what < 1 || head.what > 4 || head.count != pose_.size())
      throw Error({.code = ErrorCode::external_process,
                   .file = "standard input",
                   .value = std::to_string(head.what),
                   .problem = fmt::format("asks {} with {} values", head.what, head.count),
                   .remedy = fmt::format("expected 1 to 4 with {} values (docs/realtime.md)", pose_.size())});
    if (!read_input(pose_.data(), pose_.size() * sizeof(double))) return false;
    if (static_cast<Request>(head.what) == Request::reset) {
      rig_.reset(pose_);
    } else {
      if (static_cast<Request>(head.what) == Request::teleport) rig_.teleport();
      rig_.set_keyed(pose_);
      rig_.step(head.dt);
    }
    send();
    return true;
  }

 private:
  bool set(std::uint32_t bytes) {
    std::string text(std::min<std::uint32_t>(bytes, 1000), '\0');
    if (!read_input(text.data(), text.size())) return false;
    const PartSetting setting = part_setting(text);
    model_ = model_->adjusted({&setting, 1});
    rig_.change_model(model_);
    send();
    return true;
  }

  void send() { write_output(rig_.deviation().data(), rig_.deviation().size_bytes()); }

  std::shared_ptr<const RealtimeModel> model_;
  RealtimeRig rig_;
  std::vector<double> pose_;
};

}  // namespace

void add_live(CLI::App& app, Context& context) {
  auto* command =
      app.add_subcommand("live", "Secondary motion for another program that plays the character: poses in, motion out");
  auto options = std::make_shared<LiveArguments>();
  add_source(*command, options->source);
  add_realtime_options(*command, options->model);
  command->add_option("--clip", options->clip, "the clip that is going to be played")->type_name("NAME");
  command->add_option("--loop", options->loop, "whether that clip repeats itself")
      ->check(CLI::IsMember({"auto", "yes", "no"}));
  command->footer(
      "Answers with one line of JSON, then a pose of all controls at a time: uint32 what (1 step, 2 reset, 3 "
      "teleport,\n"
      "4 set), uint32 count, float64 seconds, float64 values; the answer is the deviation of the free controls.\n"
      "Example\n  rigspace live hero.blend --part 'tail*=tail'");
  command->callback([options, &context] {
    RealtimeRequest request = request_of(options->model);
    request.options.adjustable = true;
    request.options.looping = options->loop == "yes"  ? Looping::always
                              : options->loop == "no" ? Looping::never
                                                      : Looping::find;
    const JobEvents events = job_events(context);
    CharacterSource& source = options->source;
    source.skin = request.parts.empty();
    std::vector<std::string> notes;
    const bool gltf = source.command.empty() && (source.file.ends_with(".glb") || source.file.ends_with(".gltf"));
    const auto model =
        gltf ? load_realtime_model(source.file, request, &notes, events.progress)
             : realtime_model_on_controls(source.name(), load(source, context), request, &notes, events.progress);
    introduce(*model, period_of(*model, *options), notes);
    LiveRig rig(model);
    while (rig.answer()) {
    }
  });
}

}  // namespace rigspace::tools
