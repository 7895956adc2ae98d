#pragma once
// What a run keeps while it lasts, in OUT.partial, so that one that was killed goes on where it stood.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// A place inside a run: its clip, and of that the solve, since a clip with edits has several.
struct RunPosition {
  std::size_t clip = 0, solve = 0;
  bool operator==(const RunPosition&) const = default;
};

/// Clips may be kept from several threads at once, each from one. The folder is there until `discard`: a run that is
/// cancelled, fails or is killed leaves it, if anything was kept in it, and the next run under the same key goes on.
class PartialRun {
 public:
  /// Goes on with what lies in the folder if that was kept under the same key, otherwise starts anew. Throws Error if
  /// there is something of that name that no run left.
  PartialRun(std::filesystem::path folder, std::string key);
  ~PartialRun();  ///< removes a folder in which nothing was kept
  PartialRun(const PartialRun&) = delete;
  PartialRun& operator=(const PartialRun&) = delete;

  /// The run is over and written: nothing of it is needed any more.
  void discard();

  /// The text of a clip that was finished before, if it was.
  std::optional<std::string> finished(std::size_t clip) const;
  void keep_finished(std::size_t clip, const std::string& text);

  /// The last checkpoint of a clip if it is of this place; empty otherwise.
  std::vector<std::byte> checkpoint(RunPosition at) const;
  void keep_checkpoint(RunPosition at, double fraction, std::span<const std::byte> bytes);

  /// Where the last checkpoint of a clip stands, 0..1 of its solve; nothing if there is none.
  struct Mark {
    RunPosition at;
    double fraction = 0;
  };
  std::optional<Mark> mark(std::size_t clip) const;

  /// How many clips are finished in a folder that a run left; 0 if it is not there.
  static std::size_t finished_in(const std::filesystem::path& folder);

 private:
  std::filesystem::path clip_file(std::size_t clip) const;
  std::filesystem::path checkpoint_file(std::size_t clip) const;

  std::filesystem::path folder_;
};

}  // namespace rigspace
