#include "forces_board.h"

#include "rigspace/apps/clothing/garment_file.h"
#include "rigspace/base/files.h"
#include "rigspace/io/formats.h"
#include "rigspace/jobs/clip_names.h"

#include <algorithm>
#include <cmath>

namespace rigspace::studio {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostUndo = 50;
constexpr double kFarthest = 1e6;  // scene units

bool is_force_rig(const fs::path& path) {
  if (!path.string().ends_with(".json")) return false;
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return false;
  const Json json = Json::parse(read_text(path), nullptr, false, true);
  return json.is_object() && json.contains("kind") && json["kind"] == "forces";
}

}  // namespace

const ForceRigPart* part_of(const ForcesFile& file, const std::string& name) {
  for (const ForceRigPart& part : file.plan.rigs)
    if (part.name == name) return &part;
  return nullptr;
}

/// The sample at which a template is shaped: its last that has strength.
std::size_t full_sample(const ForceRigPart& part) {
  std::size_t full = part.samples.size() - 1;
  for (std::size_t k = 0; k < part.samples.size() && part.is_template(); ++k)
    if (part.samples[k].value[0] != 0) full = k;
  return full;
}

Json numbers_of(const ForceRigPart& part) {
  Json numbers = Json::array();
  if (!part.is_template()) return numbers;
  const auto names = part.force.front().parameter_names();
  const Vec& value = part.samples[full_sample(part)].value;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const bool angle = is_angle(names[k]);
    numbers.push_back(
        {{"name", std::string(names[k])},
         {"value", angle ? value[static_cast<Eigen::Index>(k)] / kDegree : value[static_cast<Eigen::Index>(k)]},
         {"angle", angle}});
  }
  return numbers;
}

void ForcesBoard::require_draft() const {
  if (!studio_.playback().is_open()) refuse("the studio", "", "has no character", "open a file first");
  if (!draft_)
    refuse("the character", "", "is no flesh yet", "make a lattice first (forces.make), or open a force rig");
}

fs::path ForcesBoard::output() const {
  const fs::path file = studio_.project().file;
  std::string stem = file.filename().string();
  stem = stem.ends_with(".rig.json") ? stem.substr(0, stem.size() - 9) : fs::path(stem).stem().string();
  return studio_.options().out / (stem + ".rig.json");
}

Json ForcesBoard::slice() const {
  Json templates = Json::array(), rigs = Json::array(), pins = Json::array();
  for (const ForceTemplate kind : kAllForceTemplates) templates.push_back(std::string(name(kind)));
  if (draft_)
    for (const ForceRigPart& part : draft_->plan.rigs)
      rigs.push_back({{"name", part.name},
                      {"template", part.is_template() ? Json(std::string(name(part.force.front().kind))) : Json()},
                      {"control", part.control},
                      {"numbers", hand_ && part.name == selected_ && live_.is_array() ? live_ : numbers_of(part)}});
  for (const auto& [point, place] : pins_) pins.push_back({place.x(), place.y(), place.z()});
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
  const std::string command =
      studio_.playback().is_open() && !draft_
          ? "rigspace forces lattice " + shell_quoted(studio_.project().file) + " -o " + shell_quoted(output().string())
          : "";
  return {{"state", state_},
          {"problem", problem_},
          {"templates", std::move(templates)},
          {"rigs", std::move(rigs)},
          {"selected", selected_.empty() ? Json() : Json(selected_)},
          {"pins", std::move(pins)},
          {"cells", draft_ ? draft_->rig->body().elements.cell_count() : 0},
          {"changed", changed_},
          {"undo", before_.size()},
          {"before", number(off_before_)},
          {"after", number(off_after_)},
          {"ms", number(ms_)},
          {"command", command}};
}

void ForcesBoard::opened() {
  hand_.reset(), pins_.clear(), before_.clear();
  draft_.reset();  // first: it is of another character
  lane_.cancel();
  problem_.clear();
  changed_ = shown_ = false;
  ms_.reset(), off_before_.reset(), off_after_.reset();
  const fs::path path = studio_.project().file;
  state_ = "plain";
  studio_.touch("forces");
  if (!is_force_rig(path)) {
    selected_.clear();
    return;
  }
  state_ = "reading";
  lane_.start(
      "Reading forces",
      [this, path](const ProgressCallback&) -> std::function<void()> {
        const auto read = std::make_shared<const ForcesFile>(read_forces_file(path));
        return [this, read] {
          draft_ = read;
          state_ = "ready";
          if (!part_of(*draft_, selected_)) selected_.clear();
          show();
          studio_.touch("forces");
        };
      },
      [this](std::exception_ptr error) { state_ = "plain", fail(error); });
}

