// A hand on the skin: the selected template follows.

#include "forces_board.h"

#include <chrono>
#include <cmath>

namespace rigspace::studio {
namespace {

constexpr double kFarthestHand = 1e6;  // scene units

Vec3 place_in(const Arguments& given, const char* field) {
  const std::vector<double> x = given.numbers(field, 3);
  if (x.size() != 3 || !(std::abs(x[0]) + std::abs(x[1]) + std::abs(x[2]) < kFarthestHand))
    refuse(std::string("argument \"") + field + "\"", "", "is no place in the scene", "expected [x, y, z]");
  return {x[0], x[1], x[2]};
}

}  // namespace

void ForcesBoard::drag(const Arguments& given) {
  require_draft();
  const int count = studio_.playback().points() ? studio_.playback().points()->count() : draft_->rig->point_count();
  const int point = rig_point(given.integer("point", 0, count - 1));
  const Vec3 target = place_in(given, "target");
  if (selected_.empty())
    refuse("the skin", "", "has no template to shape", "place a template, or choose one of the list");
  const ForceRigPart* const part = part_of(*draft_, selected_);
  if (part == nullptr || !part->is_template())
    refuse("rig \"" + selected_ + "\"", selected_, "is a fitted shape, not a template", "choose a template to shape");
  if (hand_ && hand_->over) return;
  if (!hand_ || hand_->point != point) {
    studio_.playback().set_playing(false);
    studio_.touch("play");
    hand_ = Hand{.number = ++hands_, .point = point};
    live_ = Json();
    problem_.clear();
  }
  hand_->target = target, hand_->due = true;
  next();
}

void ForcesBoard::end(const Arguments& given) {
  const bool keep = given.flag("keep");
  if (keep && given.has("point")) drag(given);
  if (!hand_) return;
  if (keep)
    hand_->over = true;
  else
    hand_.reset(), show();
  studio_.touch("forces");
  next();
}

/// One solve at a time, for the newest place of the hand.
void ForcesBoard::next() {
  if (!hand_ || lane_.busy()) return;
  if (!hand_->due) {
    if (hand_->over) finish();
    return;
  }
  hand_->due = false;
  std::map<int, Vec3> goals = pins_;
  goals[hand_->point] = hand_->target;
  lane_.start(
      "Shaping a template",
      [this, file = draft_, selected = selected_, p = pose(), goals, known = hand_->drag,
       number = hand_->number](const ProgressCallback&) -> std::function<void()> {
        const auto begin = std::chrono::steady_clock::now();
        auto drag = known;
        std::vector<DragTarget> targets;
        std::vector<Vec3> places;
        for (const auto& [point, place] : goals) targets.push_back({point, place}), places.push_back(place);
        if (!drag) drag = std::make_shared<RigDrag>(*file, selected, p, targets);
        const DragResult result = drag->move(places, {.prior = 1e-4, .max_iterations = 12});
        auto s = std::make_shared<Vec>();
        drag->surface(*s);
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
        ForceRigPart part = *part_of(*file, selected);  // its numbers, for the panel
        part.samples[drag->sample()].value = drag->parameters();
        return [this, drag, s, number, numbers = numbers_of(part), result, ms = took.count()] {
          if (!hand_ || hand_->number != number) return next();
          hand_->drag = drag;
          ms_ = ms, off_before_ = result.before, off_after_ = result.after;
          studio_.playback().set_shape(*s);
          shown_ = true;
          live_ = numbers;
          studio_.touch("forces");
          next();
        };
      },
      [this, number = hand_->number](std::exception_ptr error) {
        if (hand_ && hand_->number == number) hand_.reset();
        show();
        fail(error);
      });
}

/// What the hand left is a step of undo, and the point stays where it was dragged.
void ForcesBoard::finish() {
  const Hand done = *std::exchange(hand_, std::nullopt);
  live_ = Json();
  if (!done.drag) return;
  try {
    change([&](ForcesFile& file) { done.drag->keep(file); });
    pins_[done.point] = done.target;
  } catch (...) {  // nobody's command: it is said on the panel
    show();
    fail(std::current_exception());
  }
}

}  // namespace rigspace::studio
