// Weights: skin weights of the open character, computed by a method or painted, as a draft until they are kept
// (docs/weights.md).

#include "../weights_board.h"

namespace rigspace::studio {

void add_weights_panel(Studio& studio) {
  const auto board = std::make_shared<WeightsBoard>(studio);
  studio.add_slice("weights", [board] { return board->slice(); });
  const auto add = [&](const char* name, void (WeightsBoard::*act)(const Arguments&)) {
    studio.add_command(name, [board, act](const Arguments& given) {
      ((*board).*act)(given);
      return Json::object();
    });
  };
  add("weights.prepare", &WeightsBoard::prepare);
  add("weights.compute", &WeightsBoard::compute);
  add("weights.undo", &WeightsBoard::undo);
  add("weights.redo", &WeightsBoard::redo);
  add("weights.keep", &WeightsBoard::keep);
  studio.add_command("weights.paint", [board](const Arguments& given) { return board->paint(given); });
  studio.add_address("/weights/", [board](const std::string& name) { return board->get(name); });
  studio.on_open([board] { board->opened(); });
  studio.add_tick([board] { board->tick(); });
}

}  // namespace rigspace::studio
