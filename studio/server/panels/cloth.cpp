// Cloth: a piece of the character, or a garment from a file, simulated over clips (docs/cloth.md). The result is a
// character of its own, which the studio opens and plays like any other.

#include "../studio.h"

#include "rigspace/apps/clothing/cloth_job.h"
#include "rigspace/base/files.h"
#include "rigspace/jobs/clip_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace rigspace::studio {
namespace {

namespace fs = std::filesystem;

/// What the panel shows. The result's path is read by the server's thread too.
struct ClothBoard {
  std::string file;     ///< of the project for which the garment was chosen
  std::string garment;  ///< a piece, or the path of an .obj
  std::string state = "none", summary;
  std::mutex mutex;
  fs::path result;
};

/// Whether the part finder takes a piece for a sheet.
bool is_found(const OpenFile& file, const Piece& piece) {
  return std::any_of(file.search.candidates.begin(), file.search.candidates.end(), [&](const PartCandidate& each) {
    return each.chosen && !each.part.points.empty() && each.part.points.front() >= piece.first_point &&
           each.part.points.front() < piece.first_point + piece.point_count;
  });
}

/// Pieces of the character, found sheets first.
Json garments_of(const Studio& studio) {
  Json list = Json::array();
  const auto file = studio.file();
  if (!file) return list;
  for (const bool found : {true, false})
    for (const Piece& piece : file->character->artists().pieces)
      if (piece.drawn && is_found(*file, piece) == found)
        list.push_back({{"name", piece.name}, {"points", piece.point_count}, {"found", found}});
  return list;
}

std::string command_of(const Studio& studio, const ClothBoard& board, const fs::path& output) {
  if (!studio.file() || board.garment.empty()) return "";
  return "rigspace cloth simulate " + shell_quoted(studio.project().file) + " --garment " +
         shell_quoted(board.garment) + " -o " + shell_quoted(output.string());
}

fs::path output_of(const Studio& studio) {
  return studio.options().out / (fs::path(studio.project().file).stem().string() + ".cloth.glb");
}

std::string summary_of(const ClothResult& made) {
  double worst = 0;
  int unfinished = 0;
  for (const ClothClipResult& clip : made.clips) {
    worst = std::max(worst, clip.report.worst_stretch);
    unfinished += clip.report.unfinished;
  }
  std::string text = fmt::format(
      "{} simulated with {} points, {} held; {} morph targets within {:.2g} mm; "
      "largest stretch {:.1f} %",
      made.clips.size() == 1 ? made.clips.front().clip : std::to_string(made.clips.size()) + " clips", made.points,
      made.held, made.shapes, 1000 * made.shape_error, 100 * (std::sqrt(1 + 2 * worst) - 1));
  if (made.freed.rounds > 0)
    text += fmt::format("; it began {} points inside the body and was moved out by up to {:.1f} cm", made.freed.inside,
                        100 * made.freed.farthest);
  if (unfinished > 0) text += fmt::format("; {} solves are unfinished", unfinished);
  return text;
}

ClothRequest request_of(Studio& studio, const ClothBoard& board, const Arguments& given) {
  ClothRequest request{.garment = board.garment};
  if (!(given.has("all") && given.flag("all"))) request.clips = {studio.playback().state().clip};
  if (given.has("attach")) request.dress.attach = given.number("attach", 0, 10);
  request.dress.unit = studio.project().unit;
  return request;
}

void run(Studio& studio, const std::shared_ptr<ClothBoard>& board, const Arguments& given) {
  if (!studio.file()) refuse("the studio", "", "has no character", "open a file first");
  if (board->garment.empty()) refuse("cloth", "", "has no garment", "choose a piece, or drop an .obj file");
  ClothRequest request = request_of(studio, *board, given);
  if (!request.clips.empty() && request.clips.front().empty())
    refuse("cloth", "", "has no motion in the rest pose", "choose a clip, or all");
  ClothSource source;
  source.character.file = studio.project().file;
  board->state = "running", board->summary.clear();
  studio.touch("cloth");
  studio.work().start(
      "Cloth of " + fs::path(board->garment).filename().string(),
      [&studio, board, source, request, output = output_of(studio)](const ProgressCallback& progress) {
        JobEvents events;
        events.progress = progress;
        const ClothResult made = simulate_cloth_file(source, request, output, events);
        return std::function<void()>([&studio, board, made, output] {
          {
            const std::lock_guard lock(board->mutex);
            board->result = output;
          }
          board->state = "ready", board->summary = summary_of(made);
          studio.touch("cloth"), studio.touch("job");
        });
      },
      [&studio, board](std::exception_ptr error) {
        board->state = board->result.empty() ? "none" : "ready";
        studio.touch("cloth");
        studio.report(error);
      });
  studio.touch("job");
}

void choose(Studio& studio, ClothBoard& board, const Arguments& given) {
  if (!studio.file()) refuse("the studio", "", "has no character", "open a file first");
  const std::string garment = given.text("garment");
  if (fs::path(garment).extension() == ".obj") {
    std::error_code failed;
    const fs::path real = fs::canonical(garment, failed);
    if (failed || real.parent_path() != fs::canonical(studio.options().out, failed))
      refuse("garment \"" + garment + "\"", garment, "is none that was sent here", "drop the file on the page");
    board.garment = real.string();
  } else {
    const Json list = garments_of(studio);
    if (std::none_of(list.begin(), list.end(), [&](const Json& each) { return each["name"] == garment; }))
      refuse("garment \"" + garment + "\"", garment, "is no piece of the character", "choose one of the list");
    board.garment = garment;
  }
  studio.touch("cloth");
}

void add_result_address(Studio& studio, const std::shared_ptr<ClothBoard>& board) {
  studio.add_address("/cloth/", [board](const std::string& name) -> HttpAnswer {
    const std::lock_guard lock(board->mutex);
    if (board->result.empty() || board->result.filename() != name) return {.status = 404};
    return {
        .type = "model/gltf-binary", .body = std::make_shared<const Bytes>(read_file(board->result)), .download = name};
  });
}

}  // namespace

void add_cloth_panel(Studio& studio) {
  const auto board = std::make_shared<ClothBoard>();
  studio.add_slice("cloth", [&studio, board]() -> Json {
    const std::lock_guard lock(board->mutex);
    const std::string name = board->result.filename().string();
    return {
        {"garments", garments_of(studio)},
        {"garment", board->garment},
        {"state", board->state},
        {"summary", board->summary},
        {"command", command_of(studio, *board, output_of(studio))},
        {"result", name.empty() ? Json(nullptr)
                                : Json{{"name", name}, {"url", "/cloth/" + name}, {"path", board->result.string()}}}};
  });
  studio.add_command("cloth.choose", [&studio, board](const Arguments& given) {
    choose(studio, *board, given);
    return Json::object();
  });
  studio.add_command("cloth.run", [&studio, board](const Arguments& given) {
    run(studio, board, given);
    return Json::object();
  });
  add_result_address(studio, board);
  studio.on_open([&studio, board] {
    if (board->file == studio.project().file) return studio.touch("cloth");  // with other parts
    board->file = studio.project().file;
    // The result stays: what was opened may be it.
    const Json list = garments_of(studio);
    const auto found =
        std::find_if(list.begin(), list.end(), [](const Json& each) { return each["found"].get<bool>(); });
    board->garment = found != list.end() ? (*found)["name"].get<std::string>() : "";
    studio.touch("cloth");
  });
}

}  // namespace rigspace::studio
