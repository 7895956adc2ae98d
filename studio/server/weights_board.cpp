#include "weights_board.h"

#include "kept_projects.h"
#include "rigspace/base/files.h"
#include "rigspace/io/gltf_weights.h"
#include "rigspace/jobs/clip_names.h"

#include <algorithm>
#include <cmath>

namespace rigspace::studio {
namespace {

namespace fs = std::filesystem;

constexpr int kMostOfStroke = 256;     // of the hand's way, in one message
constexpr double kLargestBrush = 1e6;  // scene units
constexpr double kHandRests = 0.3;     // s without a change: the distance is measured

/// hero.weights.glb in the folder of results, or hero.weights-2.glb where there is one: nothing is written over.
fs::path free_name(const fs::path& folder, const fs::path& file) {
  std::string stem = file.filename().string();
  for (const std::string_view ending : {".rig.json", ".json", ".glb", ".gltf", ".vrm"})
    if (stem.ends_with(ending)) stem.resize(stem.size() - ending.size());
  if (const std::size_t at = stem.rfind(".weights"); at != std::string::npos && at > 0) stem.resize(at);
  fs::path to = folder / (stem + ".weights.glb");
  std::error_code failed;
  for (int k = 2; fs::exists(to, failed); ++k) to = folder / (stem + ".weights-" + std::to_string(k) + ".glb");
  return to;
}

}  // namespace

fs::path WeightsBoard::output() const { return free_name(studio_.options().out, studio_.project().file); }

void WeightsBoard::require_draft() const {
  if (!studio_.playback().is_open()) refuse("the studio", "", "has no character", "open a file first");
  if (!draft_) refuse("the weights", "", "are not read yet", "open the panel Weights (weights.prepare)");
  if (state_ == "computing") refuse("the weights", "", "are being computed", "wait, or cancel that");
}

Json WeightsBoard::slice() const {
  Json joints = Json::array();
  Json difference;
  std::string command;
  const WeightsOrigin origin = draft_ ? draft_->origin() : WeightsOrigin{};
  if (draft_) {
    const WeightsBody& body = draft_->body();
    const std::vector<Bone>& bones = body.character().bones;
    for (const int bone : body.joints()) {
      int parent = bones[static_cast<std::size_t>(bone)].parent;
      while (parent >= 0 && !std::binary_search(body.joints().begin(), body.joints().end(), parent))
        parent = bones[static_cast<std::size_t>(parent)].parent;
      const auto at = std::lower_bound(body.joints().begin(), body.joints().end(), parent);
      joints.push_back({{"name", bones[static_cast<std::size_t>(bone)].name},
                        {"parent", parent < 0 ? -1 : static_cast<int>(at - body.joints().begin())},
                        {"twin", body.twin_of(static_cast<int>(joints.size()))}});
    }
    if (measured_ && measured_->version == draft_->version())
      difference = {{"share", measured_->difference.share()},
                    {"worst", measured_->difference.worst},
                    {"clips", body.character().clips.size()}};
    if (!origin.method.empty()) {
      command = "rigspace rig weights " + shell_quoted(studio_.project().file) + " --method " + origin.method;
      if (origin.influences != 4) command += " --keep " + std::to_string(origin.influences);
      if (origin.smoothing != 0) command += " --smooth " + std::to_string(origin.smoothing);
      command += " -o " + shell_quoted(output().string());
    }
  }
  return {{"state", state_},
          {"problem", problem_},
          {"joints", std::move(joints)},
          {"mirror",
           draft_ && draft_->body().mirror() ? Json(std::string(1, "xyz"[draft_->body().mirror()->axis])) : Json()},
          {"method", origin.method},
          {"influences", origin.influences},
          {"smoothing", origin.smoothing},
          {"painted", origin.painted},
          {"version", draft_ ? draft_->version() : 0},
          {"stored", stored_},
          {"changed", draft_ && draft_->changed()},
          {"undo", draft_ ? draft_->undo_steps() : 0},
          {"redo", draft_ ? draft_->redo_steps() : 0},
          {"difference", difference},
          {"measuring", measuring_},
          {"command", command},
          {"output", draft_ ? output().filename().string() : ""}};
}

/// With other parts the character's weights are the same, and the draft stays.
void WeightsBoard::opened() {
  if (file_ == studio_.project().file && draft_) return studio_.touch("weights");
  lane_.cancel();
  draft_.reset(), measured_.reset();
  measuring_ = false, stored_ = -1;
  problem_.clear();
  file_ = studio_.project().file;
  state_ = "none";
  const std::lock_guard lock(mutex_);
  file_bytes_ = draft_bytes_ = nullptr;
  studio_.touch("weights");
}

void WeightsBoard::prepare(const Arguments&) {
  const auto file = studio_.file();
  if (!file || !studio_.playback().is_open()) refuse("the studio", "", "has no character", "open a file first");
  if (draft_ || state_ == "reading") return;
  problem_.clear();
  if (file->character->on_controls()) {
    state_ = "foreign";
    problem_ =
        "The weights of a rig file are those of its mesh: open that file (.glb, .gltf, .vrm), and keep new ones there.";
    return studio_.touch("weights");
  }
  state_ = "reading";
  studio_.touch("weights");
  lane_.start(
      "Reading weights",
      [this, live = file->character](const ProgressCallback&) -> std::function<void()> {
        const auto body = std::make_shared<const WeightsBody>(live);
        return [this, body] {
          draft_.emplace(body);
          state_ = "ready";
          store();
          const std::lock_guard lock(mutex_);
          file_bytes_ = draft_bytes_;
          studio_.touch("weights");
        };
      },
      [this](std::exception_ptr error) { state_ = "foreign", fail(error); });
}

void WeightsBoard::store() {
  auto bytes = std::make_shared<const Bytes>(draft_->bytes());
  stored_ = draft_->version();
  const std::lock_guard lock(mutex_);
  draft_bytes_ = std::move(bytes);
}

void WeightsBoard::changed() {
  last_change_ = std::chrono::steady_clock::now();
  problem_.clear();
  studio_.touch("weights");
}

void WeightsBoard::compute(const Arguments& given) {
  require_draft();
  WeightsOrigin origin{.method = given.text("method", 100)};
  if (given.has("influences")) origin.influences = given.integer("influences", 1, 4);
  if (given.has("smoothing")) origin.smoothing = given.integer("smoothing", 0, 100);
  SkinWeightOptions options{
      .method = skin_weight_method(origin.method), .keep = origin.influences, .smoothing = origin.smoothing};
  state_ = "computing", problem_.clear();
  studio_.touch("weights");
  studio_.work().start(
      "Weights by " + origin.method,
      [this, body = draft_->shared_body(), options,
       origin](const ProgressCallback& progress) mutable -> std::function<void()> {
        options.progress = progress;
        std::vector<PartWeights> weights;
        std::vector<std::string> warnings;
        for (const SkinPart& part : body->parts()) {
          SkinWeights made = make_skin_weights(part.mesh, part.joints, options);
          weights.push_back(std::move(made.influences));
          warnings.insert(warnings.end(), made.warnings.begin(), made.warnings.end());
        }
        return [this, body, origin, weights = std::move(weights), warnings]() mutable {
          state_ = "ready";
          studio_.touch("job"), studio_.touch("weights");
          if (!draft_ || draft_->shared_body() != body) return;
          draft_->replace(std::move(weights), origin);
          changed(), store();
          for (const std::string& warning : warnings) studio_.say("warning", warning);
        };
      },
      [this](std::exception_ptr error) {
        state_ = draft_ ? "ready" : "none";
        studio_.touch("weights");
        studio_.report(error);
      });
  studio_.touch("job");
}

Json WeightsBoard::paint(const Arguments& given) {
  require_draft();
  const std::string joint = given.text("joint", 1000);
  const WeightsBody& body = draft_->body();
  Dab dab{.mode = brush_mode(given.text("mode", 100)), .joint = body.joint_named(joint)};
  if (dab.joint < 0) refuse("joint \"" + joint + "\"", joint, "carries no skin", "choose one of the list");
  dab.radius = given.number("radius", 1e-9, kLargestBrush), dab.strength = given.number("strength", 0, 1);
  const bool mirrored = given.has("mirrored") && given.flag("mirrored");
  if (mirrored && !body.mirror())
    refuse("the character", "", "is not its own mirror image", "paint either side by itself");
  std::vector<int> points;
  for (const double number : given.numbers("points", kMostOfStroke)) {
    if (number != std::floor(number) || number < 0 || number >= body.point_count())
      refuse("point " + written(Json(number)), "", "is not on the character", "point at its skin");
    points.push_back(static_cast<int>(number));
  }
  const int before = draft_->version();
  const std::vector<int> painted = draft_->paint(dab, points, mirrored, given.integer("stroke", 0, 2'000'000'000));
  if (!painted.empty()) changed();
  Json lists = Json::array();
  for (const int point : painted) {
    Json list = Json::array();
    for (const Influence& each : draft_->at(point))
      list.push_back(each.joint), list.push_back(std::round(1e5 * each.weight) / 1e5);
    lists.push_back(std::move(list));
  }
  return {{"from", before}, {"version", draft_->version()}, {"points", painted}, {"influences", std::move(lists)}};
}

void WeightsBoard::undo(const Arguments&) {
  require_draft();
  draft_->undo();
  changed(), store();
}

void WeightsBoard::redo(const Arguments&) {
  require_draft();
  draft_->redo();
  changed(), store();
}

/// The file with these weights, all else as it is; settings of the open project go along.
void WeightsBoard::keep(const Arguments&) {
  require_draft();
  if (!draft_->changed()) refuse("the weights", "", "are those of the file", "compute or paint first");
  state_ = "computing", problem_.clear();
  studio_.touch("weights");
  studio_.work().start(
      "Writing " + output().filename().string(),
      [this, from = fs::path(studio_.project().file), to = output(),
       weights = draft_->of_bones()](const ProgressCallback& progress) -> std::function<void()> {
        const GltfFile file(from, progress);
        write_file(to, glb_with_skin_weights(file, weights));
        return [this, path = fs::canonical(to).string()] {
          state_ = "ready";
          Project project = studio_.project();
          project.file = path;
          keep_project(studio_.options().state, project);
          studio_.begin_project(std::move(project));
          studio_.load("Opening " + fs::path(path).filename().string());
        };
      },
      [this](std::exception_ptr error) {
        state_ = draft_ ? "ready" : "none";
        studio_.touch("weights");
        studio_.report(error);
      });
  studio_.touch("job");
}

/// Once the hand rests: what other pages fetch, and the distance from the file's weights over its clips.
void WeightsBoard::tick() {
  if (!draft_) return;
  if (state_ == "computing" && !studio_.work().busy())  // other work took its place, and it never says that it ended
    state_ = "ready", studio_.touch("weights");
  if (stored_ != draft_->version()) store(), studio_.touch("weights");
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - last_change_;
  const bool known = measured_ && measured_->version == draft_->version();
  if (known || lane_.busy() || since.count() < kHandRests || !draft_->changed() ||
      draft_->body().character().clips.empty())
    return;
  measuring_ = true;
  studio_.touch("weights");
  lane_.start(
      "Measuring",
      [this, body = draft_->shared_body(), changed = draft_->character(),
       version = draft_->version()](const ProgressCallback&) -> std::function<void()> {
        std::vector<int> points;
        for (const SkinPart& part : body->parts()) points.insert(points.end(), part.points.begin(), part.points.end());
        const Measured measured{version, skin_difference(body->character(), changed, points)};
        return [this, measured] {
          measuring_ = false, measured_ = measured;
          studio_.touch("weights");
        };
      },
      [this](std::exception_ptr error) { measuring_ = false, fail(error); });
}

HttpAnswer WeightsBoard::get(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto& bytes = name == "file.bin" ? file_bytes_ : name == "draft.bin" ? draft_bytes_ : nullptr;
  if (!bytes) return {.status = 404};
  return {.type = "application/octet-stream", .body = bytes};
}

void WeightsBoard::fail(std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const Cancelled&) {
  } catch (const std::exception& failed) {
    problem_ = failed.what();
  }
  studio_.touch("weights"), studio_.touch("job");
}

}  // namespace rigspace::studio
