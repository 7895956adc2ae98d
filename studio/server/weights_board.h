#pragma once
// The panel Weights: a draft of the open character's skin weights, computed and painted. Panel weights.cpp has the
// commands.

#include "studio.h"
#include "weights_draft.h"

#include <chrono>
#include <mutex>
#include <optional>

namespace rigspace::studio {

class WeightsBoard {
 public:
  explicit WeightsBoard(Studio& studio)
      : studio_(studio), lane_([&studio](std::function<void()> function) { studio.post(std::move(function)); }, true) {}

  Json slice() const;

  void prepare(const Arguments& given);
  void compute(const Arguments& given);
  Json paint(const Arguments& given);
  void undo(const Arguments& given);
  void redo(const Arguments& given);
  void keep(const Arguments& given);

  void opened();
  void tick();
  /// "file.bin" and "draft.bin"; on the server's thread.
  HttpAnswer get(const std::string& name) const;

 private:
  void require_draft() const;
  void store();
  void changed();
  void fail(std::exception_ptr error);
  std::filesystem::path output() const;

  Studio& studio_;
  std::string file_;  // that the draft is of
  std::string state_ = "none", problem_;
  std::optional<WeightsDraft> draft_;
  struct Measured {
    int version = 0;  // of the draft
    SkinDifference difference;
  };
  std::optional<Measured> measured_;
  bool measuring_ = false;
  std::chrono::steady_clock::time_point last_change_;
  int stored_ = -1;  // version that draft.bin has
  mutable std::mutex mutex_;
  std::shared_ptr<const Bytes> file_bytes_, draft_bytes_;
  Lane lane_;  // last: its thread ends first
};

}  // namespace rigspace::studio
