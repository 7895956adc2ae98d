// Loading the project's file with its parts, and giving the solver their settings.

#include "studio.h"

#include "rigspace/anim/plain_character.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/rig_file.h"

#include <cmath>

namespace rigspace::studio {
namespace {

/// One byte a point and candidate: how much of the point hangs on it.
std::shared_ptr<const Bytes> shares_of(const Character& character, const PartSearch& search) {
  const auto points = static_cast<std::size_t>(character.rig->point_count());
  Bytes shares(points * search.candidates.size());
  for (std::size_t k = 0; k < search.candidates.size(); ++k) {
    const Part& part = search.candidates[k].part;
    std::byte* const row = shares.data() + k * points;
    for (const int point : part.points) row[point] = std::byte{255};
    if (!part.points.empty()) continue;
    const Vec share = share_of_skin(character, part.bones);
    for (std::size_t i = 0; i < points; ++i)
      row[i] = static_cast<std::byte>(std::lround(255 * std::clamp(share[static_cast<Eigen::Index>(i)], 0.0, 1.0)));
  }
  return std::make_shared<const Bytes>(std::move(shares));
}

/// What never moves and has nothing to say for itself (fingers, toes) is left out: pages draw candidates.
void leave_out_trifles(PartSearch& search) {
  std::erase_if(search.candidates, [](const PartCandidate& each) {
    const bool small = each.part.bones.size() < 2 || !each.part.points.empty();
    return !each.chosen && each.score == 0 && each.reasons_for.empty() && small;
  });
  constexpr std::size_t kMost = 60;
  if (search.candidates.size() > kMost) search.candidates.resize(kMost);
}

std::shared_ptr<OpenFile> read_with_parts(const Project& project, const ProgressCallback& progress) {
  if (project.file.ends_with(".rig.json") && !is_plain(load_character(project.file)))
    throw Error({.file = project.file,
                 .problem = "is a rig whose own controls move, which the studio cannot draw yet",
                 .remedy = "open the .glb that it was made for, or use `rigspace simulate` and `rigspace view`"});
  auto file = std::make_shared<OpenFile>();
  RealtimeOptions options;
  options.adjustable = true;
  file->character = std::make_shared<const LiveCharacter>(project.file, request_of(project, ""), options, progress);
  const Character& artists = file->character->artists();
  file->search = find_part_candidates(artists);
  leave_out_trifles(file->search);
  for (const PartCandidate& each : file->search.candidates) file->patterns.push_back(part_pattern(artists, each.part));
  file->shares = shares_of(artists, file->search);
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

std::vector<RealtimeLook> Studio::looks_at(double time) const {
  std::vector<RealtimeLook> looks;
  const auto file = this->file();
  if (!file) return looks;
  const auto& parts = file->character->parts();
  for (const bool of_clip : {false, true})
    for (const ProjectSet& set : project_.sets) {
      if (set.clip.empty() == of_clip || (of_clip && set.clip != playback_.state().clip)) continue;
      if (std::none_of(parts.begin(), parts.end(), [&](const LivePart& part) { return part.name == set.part; }))
        continue;
      std::vector<double> times, values;
      for (const auto& [at, value] : set.keys) times.push_back(at), values.push_back(value);
      looks.push_back({set.part, set.field, times.size() == 1 ? values.front() : smooth_keys(times, values)(time)});
    }
  return looks;
}

void Studio::adjust() {
  const auto file = this->file();
  if (!playback_.is_open() || !file || !file->character->model()) return;
  playback_.change_model(file->character->model()->adjusted(looks_at(playback_.state().time)));
  touch("parts");
}

}  // namespace rigspace::studio
