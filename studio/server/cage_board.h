#pragma once
// The panel Cage: an automatic cage around the open character, whose points are dragged; as a draft, and once it is
// kept as controls of the open rig file. Panel cage.cpp has the commands.

#include "cage_body.h"
#include "studio.h"

#include <mutex>
#include <optional>

namespace rigspace::studio {

class CageBoard {
 public:
  explicit CageBoard(Studio& studio)
      : studio_(studio), lane_([&studio](std::function<void()> function) { studio.post(std::move(function)); }) {}

  Json slice() const;
  /// Where the cage's points are in the pose that is shown; none while it plays.
  Json places() const;

  void make(const Arguments& given);
  void drag(const Arguments& given);
  void end(const Arguments& given);
  void undo(const Arguments& given);
  void reset(const Arguments& given);
  void keep(const Arguments& given);

  void opened();
  void tick();
  /// "shape.bin"; on the server's thread.
  HttpAnswer get(const std::string& name) const;

 private:
  struct Hand {
    int point = 0;
    Vec before;                     // offsets
    std::vector<CageFrame> frames;  // of the moment when it took hold
    std::vector<Vec3> places;
  };

  void require_cage() const;
  /// Whether the open file's own cage is moved, by its controls.
  bool is_own() const { return state_ == "ready"; }
  bool on_points() const { return studio_.playback().points() != nullptr; }
  Vec offsets() const;
  void set_offsets(Vec offsets);
  void show();
  std::vector<CageFrame> frames_now() const;
  std::filesystem::path output() const;
  std::string command() const;
  void fail(std::exception_ptr error);

  Studio& studio_;
  std::string file_, state_ = "none", problem_;
  std::shared_ptr<const CageBody> body_;
  double offset_share_ = 0;  // as asked for; 0: automatic
  Vec offsets_;              // of the cage's points, bind space; of an own cage its controls say them
  std::vector<Vec> undo_;
  std::optional<Hand> hand_;
  std::optional<Vec> carried_;  // offsets of a draft that was kept, for the file that is being opened
  std::optional<double> ms_;
  int version_ = 0;
  Vec seen_pose_;
  bool seen_playing_ = false;
  mutable std::mutex mutex_;
  std::shared_ptr<const Bytes> shape_;
  Lane lane_;  // last: its thread ends first
};

}  // namespace rigspace::studio
