#include "cage_board.h"

#include "rigspace/base/files.h"
#include "rigspace/base/require.h"
#include "rigspace/jobs/clip_names.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

namespace rigspace::studio {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCageUndo = 100;
constexpr double kFarthestPlace = 1e6;  // scene units

bool is_rig_file(const fs::path& path) { return path.string().ends_with(".rig.json"); }
bool is_whole(const fs::path& path) { return path.extension() == ".glb" || path.extension() == ".vrm"; }

std::string stem_of(const fs::path& path) {
  const std::string name = path.filename().string();
  return is_rig_file(path) ? name.substr(0, name.size() - 9) : fs::path(name).stem().string();
}

/// (1 - r^2)^2 within the radius.
double falloff(double distance, double radius) {
  if (!(distance < radius)) return 0;
  const double r = distance / radius;
  return (1 - r * r) * (1 - r * r);
}

}  // namespace

/// hero.rig.json, else hero.cage.rig.json, else hero.cage-2.rig.json ..: a rig file is never written over.
fs::path CageBoard::output() const {
  const fs::path& out = studio_.options().out;
  const std::string stem = stem_of(studio_.project().file);
  const auto taken = [&](const std::string& name) {
    std::error_code failed;
    return fs::exists(out / (name + ".rig.json"), failed) || fs::exists(out / (name + ".mesh.glb"), failed);
  };
  std::string name = stem;
  for (int k = 1; taken(name); ++k) name = stem + (k == 1 ? ".cage" : ".cage-" + std::to_string(k));
  return out / (name + ".rig.json");
}

void CageBoard::require_cage() const {
  if (!studio_.playback().is_open()) refuse("the studio", "", "has no character", "open a file first");
  if (!body_) refuse("the character", "", "has no cage yet", "make one first (cage.make)");
}

/// What makes the same file. A mesh that lies elsewhere is copied beside it, since a rig file names what is beside it.
std::string CageBoard::command() const {
  if (!body_ || is_own()) return "";
  const CageRequest& request = body_->request();
  fs::path file = studio_.project().file;
  std::string text;
  if (std::error_code failed;
      !is_rig_file(file) && is_whole(file) && !fs::equivalent(file.parent_path(), studio_.options().out, failed)) {
    text = "cp " + shell_quoted(file.string()) + " " + shell_quoted(studio_.options().out.string()) + " && ";
    file = studio_.options().out / file.filename();
  }
  text += "rigspace rig cage " + shell_quoted(file.string()) + " --faces " + std::to_string(request.cage.faces) +
          " --coordinates " + std::string(name(request.coordinates));
  if (request.cage.offset > 0) text += " --offset " + shortest_text(request.cage.offset);
  return text + " -o " + shell_quoted(output().string());
}

Json CageBoard::slice() const {
  Json families = Json::array(), triangles = Json::array(), made;
  for (const CageFamily family :
       {CageFamily::mean_value, CageFamily::positive_mean_value, CageFamily::green, CageFamily::harmonic,
        CageFamily::biharmonic, CageFamily::maximum_entropy, CageFamily::natural_neighbour})
    families.push_back(std::string(name(family)));
  int moved = 0;
  if (body_) {
    for (const Triangle& t : body_->cage().triangles)
      for (const int corner : t) triangles.push_back(corner);
    const AutomaticCage& cage = body_->caged().cage;
    made = {{"faces", cage.mesh.triangle_count()},
            {"points", cage.mesh.point_count()},
            {"clearance", cage.clearance},
            {"reached", cage.reached},
            {"left_out", body_->caged().left_out}};
    const Vec now = offsets();
    for (int j = 0; j < body_->point_count(); ++j) moved += now.segment<3>(3 * j).isZero(0) ? 0 : 1;
  }
  return {{"state", state_},
          {"problem", problem_},
          {"families", std::move(families)},
          {"coordinates", std::string(name(body_ ? body_->request().coordinates : CageFamily::mean_value))},
          {"faces", body_ ? body_->request().cage.faces : 300},
          {"offset", offset_share_ > 0 ? Json(offset_share_) : Json()},
          {"made", made},
          {"triangles", std::move(triangles)},
          {"version", version_},
          {"moved", moved},
          {"undo", undo_.size()},
          {"ms", ms_ ? Json(*ms_) : Json()},
          {"command", command()},
          {"output", body_ && !is_own() ? output().filename().string() : ""}};
}