/// A lattice for the open character, as long work; the force rig is opened in its place.
void ForcesBoard::make(const Arguments& given) {
  if (!studio_.playback().is_open()) refuse("the studio", "", "has no character", "open a file first");
  if (draft_) refuse("the character", "", "is flesh already", "place templates on it");
  ForceBodyOptions options;
  if (given.has("cells")) options.cover.cells = given.integer("cells", 8, 200000);
  state_ = "making", problem_.clear();
  studio_.touch("forces");
  studio_.work().start(
      "Covering the body with cells",
      [this, options, from = fs::path(studio_.project().file), to = output(),
       out = studio_.options().out](const ProgressCallback&) -> std::function<void()> {
        const fs::path mesh = out / from.filename();
        std::error_code failed;
        if (!fs::equivalent(mesh, from, failed)) {  // force rigs lie beside their mesh
          if (fs::exists(mesh, failed) && read_file(mesh) != read_file(from))
            refuse("file \"" + mesh.string() + "\"", mesh.string(), "is there already, and is another one",
                   "rename the character");
          write_file(mesh, read_file(from));
        }
        const ForcesFile file = make_forces_file(load_character(mesh), mesh.filename().string(), options);
        if (fs::exists(to, failed) && !is_force_rig(to))
          refuse("file \"" + to.string() + "\"", to.string(), "is there already, and is no force rig",
                 "rename the character, or take that file away");
        write_file(to, to_forces_json(file.plan, *file.rig));
        return [this, path = fs::canonical(to).string()] {
          studio_.begin_project(Project{.file = path});
          studio_.load("Opening " + fs::path(path).filename().string());
        };
      },
      [this](std::exception_ptr error) { state_ = "plain", fail(error); });
}

int ForcesBoard::rig_point(int drawn) const {
  const DrawnPoints* const points = studio_.playback().points();
  return points ? points->rig_points()[static_cast<std::size_t>(drawn)] : drawn;
}

void ForcesBoard::change(const std::function<void(ForcesFile&)>& edit) {
  require_draft();
  auto file = std::make_shared<ForcesFile>(*draft_);
  edit(*file);
  before_.push_back(draft_->plan.rigs);
  if (before_.size() > kMostUndo) before_.erase(before_.begin());
  draft_ = std::move(file);
  changed_ = true, problem_.clear();
  show();
  studio_.touch("forces");
}

void ForcesBoard::place(const Arguments& given) {
  require_draft();
  hand_.reset();
  const ForceTemplate kind = force_template(given.text("template", 100));
  const int count = studio_.playback().points() ? studio_.playback().points()->count() : draft_->rig->point_count();
  const int i = rig_point(given.integer("point", 0, count - 1));
  const std::string made = free_rig_name(*draft_, kind);
  pins_.clear();
  change([&](ForcesFile& file) {
    const ForceBody& body = *file.bodies->whole();
    file.plan.rigs.push_back(template_on_skin(body, kind, point(body.points_rest, i), made));
    renew_rigs(file);
  });
  selected_ = made;
  off_before_.reset(), off_after_.reset(), ms_.reset();
  show();
}

void ForcesBoard::select(const Arguments& given) {
  require_draft();
  hand_.reset();
  const std::string wanted = given.has("rig") ? given.text("rig", 200) : "";
  if (!wanted.empty() && !part_of(*draft_, wanted))
    refuse("rig \"" + wanted + "\"", wanted, "is not there", "place one");
  selected_ = wanted;
  pins_.clear(), off_before_.reset(), off_after_.reset();
  show();
  studio_.touch("forces");
}

void ForcesBoard::set(const Arguments& given) {
  hand_.reset();
  const std::string rig = given.text("rig", 200), number = given.text("number", 100);
  double value = given.number("value", -kFarthest, kFarthest);
  if (is_angle(number)) value *= kDegree;
  change([&](ForcesFile& file) { set_template_number(file, rig, full_sample(rig_named(file, rig)), number, value); });
}

void ForcesBoard::remove(const Arguments& given) {
  hand_.reset();
  const std::string rig = given.text("rig", 200);
  change([&](ForcesFile& file) {
    rig_named(file, rig);
    std::erase_if(file.plan.rigs, [&](const ForceRigPart& part) { return part.name == rig; });
    renew_rigs(file);
  });
  if (selected_ == rig) selected_.clear(), pins_.clear(), show();
}

