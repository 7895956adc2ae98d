// Cage: a coarse cage around the open character whose points are dragged, the skin follows (docs/cages.md).

#include "../cage_board.h"

namespace rigspace::studio {

void add_cage_panel(Studio& studio) {
  const auto board = std::make_shared<CageBoard>(studio);
  studio.add_slice("cage", [board] { return board->slice(); });
  studio.add_slice("cage_places", [board] { return board->places(); });
  const auto add = [&](const char* name, void (CageBoard::*act)(const Arguments&)) {
    studio.add_command(name, [board, act](const Arguments& given) {
      ((*board).*act)(given);
      return Json::object();
    });
  };
  add("cage.make", &CageBoard::make);
  add("cage.drag", &CageBoard::drag);
  add("cage.end", &CageBoard::end);
  add("cage.undo", &CageBoard::undo);
  add("cage.reset", &CageBoard::reset);
  add("cage.keep", &CageBoard::keep);
  studio.add_address("/cage/", [board](const std::string& name) { return board->get(name); });
  studio.on_open([board] { board->opened(); });
  studio.on_clip([&studio] { studio.touch("cage_places"); });
  studio.add_tick([board] { board->tick(); });
}

}  // namespace rigspace::studio
