#pragma once
// The drawing of the present clip: strokes that are taken, previewed, changed and cleared, and the order in which they
// are solved. Panel sketch.cpp has its commands.

#include "sketcher.h"
#include "studio.h"

#include <deque>

namespace rigspace::studio {

/// The drawing of the present clip, and what is to be solved next.
class DrawingBoard {
 public:
  explicit DrawingBoard(Studio& studio)
      : studio_(studio), lane_([&studio](std::function<void()> function) { studio.post(std::move(function)); }) {}

  Json slice() const;
  Json lines_slice() const;

  void look(const Arguments& given);
  void preview(const Arguments& given);
  void cancel_preview();
  void add(const Arguments& given);
  void change(const Arguments& given);
  void clear(const Arguments& given);
  void go_to_key(const Arguments& given);
  void choose(const Arguments& given);

  void opened();
  void edited(const Project& before);
  void clip_changed();
  void tick();

 private:
  /// A change of the strokes of one time, on the lane's thread. Returns what undo calls it.
  struct Task {
    std::string clip;
    double time = 0;
    std::function<std::string(Sketcher&, DrawnKey&, const Vec& start, const Vec& seen, const ProgressCallback&)> act;
    std::string stroke = {};  ///< the page's name of it, whose previews are over
  };
  /// The pose at the present time without what strokes added, and as it is seen: of the artist's controls.
  struct Poses {
    Vec plain, seen;
  };

  const Character& character() const { return studio_.playback().character().artists(); }
  void require_open() const {
    if (!studio_.playback().is_open()) refuse("the studio", "", "has no character", "open a file first");
  }
  void stand_still();
  Poses poses();
  std::size_t key_at(const std::vector<DrawnKey>& keys, double time) const;
  const DrawnKey* present() const;
  DrawnStroke stroke_from(const Arguments& given) const;
  void enqueue(Task task);
  void next();
  void start(Task task);
  void start_preview();
  void start_look();
  void take_over(const Task& task, const std::vector<DrawnKey>& before, std::vector<DrawnKey> keys,
                 const std::string& what, const SketchSolve& solved);
  void show_lines(std::vector<SpaceCurve> curves);
  void fail(std::exception_ptr error);
  void fit_rest_length();

  Studio& studio_;
  std::shared_ptr<Sketcher> sketcher_;  // used on the lane alone
  std::vector<std::string> abstractions_;
  std::string abstraction_ = "stick";
  std::deque<Task> tasks_;
  std::optional<DrawnStroke> previewed_;  // newest one that was not solved for
  std::deque<std::string> over_;          // names of strokes that are finished
  std::optional<std::string> camera_;     // from which the lines are seen; none: nobody looks
  bool look_due_ = false;
  std::vector<SpaceCurve> lines_;
  Vec looked_at_;  // the pose that they were last wanted for
  std::optional<double> ms_, residual_;
  std::string problem_;
  int strokes_made_ = 0;
  double seen_time_ = 0;  // s: of the last tick
  double rest_time_ = 0;  // s: of the newest key that was asked for in the rest pose
  Lane lane_;             // last: its thread ends first
};

}  // namespace rigspace::studio
