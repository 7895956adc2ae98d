// Forces: flesh that is shaped by templates on the skin (docs/forces.md). A template is placed where the page points,
// the skin is pulled where it should go, and the template's numbers follow; solved on a thread of its own.

#include "../forces_board.h"

namespace rigspace::studio {

void add_forces_panel(Studio& studio) {
  const auto board = std::make_shared<ForcesBoard>(studio);
  studio.add_slice("forces", [board] { return board->slice(); });
  const auto add = [&](const char* name, void (ForcesBoard::*act)(const Arguments&)) {
    studio.add_command(name, [board, act](const Arguments& given) {
      ((*board).*act)(given);
      return Json::object();
    });
  };
  add("forces.make", &ForcesBoard::make);
  add("forces.place", &ForcesBoard::place);
  add("forces.select", &ForcesBoard::select);
  add("forces.set", &ForcesBoard::set);
  add("forces.remove", &ForcesBoard::remove);
  add("forces.fit", &ForcesBoard::fit);
  add("forces.drag", &ForcesBoard::drag);
  add("forces.end", &ForcesBoard::end);
  add("forces.release", &ForcesBoard::release);
  add("forces.undo", &ForcesBoard::undo);
  add("forces.keep", &ForcesBoard::keep);
  studio.on_open([board] { board->opened(); });
  studio.on_clip([&studio] { studio.touch("forces"); });
  studio.add_tick([board] { board->tick(); });
}

}  // namespace rigspace::studio