/// A sculpt from a file, in the pose that is shown.
void ForcesBoard::fit(const Arguments& given) {
  require_draft();
  hand_.reset();
  const fs::path path = given.text("path");
  std::error_code failed;
  const fs::path real = fs::canonical(path, failed), out = fs::canonical(studio_.options().out, failed);
  if (real.extension() != ".obj" || std::mismatch(out.begin(), out.end(), real.begin(), real.end()).first != out.end())
    refuse("file \"" + path.string() + "\"", path.string(), "is no .obj that was sent to the studio",
           "drop the sculpt on the panel");
  const bool nearest = given.has("nearest") && given.flag("nearest");
  const std::string name = given.has("name") ? given.text("name", 100) : path.stem().string();
  const Vec p = pose();
  change([&](ForcesFile& file) {
    RigFitOptions options{.name = name, .p = p};
    options.fit.fit.correspond = !nearest;
    const RigFit made = [&] {
      try {
        return fit_rig(file, read_obj_mesh(real), options);
      } catch (const Error& error) {
        throw error.code() == ErrorCode::usage ? error : error.in_file(path.filename().string());
      }
    }();
    off_before_ = made.found.before, off_after_ = made.found.after;
  });
  selected_ = name, pins_.clear();
  show();
}

/// The pose that is shown, on the draft's controls; what is selected is at full.
Vec ForcesBoard::pose() const {
  const Playback& playback = studio_.playback();
  const std::span<const Control> from = playback.character().character().rig->controls();
  const Vec& shown = playback.pose();
  Vec p = draft_->rig->rest();
  for (std::size_t c = 0; c < from.size() && static_cast<Eigen::Index>(c) < shown.size(); ++c)
    if (const int own = draft_->rig->find(from[c].name); own >= 0) p[own] = shown[static_cast<Eigen::Index>(c)];
  if (const ForceRigPart* const part = part_of(*draft_, selected_))
    if (const int c = draft_->rig->find(part->control); c >= 0 && draft_->base.rig->find(part->control) < 0)
      p[c] = part->samples[full_sample(*part)].at;
  return p;
}

/// The draft's skin in place of the file's, where they differ.
void ForcesBoard::show() {
  if (!studio_.playback().is_open() || !studio_.playback().points()) return;
  const bool wanted = draft_ && (changed_ || !selected_.empty());
  if (!wanted) {
    if (shown_) studio_.playback().set_shape(std::nullopt);
    shown_ = false;
    return;
  }
  try {
    seen_pose_ = pose();
    Vec s;
    draft_->rig->evaluate(*draft_->rig->make_workspace(), seen_pose_, s);
    studio_.playback().set_shape(std::move(s));
    shown_ = true;
  } catch (...) {
    fail(std::current_exception());
  }
}

/// The clip may have moved on, or a slider.
void ForcesBoard::tick() {
  if (!shown_ || !draft_ || hand_ || !studio_.playback().is_open()) return;
  if (const Vec p = pose(); p.size() != seen_pose_.size() || p != seen_pose_) show();
}

void ForcesBoard::release(const Arguments&) {
  hand_.reset();
  pins_.clear();
  studio_.touch("forces");
}

void ForcesBoard::undo(const Arguments&) {
  require_draft();
  hand_.reset();
  if (before_.empty()) refuse("the force rig", "", "has nothing to go back to", "change something first");
  auto file = std::make_shared<ForcesFile>(*draft_);
  file->plan.rigs = before_.back();
  renew_rigs(*file);
  before_.pop_back();
  draft_ = std::move(file);
  if (!part_of(*draft_, selected_)) selected_.clear();
  pins_.clear(), off_before_.reset(), off_after_.reset();
  changed_ = true;
  show();
  studio_.touch("forces");
}

/// Writes the draft, and opens it: its rigs are controls then.
void ForcesBoard::keep(const Arguments&) {
  require_draft();
  hand_.reset();
  const fs::path open = studio_.project().file, to = output();
  std::error_code failed;
  const bool same = fs::equivalent(open, to, failed);
  if (!same) {
    if (fs::exists(to, failed) && !is_force_rig(to))
      refuse("file \"" + to.string() + "\"", to.string(), "is there already, and is no force rig",
             "take that file away, or rename the rig");
    const fs::path mesh = to.parent_path() / draft_->plan.mesh, own = open.parent_path() / draft_->plan.mesh;
    if (!fs::exists(mesh, failed))
      write_file(mesh, read_file(own));
    else if (read_file(mesh) != read_file(own))
      refuse("file \"" + mesh.string() + "\"", mesh.string(), "is there already, and is another one",
             "take that file away");
  }
  write_file(to, to_forces_json(draft_->plan, *draft_->rig));
  changed_ = false, state_ = "reading";
  draft_.reset();  // until it is opened anew, or what is changed meanwhile would be lost
  if (!same) studio_.begin_project(Project{.file = fs::canonical(to).string()});
  studio_.load("Opening " + to.filename().string());
  studio_.touch("forces");
}

void ForcesBoard::fail(std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const Cancelled&) {
  } catch (const std::exception& failed) {
    problem_ = failed.what();
  }
  studio_.touch("forces"), studio_.touch("job");
}

}  // namespace rigspace::studio
