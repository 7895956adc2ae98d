// Loading the project's file with its parts, and giving the solver their settings.

#include "studio.h"

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
  auto file = std::make_shared<OpenFile>();
  RealtimeOptions options;
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

void Studio::load(std::string name) {
  work_.start(
      std::move(name),
      [this, project = project_](const ProgressCallback& progress) -> std::function<void()> {
        Project without_sets = project;
        std::erase_if(without_sets.sets, [](const ProjectSet& set) { return !set.clip.empty(); });
        return [this, file = read_with_parts(without_sets, progress)] {
          file->revision = ++revision_;
          {
            const std::lock_guard lock(file_mutex_);
            file_ = file;
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

std::vector<std::pair<std::string, PartSettings>> Studio::settings_at(double time) const {
  std::vector<std::pair<std::string, PartSettings>> all;
  const auto file = this->file();
  if (!file) return all;
  for (const LivePart& part : file->character->parts()) {
    PartSettings settings = part.settings;
    for (const bool of_clip : {false, true})
      for (const ProjectSet& set : project_.sets) {
        if (set.part != part.name || set.clip.empty() == of_clip) continue;
        if (of_clip && set.clip != playback_.state().clip) continue;
        std::vector<double> times, values;
        for (const auto& [at, value] : set.keys) times.push_back(at), values.push_back(value);
        settings.set(set.field, times.size() == 1 ? values.front() : smooth_keys(times, values)(time));
      }
    all.emplace_back(part.name, std::move(settings));
  }
  return all;
}

void Studio::adjust() {
  if (!playback_.is_open() || playback_.model() == nullptr) return;
  auto settings = settings_at(playback_.state().time);
  touch("parts");
}

}  // namespace rigspace::studio
