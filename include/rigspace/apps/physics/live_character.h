#pragma once
// A character that is open in an interactive program: its parts planned and made as `rigspace simulate` makes them, a
// document to draw, and a model for real time.

#include "rigspace/apps/physics/realtime_rig.h"
#include "rigspace/apps/physics/simulate.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// One part of a LiveCharacter.
struct LivePart {
  std::string name, preset;
  std::string reason;                ///< of a part that was found: why, in one sentence
  std::string kind;                  ///< chain, flesh, sheet, or controls (of the rig itself)
  std::vector<std::string> carried;  ///< the artist's joints that it hangs on; of kind controls the names of these
  std::vector<std::string> moved;    ///< the nodes that it moves: these joints, or soft ones
  std::vector<int> free;             ///< the controls that it moves, ascending
  PartSettings settings;             ///< as requested: a rate or settling time of 0 is found by tuning
  bool found = false;
};

/// Immutable; may be read from many threads.
class LiveCharacter {
 public:
  /// Loads the file and makes the parts of the request; its `clips` and times are not used. Flesh gets soft joints,
  /// whatever `request.soft` is: morph targets are for files. Takes seconds, unless the cache has the results. A file
  /// that has soft clips already is a result, and gets no parts. Throws Error, and Cancelled.
  LiveCharacter(const std::string& file, const SimulationRequest& request, const RealtimeOptions& options = {},
                const ProgressCallback& progress = {});
  ~LiveCharacter();
  LiveCharacter(const LiveCharacter&) = delete;
  LiveCharacter& operator=(const LiveCharacter&) = delete;

  /// As it was loaded, and with soft joints: those are appended, controls keep their places.
  const Character& artists() const;
  const Character& character() const;
  const std::vector<LivePart>& parts() const;
  /// Null where nothing moves; the notes give the reason.
  const std::shared_ptr<const RealtimeModel>& model() const;
  const std::vector<std::string>& notes() const;
  double metres_per_unit() const;
  /// The parts with their solids, in the same order.
  std::span<const Part> made() const;
  /// The rig's own controls are simulated, so that glTF cannot hold what moves.
  bool on_controls() const;
  /// The artist's document with the soft joints in it, as GLB; with on_controls the surface at rest and the bones
  /// (rest_shell), to be moved by points.
  const std::vector<std::byte>& glb() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace rigspace
