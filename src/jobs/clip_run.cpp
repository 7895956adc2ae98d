#include "rigspace/jobs/clip_run.h"

#include "rigspace/jobs/partial_run.h"

#include <optional>

namespace rigspace {

std::vector<std::byte> ClipCheckpoints::resume(std::size_t solve) const {
  return kept_ == nullptr ? std::vector<std::byte>() : kept_->checkpoint({clip_, solve});
}

void ClipCheckpoints::save(std::size_t solve, double fraction, std::span<const std::byte> bytes) const {
  if (kept_ != nullptr) kept_->keep_checkpoint({clip_, solve}, fraction, bytes);
}

namespace {

/// Share of the run, 0..1, that need not be made again: clips that are there, and the one under way up to its mark.
double share_done(const ClipWork& work, const std::vector<char>& there, const PartialRun& kept) {
  double done = 0, all = 0;
  const auto mark = kept.mark();
  for (std::size_t k = 0; k < work.count(); ++k) {
    const double whole = work.duration(k) * static_cast<double>(work.solves(k));
    all += whole;
    if (there[k])
      done += whole;
    else if (mark && mark->at.clip == k)
      done += work.duration(k) * (static_cast<double>(mark->at.solve) + mark->fraction);
  }
  return all > 0 ? done / all : 0;
}

}  // namespace

void run_clips(ClipWork& work, const ClipRunOptions& options) {
  std::optional<PartialRun> kept;
  if (!options.partial.empty()) kept.emplace(options.partial, options.key);
  std::vector<char> there(work.count(), 0);
  if (kept)
    for (std::size_t k = 0; k < work.count(); ++k)
      if (const auto text = kept->finished(k)) there[k] = work.restore(k, *text) ? 1 : 0;
  if (options.begun) options.begun(kept ? share_done(work, there, *kept) : 0);
  for (std::size_t k = 0; k < work.count(); ++k) {
    if (!there[k]) {
      const std::string stage =
          work.count() > 1 ? work.name(k) + " (" + std::to_string(k + 1) + " of " + std::to_string(work.count()) + ")"
                           : work.name(k);
      work.make(k, ClipCheckpoints(kept ? &*kept : nullptr, k), part_of_progress(options.progress, 0, 1, stage));
      if (kept) kept->keep_finished(k, work.finished(k));
    }
    if (options.made) options.made(k);
  }
}

}  // namespace rigspace
