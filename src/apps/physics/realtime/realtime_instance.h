#pragma once
// Private to physics: what one RealtimeRig holds.

#include "realtime_body.h"
#include "realtime_model.h"
#include "spring_stand_in.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace rigspace {

inline constexpr double kEase = 0.1;  ///< s: time in which the factor on the deviation follows a change of model

struct RealtimeRig::Data {
  Data(std::shared_ptr<const RealtimeModel> of, RealtimeLevel made_at)
      : model(std::move(of)), shared(*model->data_->training), finest(made_at), level(made_at) {}

  void cut(bool zero);
  void skip(int first, double dt);
  bool walk(int j, double dt);
  void evaluate_together(int first, int count, double dt);
  bool step_bodies();
  void pose(double share);
  void take_settings();
  void ease_scaling(double dt);
  void write_out();
  void see(In pose);
  void choose_body(std::size_t b);
  void choose_world();
  // Levels of detail (realtime_levels.cpp).
  void make_bodies();
  RealtimeBody* body_at(RealtimeLevel at, std::size_t b) const;
  const SteppedBody& settings_of(RealtimeLevel at, std::size_t b) const;
  void require_level(RealtimeLevel wanted) const;
  void change_level(RealtimeLevel to);
  void begin_springs();
  void end_springs(RealtimeLevel to);
  void step_springs(double dt);
  void measure(Vec& value, Vec& rate) const;
  void add_offset();
  void require_size(std::size_t size) const;
  void require_pose(std::span<const double> given) const;

  std::shared_ptr<const RealtimeModel> model;
  const RealtimeTraining& shared;  // of all models that this instance may have
  const bool remembers = shared.character.rig && shared.character.rig->traits().remembers_poses;
  RealtimeLevel finest, level;
  std::vector<std::unique_ptr<RealtimeBody>> few, wide;  // bodies with sampled and with all elements; see Data::wide.
                                                         // Of an instance made at a lower level `few` are its own
  std::vector<std::unique_ptr<RealtimeBody>> light;      // where `few` are full
  std::optional<SpringPlayer> player;                    // where the model has springs
  double tick = 0;                                       // s since the last tick of the springs
  Vec offset, offset_rate;                               // of the last level from this one, when it was left
  Vec offset_now, rate_now, rate, fresh_rate;            // scratch
  double since_level = 1;                                // s since then
  std::vector<std::unique_ptr<RealtimeBody>> touching;   // of the model's RealtimeContact; stepped where there are any
  std::shared_ptr<const RealtimeContact> contact;        // that `touching` is made of
  std::vector<RealtimeBody*> bodies;                     // of each pair the one that is stepped at present
  std::vector<Vec> past;  // keyed poses of the last grid times, latest first; none at RealtimeLevel::springs
  Vec p_last, p_next, p;  // keyed poses at the last call, at this one, and at a grid time between
  double phase = 0;       // s since the last grid time
  bool jump = false, outside = false;
  bool started = false;  // there was a reset
  long steps = 0, unconverged = 0, iterations = 0, left_out = 0;
  double budget = 0;        // s of a call; 0: any
  Deadline deadline;        // of the call under way
  std::size_t begin = 0;    // the body that a grid step begins with: the first that was left out
  Vec scaling;              // factor on the deviation at present, per free control
  Vec scaling_before;       // when the model was changed
  double since_change = 0;  // s
  Vec deviation, simulated;
  Vec free_next;  // scratch: keyed values of the free controls
  Vec written;    // values of the free controls that `apply` wrote last, see set_keyed
};

}  // namespace rigspace
