// Loading the project's file with its parts, and giving the solver their settings.

#include "studio.h"

#include "rigspace/anim/rest_shell.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

namespace rigspace::studio {
namespace {

std::vector<int> all_points(const Character& character) {
  std::vector<int> points(static_cast<std::size_t>(character.rig->point_count()));
  std::iota(points.begin(), points.end(), 0);
  return points;
}

/// Of each point how far some controls move it, each by its typical change, as a share of the farthest.
Vec share_of_controls(const Character& character, const std::vector<int>& controls) {
  const Rig& rig = *character.rig;
  BlockJacobian J;
  rig.jacobian(*rig.make_workspace(), rig.rest(), controls, J);
  Vec share = Vec::Zero(rig.point_count());
  for (int i = 0; i < J.points(); ++i)
    for (int e = J.start[i]; e < J.start[i + 1]; ++e)
      share[i] = std::max(share[i], J.value.col(e).norm() * rig.controls()[controls[J.column[e]]].typical);
  const double most = share.maxCoeff();
  return most > 0 ? Vec(share / most) : share;
}

/// The groups of controls as candidates, and parts that are none of them.
void find_control_candidates(OpenFile& file) {
  const Character& artists = file.character->artists();
  const std::span<const Control> controls = artists.rig->controls();
  const auto add = [&file](PartCandidate candidate, const std::string& pattern) {
    file.patterns.push_back(pattern + "=" + candidate.part.preset);
    file.search.candidates.push_back(std::move(candidate));
  };
  std::map<std::string, std::vector<int>> groups;
  for (int c = 0; c < static_cast<int>(controls.size()); ++c)
    if (!controls[c].group.empty() && controls[c].unit != Unit::quaternion && controls[c].unit != Unit::scale)
      groups[controls[c].group].push_back(c);
  const std::vector<Part> found = find_control_parts(artists);
  for (const auto& [group, members] : groups) {
    const auto part =
        std::find_if(found.begin(), found.end(), [&, &name = group](const Part& each) { return each.name == name; });
    PartCandidate candidate{.part = {.name = group, .preset = "flesh", .controls = members}};
    if (part != found.end())
      candidate = {.part = *part,
                   .chosen = true,
                   .score = 1,
                   .reasons_for = {"no clip keys it, and its name is that of a part"}};
    else
      candidate.reasons_against = {"a clip keys it, or its name is that of no part"};
    add(std::move(candidate), group);
  }
  for (const LivePart& part : file.character->parts()) {
    const bool known = std::any_of(file.search.candidates.begin(), file.search.candidates.end(),
                                   [&](const PartCandidate& each) { return each.part.controls == part.free; });
    if (known) continue;
    std::string pattern;
    for (const std::string& control : part.carried) pattern += (pattern.empty() ? "" : ",") + control;
    add({.part = {.name = part.name, .preset = part.preset, .controls = part.free}, .chosen = true, .score = 1},
        pattern);
  }
}

/// One byte a drawn point: 0 where no solid of a part is, else 128 + 32 log2 of the factor on its stiffness.
std::shared_ptr<const Bytes> stiffness_bytes(const LiveCharacter& live, const std::vector<int>& drawn) {
  const Vec factors = stiffness_on_skin(live.character(), live.made());
  Bytes bytes(drawn.size());
  for (std::size_t i = 0; i < drawn.size(); ++i)
    if (const double factor = factors[drawn[i]]; factor > 0)
      bytes[i] = static_cast<std::byte>(std::clamp(std::lround(128 + 32 * std::log2(factor)), 1L, 255L));
  return std::make_shared<const Bytes>(std::move(bytes));
}

/// Number of nodes, number of edges, then the two nodes of each edge.
std::shared_ptr<const Bytes> cells_bytes(const BodyCells& cells) {
  std::vector<std::uint32_t> numbers{static_cast<std::uint32_t>(cells.node_count()),
                                     static_cast<std::uint32_t>(cells.edges().size())};
  for (const auto& [a, b] : cells.edges())
    numbers.push_back(static_cast<std::uint32_t>(a)), numbers.push_back(static_cast<std::uint32_t>(b));
  Bytes bytes(4 * numbers.size());
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return std::make_shared<const Bytes>(std::move(bytes));
}

/// Whether gravity and colliders are the same.
bool same_surroundings(const Project& a, const Project& b) {
  return a.gravity == b.gravity && a.collide == b.collide && (a.collide.empty() || a.friction == b.friction);
}

/// One byte a point and candidate: how much of the point hangs on it.
std::shared_ptr<const Bytes> shares_of(const Character& character, const PartSearch& search,
                                       const std::vector<int>& drawn) {
  const std::size_t points = drawn.size();
  Bytes shares(points * search.candidates.size());
  if (points == 0) return std::make_shared<const Bytes>();
  for (std::size_t k = 0; k < search.candidates.size(); ++k) {
    const Part& part = search.candidates[k].part;
    std::byte* const row = shares.data() + k * points;
    Vec share = Vec::Zero(character.rig->point_count());
    for (const int point : part.points) share[point] = 1;
    if (!part.controls.empty())
      share = share_of_controls(character, part.controls);
    else if (part.points.empty())
      share = share_of_skin(character, part.bones);
    for (std::size_t i = 0; i < points; ++i)
      row[i] = static_cast<std::byte>(std::lround(255 * std::clamp(share[drawn[i]], 0.0, 1.0)));
  }
  return std::make_shared<const Bytes>(std::move(shares));
}

/// Candidates that never move and have no evidence for them (fingers, toes) are left out: pages draw candidates.
void leave_out_trifles(PartSearch& search) {
  std::erase_if(search.candidates, [](const PartCandidate& each) {
    const bool small = each.part.bones.size() < 2 || !each.part.points.empty();
    return !each.chosen && each.score == 0 && each.reasons_for.empty() && small;
  });
  constexpr std::size_t kMost = 60;
  if (search.candidates.size() > kMost) search.candidates.resize(kMost);
}

std::shared_ptr<OpenFile> read_with_parts(const Project& project, const ProgressCallback& progress) {
  auto file = std::make_shared<OpenFile>();
  RealtimeOptions options;
  options.adjustable = true;
  file->character = std::make_shared<const LiveCharacter>(project.file, request_of(project, ""), options, progress);
  const Character& artists = file->character->artists();
  if (file->character->on_controls()) {
    find_control_candidates(*file);
  } else {
    file->search = find_part_candidates(artists);
    leave_out_trifles(file->search);
    for (const PartCandidate& each : file->search.candidates)
      file->patterns.push_back(part_pattern(artists, each.part));
  }
  const std::vector<int> drawn = file->character->on_controls() ? drawn_points(artists) : all_points(artists);
  file->shares = shares_of(artists, file->search, drawn);
  file->stiffness = stiffness_bytes(*file->character, drawn);
  file->cells = cells_bytes(BodyCells(file->character->character(), file->character->made()));
  file->glb = std::make_shared<const Bytes>(file->character->glb());
  return file;
}

}  // namespace

std::shared_ptr<const OpenFile> Studio::file() const {
  const std::lock_guard lock(file_mutex_);
  return file_;
}

std::shared_ptr<const OpenFile> Studio::file_of(std::uint32_t revision) const {
  const std::lock_guard lock(file_mutex_);
  for (const auto& each : {file_, former_file_})
    if (each && each->revision == revision) return each;
  return nullptr;
}

void Studio::load(std::string name) {
  work_.start(
      std::move(name),
      [this, project = project_](const ProgressCallback& progress) -> std::function<void()> {
        Project without_sets = project;
        without_sets.sets.clear();  // the model is tuned without them, and then adjusted
        return [this, file = read_with_parts(without_sets, progress)] {
          file->revision = ++revision_;
          {
            const std::lock_guard lock(file_mutex_);
            former_file_ = std::exchange(file_, file);
          }
          playback_.open(file->character, file->revision);
          adjust();
          for (const char* slice : {"file", "parts", "controls", "play", "job", "bake", "curves", "modes", "world"})
            touch(slice);
          frame_due_ = true;
          for (const auto& listener : opened_) listener();
        };
      },
      [this](std::exception_ptr error) { report(error); });
  touch("job");
}

std::vector<PartSetting> Studio::settings_at(double time) const {
  std::vector<PartSetting> settings;
  const auto file = this->file();
  if (!file) return settings;
  const auto& parts = file->character->parts();
  for (const bool of_clip : {false, true})
    for (const ProjectSet& set : project_.sets) {
      if (set.clip.empty() == of_clip || (of_clip && set.clip != playback_.state().clip)) continue;
      if (std::none_of(parts.begin(), parts.end(), [&](const LivePart& part) { return part.name == set.part; }))
        continue;
      std::vector<double> times, values;
      for (const auto& [at, value] : set.keys) times.push_back(at), values.push_back(value);
      settings.push_back({set.part, set.field, times.size() == 1 ? values.front() : smooth_keys(times, values)(time)});
    }
  return settings;
}

void Studio::adjust() {
  const auto file = this->file();
  if (!playback_.is_open() || !file || !file->character->model()) return;
  const std::shared_ptr<const RealtimeModel>& base = file->character->model();
  const bool same_base = world_model_ && world_base_ == base;
  const bool same_world = same_base && same_surroundings(world_project_, project_);
  const bool moved = !same_world && same_base && world_project_.gravity == project_.gravity &&
                     world_project_.friction == project_.friction && !world_project_.collide.empty() &&
                     obstacles_.move(project_.collide);
  if (!same_world && !moved) {
    const bool usual = same_surroundings(project_, Project{});
    world_model_ = usual ? base : base->in_world(obstacles_.world(project_));
  }
  if (!same_world && same_base) playback_.wake();
  world_base_ = base, world_project_ = project_;
  playback_.change_model(world_model_->adjusted(settings_at(playback_.state().time)));
  touch("parts");
}

}  // namespace rigspace::studio