Json CageBoard::places() const {
  Json points = Json::array();
  if (body_ && studio_.playback().is_open() && !studio_.playback().state().playing) {
    const Vec now = offsets();
    const std::vector<CageFrame> frames = frames_now();
    for (int j = 0; j < body_->point_count(); ++j) {
      const Vec3 x = point(body_->cage().points, j) + now.segment<3>(3 * j);
      for (const double each : frames[static_cast<std::size_t>(j)].shown(x)) points.push_back(static_cast<float>(each));
    }
  }
  return {{"points", std::move(points)}};
}

/// Of an own cage what its controls are held at.
Vec CageBoard::offsets() const {
  if (!is_own() || !studio_.playback().is_open()) return offsets_;
  Vec now = Vec::Zero(3 * body_->point_count());
  const std::span<const Control> controls = studio_.playback().character().character().rig->controls();
  const auto& held = studio_.playback().held();
  for (int j = 0; j < body_->point_count(); ++j) {
    const int first = body_->node(j).empty() ? -1 : find_control(controls, body_->node(j) + ".tx");
    for (int k = 0; k < 3 && first >= 0; ++k)
      if (const auto at = held.find(first + k); at != held.end()) now[3 * j + k] = at->second;
  }
  return now;
}

void CageBoard::set_offsets(Vec offsets) {
  const auto begin = std::chrono::steady_clock::now();
  if (is_own()) {
    const std::span<const Control> controls = studio_.playback().character().character().rig->controls();
    for (int j = 0; j < body_->point_count(); ++j) {
      const int first = body_->node(j).empty() ? -1 : find_control(controls, body_->node(j) + ".tx");
      for (int k = 0; k < 3 && first >= 0; ++k) {
        const double value = offsets[3 * j + k];
        studio_.playback().hold(first + k, value == 0 ? std::nullopt : std::optional(value));
      }
    }
    studio_.touch("controls");
  }
  offsets_ = std::move(offsets);
  show();
  ms_ = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// The skin in the draft's cage: of a glTF as a shape at bind, which pages pose; of a rig file in the pose.
void CageBoard::show() {
  ++version_;
  studio_.touch("cage"), studio_.touch("cage_places");
  if (!body_ || is_own()) return;
  Vec points;
  if (on_points()) {
    seen_pose_ = studio_.playback().pose();
    const Rig& rig = *body_->rigged().character.rig;
    const Vec p = body_->pose_with(studio_.playback().character().character().rig->controls(), seen_pose_, offsets_);
    rig.evaluate(*rig.make_workspace(), p, points);
    studio_.playback().set_shape(offsets_.isZero(0) ? std::nullopt : std::optional(std::move(points)));
    return;
  }
  body_->shape(offsets_, points);
  Bytes bytes(8 + 4 * static_cast<std::size_t>(points.size()));
  const std::uint32_t head[2] = {static_cast<std::uint32_t>(version_), static_cast<std::uint32_t>(points.size() / 3)};
  std::memcpy(bytes.data(), head, 8);
  const Eigen::VectorXf numbers = points.cast<float>();
  std::memcpy(bytes.data() + 8, numbers.data(), bytes.size() - 8);
  const std::lock_guard lock(mutex_);
  shape_ = std::make_shared<const Bytes>(std::move(bytes));
}

std::vector<CageFrame> CageBoard::frames_now() const {
  const Character& shown = studio_.playback().character().artists();
  const Rig& rig = *shown.rig;
  Vec p = studio_.playback().artists_pose().head(std::ssize(rig.controls())), skin;
  if (is_own())
    for (int j = 0; j < body_->point_count(); ++j)
      if (const int control = body_->node(j).empty() ? -1 : rig.find(body_->node(j) + ".tx"); control >= 0)
        p.segment<3>(control).setZero();
  rig.evaluate(*rig.make_workspace(), p, skin);
  return body_->frames(skin);
}

void CageBoard::opened() {
  if (file_ == studio_.project().file && body_) {  // with other parts
    show();
    return;
  }
  lane_.cancel();
  hand_.reset(), body_.reset(), undo_.clear(), ms_.reset();
  offsets_.resize(0), offset_share_ = 0;
  problem_.clear();
  file_ = studio_.project().file, state_ = "none";
  {
    const std::lock_guard lock(mutex_);
    shape_ = nullptr;
  }
  studio_.touch("cage"), studio_.touch("cage_places");
  if (!is_rig_file(file_) || !on_points()) return carried_.reset();
  state_ = "reading";
  lane_.start(
      "Reading the cage",
      [this, path = file_](const ProgressCallback&) -> std::function<void()> {
        std::shared_ptr<const CageBody> body;
        try {
          body = CageBody::of_file(read_rig_file(path));
        } catch (const Error&) {  // of another kind (forces, sketch): it opened, so nothing is wrong with it
        }
        return [this, body] {
          body_ = body, state_ = body ? "ready" : "none";
          if (body) offsets_ = Vec::Zero(3 * body->point_count());
          if (body && carried_ && carried_->size() == offsets_.size()) set_offsets(*carried_);
          carried_.reset();
          studio_.touch("cage"), studio_.touch("cage_places");
        };
      },
      [this](std::exception_ptr error) { state_ = "none", fail(error); });
}

/// As a job; where faces and offset stay, the cage does too, and the skin is bound to it anew.
void CageBoard::make(const Arguments& given) {
  if (!studio_.playback().is_open()) refuse("the studio", "", "has no character", "open a file first");
  if (is_own())
    refuse("the character", "", "has a cage already", "drag its points, or open the mesh that it is around");
  CageRequest request;
  request.coordinates = cage_family(given.text("coordinates", 100));
  request.cage.faces = given.integer("faces", 8, 5000);
  const double share = given.has("offset") ? given.number("offset", 0.002, 0.5) : 0;
  const bool same = body_ && body_->request().cage.faces == request.cage.faces && share == offset_share_;
  const std::optional<AutomaticCage> known = same ? std::optional(body_->caged().cage) : std::nullopt;
  if (same) request.cage.offset = body_->request().cage.offset;
  const std::string before = std::exchange(state_, "making");
  hand_.reset(), problem_.clear();
  studio_.touch("cage");
  studio_.work().start(
      same ? "Binding the skin to the cage" : "A cage around the body",
      [this, request, share, known, path = fs::path(studio_.project().file), whole = on_points(),
       points = studio_.playback().character().artists().rig->point_count()](
          const ProgressCallback& progress) mutable -> std::function<void()> {
        RiggedCharacter rigged = read_for_cage(path);
        if (rigged.plan.points_rest.size() != 3 * points)
          refuse("the character", "", "has other points as a rig than as it is drawn", "convert it to .glb first");
        const TriMesh surface = surface_for_cage(rigged.plan, request);
        if (!known && share > 0) request.cage.offset = share * bounding_box(surface.points).diagonal();
        AutomaticCageOptions options = request.cage;
        options.progress = progress;
        AutomaticCage cage = known ? *known : automatic_cage(surface, options);
        // Pages pose a glTF themselves: binding it once, at bind, is enough.
        const auto in = whole ? in_cage : planned_cage;
        const auto body = std::make_shared<const CageBody>(in(std::move(rigged), std::move(cage), request), request);
        return [this, body, share, keeps = known.has_value()] {
          const bool stays = keeps && offsets_.size() == 3 * body->point_count();
          body_ = body, offset_share_ = share, state_ = "draft";
          if (!stays) offsets_ = Vec::Zero(3 * body->point_count()), undo_.clear();
          ms_.reset();
          show();
          studio_.touch("job");
        };
      },
      [this, before](std::exception_ptr error) {
        state_ = before;
        studio_.touch("cage");
        studio_.report(error);
      });
  studio_.touch("job");
}

void CageBoard::drag(const Arguments& given) {
  require_cage();
  const int j = given.integer("point", 0, body_->point_count() - 1);
  const std::vector<double> target = given.numbers("target", 3);
  if (target.size() != 3 || !(std::abs(target[0]) + std::abs(target[1]) + std::abs(target[2]) < kFarthestPlace))
    refuse("argument \"target\"", "", "is no place in the scene", "expected [x, y, z]");
  const double radius = given.has("radius") ? given.number("radius", 0, kFarthestPlace) : 0;
  if (body_->node(j).empty()) refuse("point " + std::to_string(j), "", "of the cage stays", "drag another one");
  if (!hand_ || hand_->point != j) {
    studio_.playback().set_playing(false);
    studio_.touch("play");
    hand_ = Hand{.point = j, .before = offsets(), .frames = frames_now(), .places = {}};
    for (int i = 0; i < body_->point_count(); ++i)
      hand_->places.push_back(hand_->frames[static_cast<std::size_t>(i)].shown(point(body_->cage().points, i) +
                                                                               hand_->before.segment<3>(3 * i)));
  }
  const Vec3 from = hand_->places[static_cast<std::size_t>(j)], d = Vec3(target[0], target[1], target[2]) - from;
  Vec moved = hand_->before;
  for (int i = 0; i < body_->point_count(); ++i) {
    const double share = i == j ? 1 : falloff((hand_->places[static_cast<std::size_t>(i)] - from).norm(), radius);
    if (share > 0 && !body_->node(i).empty())
      moved.segment<3>(3 * i) += hand_->frames[static_cast<std::size_t>(i)].bound(share * d);
  }
  set_offsets(std::move(moved));
}

void CageBoard::end(const Arguments& given) {
  const bool keep = given.flag("keep");
  if (keep && given.has("point")) drag(given);
  if (!hand_) return;
  const Vec before = std::exchange(hand_, std::nullopt)->before;
  if (!keep) return set_offsets(before);
  if (offsets() == before) return;
  undo_.push_back(before);
  if (undo_.size() > kCageUndo) undo_.erase(undo_.begin());
  studio_.touch("cage");
}

void CageBoard::undo(const Arguments&) {
  require_cage();
  hand_.reset();
  if (undo_.empty()) refuse("the cage", "", "has nothing to go back to", "drag a point first");
  Vec before = std::move(undo_.back());
  undo_.pop_back();
  set_offsets(std::move(before));
}

void CageBoard::reset(const Arguments&) {
  require_cage();
  hand_.reset();
  undo_.push_back(offsets());
  set_offsets(Vec::Zero(3 * body_->point_count()));
}

/// Writes the rig file, with its mesh beside it, and opens it; points that were dragged stay held there.
void CageBoard::keep(const Arguments&) {
  require_cage();
  if (state_ != "draft") refuse("the cage", "", "is in the file already", "its points are controls; drag them");
  hand_.reset(), problem_.clear();
  state_ = "making";
  studio_.touch("cage");
  studio_.work().start(
      "Writing " + output().filename().string(),
      [this, body = body_, file = fs::path(studio_.project().file), to = output(),
       out = studio_.options().out](const ProgressCallback&) -> std::function<void()> {
        fs::path mesh = file;
        std::error_code failed;
        if (!is_rig_file(file) && is_whole(file) && !fs::equivalent(file.parent_path(), out, failed)) {
          mesh = out / file.filename();
          if (fs::exists(mesh, failed) && read_file(mesh) != read_file(file))
            refuse("file \"" + mesh.string() + "\"", mesh.string(), "is there already, and is another one",
                   "rename the character");
          write_file(mesh, read_file(file));
        }
        write_cage_file(to, mesh, body->caged(), body->request());
        return [this, path = fs::canonical(to).string()] {
          carried_ = offsets_;
          state_ = "draft";
          studio_.begin_project(Project{.file = path});
          studio_.load("Opening " + fs::path(path).filename().string());
        };
      },
      [this](std::exception_ptr error) {
        state_ = "draft";
        studio_.touch("cage");
        studio_.report(error);
      });
  studio_.touch("job");
}

/// The clip may have moved on. Work that another piece of work replaced never says that it ended.
void CageBoard::tick() {
  if (state_ == "making" && !studio_.work().busy()) state_ = body_ ? "draft" : "none", studio_.touch("cage");
  if (!body_ || hand_ || !studio_.playback().is_open() || studio_.playback().character().artists().rig == nullptr)
    return;
  const Vec& pose = studio_.playback().pose();
  const bool playing = studio_.playback().state().playing, as_before = std::exchange(seen_playing_, playing) == playing;
  if (as_before && pose.size() == seen_pose_.size() && pose == seen_pose_) return;
  seen_pose_ = pose;
  if (state_ == "draft" && on_points() && !offsets_.isZero(0)) return show();
  studio_.touch("cage_places");
}

HttpAnswer CageBoard::get(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  if (name != "shape.bin" || !shape_) return {.status = 404};
  return {.type = "application/octet-stream", .body = shape_};
}

void CageBoard::fail(std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const Cancelled&) {
  } catch (const std::exception& failed) {
    problem_ = failed.what();
  }
  studio_.touch("cage"), studio_.touch("job");
}

}  // namespace rigspace::studio
