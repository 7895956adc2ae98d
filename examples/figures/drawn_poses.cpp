// Thesis figures 5.1 to 5.4, 5.6 and 5.7: poses of the cast from drawings that were typed by hand, which are beside
// this file (drawings/*.json). Writes thesis_fig5_*.png into the folder given, from the folder of drawings given
// second; fails if a drawing is not reached.
#include "figure_program.h"

#include "rigspace/apps/sketch/chosen_controls.h"
#include "rigspace/apps/sketch/individual.h"
#include "rigspace/apps/sketch/pose_by_sketch.h"
#include "rigspace/cast/cast.h"
#include "rigspace/render/renderer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

using namespace rigspace;

namespace {

constexpr Color8 kRed{200, 30, 30}, kBlue{40, 78, 180}, kYellow{226, 176, 48};
std::filesystem::path drawings = "examples/figures/drawings";  // as the program is started

void draw_line(const Stroke& stroke, Color8 color, double width, Picture& picture) {
  std::vector<Vec2> line = stroke.points;
  if (stroke.closed) line.push_back(line.front());
  std::vector<float> cover(static_cast<std::size_t>(picture.width()) * picture.height(), 0);
  for (std::size_t k = 1; k < line.size(); ++k) {
    const Vec2 a = pixels_from_view(line[k - 1], picture.width(), picture.height());
    const Vec2 b = pixels_from_view(line[k], picture.width(), picture.height()), d = b - a;
    const Vec2 low = a.cwiseMin(b).array() - width, high = a.cwiseMax(b).array() + width;
    for (int y = std::max(0, static_cast<int>(low.y())); y <= std::min<double>(picture.height() - 1, high.y()); ++y)
      for (int x = std::max(0, static_cast<int>(low.x())); x <= std::min<double>(picture.width() - 1, high.x()); ++x) {
        const Vec2 at(x + 0.5, y + 0.5);
        const double t = d.squaredNorm() > 0 ? std::clamp(d.dot(at - a) / d.squaredNorm(), 0.0, 1.0) : 0;
        const double edge = 0.5 * width + 0.5 - (a + t * d - at).norm();
        float& most = cover[static_cast<std::size_t>(y) * picture.width() + x];
        most = std::max(most, static_cast<float>(std::clamp(edge, 0.0, 1.0)));
      }
  }
  for (int y = 0; y < picture.height(); ++y)
    for (int x = 0; x < picture.width(); ++x)
      if (const float most = cover[static_cast<std::size_t>(y) * picture.width() + x]; most > 0)
        picture.blend(x, y, color, most);
}

/// The middle of a picture: what is left after a border of this share of its sides.
Picture cropped(const Picture& picture, double aside, double above, double below) {
  const int x = static_cast<int>(aside * picture.width()), y = static_cast<int>(above * picture.height());
  const int width = picture.width() - 2 * x, height = picture.height() - y - static_cast<int>(below * picture.height());
  Picture result(width, height);
  paste(result, picture, -x, -y);
  return result;
}

Picture in_rows(const std::vector<Picture>& pictures, int columns) {
  const int width = pictures[0].width(), height = pictures[0].height(), count = static_cast<int>(pictures.size());
  Picture page(width * std::min(columns, count), height * ((count + columns - 1) / columns));
  for (int k = 0; k < count; ++k)
    paste(page, pictures[static_cast<std::size_t>(k)], k % columns * width, k / columns * height);
  return page;
}

/// A member of the cast with its own abstractions.
struct Actor {
  Character character;
  std::unique_ptr<Renderer> renderer;

  explicit Actor(const char* name, bool sketched = true) {
    if (sketched) {
      CastSketch made = make_cast_sketch(name);
      character = std::move(made.character);
      for (const CastAbstraction& each : made.abstractions) keep_abstraction(character, sketch_abstraction(each));
    } else {
      character = make_character(name);
    }
    renderer = std::make_unique<Renderer>(character);
  }

  Picture picture(const Vec& p, const Camera& camera, int width, int height) const {
    return renderer->render(take_snapshot(character, p), camera.as_perspective(), {.width = width, .height = height});
  }
};

struct Posed {
  SketchResult result;
  StrokeFile drawing;
};

Posed pose(const Actor& actor, const std::string& file, SketchJob job, bool& proved) {
  Posed posed{.drawing = read_strokes(drawings / (file + ".json"))};
  posed.result = pose_by_sketch(actor.character, posed.drawing, actor.character.rig->rest(), job);
  for (const SketchedPose& each : posed.result.poses) {
    std::printf("%-18s at %.2f s: %4.2f %% of the size off, %ld evaluations", file.c_str(), each.time,
                100 * each.report.residual, each.report.evaluations);
    for (const StrokeReport& stroke : each.report.strokes)
      if (!stroke.reached) std::printf(", %s not reached (%.1f %%)", stroke.stroke.c_str(), 100 * stroke.residual);
    std::printf("\n");
    proved = proved && each.report.residual < 0.025;
  }
  return posed;
}

/// The poses with the strokes over them.
std::vector<Picture> pictures(const Actor& actor, const Posed& posed, int height, bool lines = true) {
  std::vector<Picture> made;
  const int width = static_cast<int>(std::lround(height * posed.drawing.aspect()));
  for (const SketchedPose& each : posed.result.poses) {
    Picture picture = actor.picture(each.p, posed.result.camera, width, height);
    if (lines)
      for (const Stroke& stroke : each.strokes) draw_line(stroke, kRed, 3, picture);
    made.push_back(std::move(picture));
  }
  return made;
}

bool toon_figures(const std::filesystem::path& folder) {
  bool proved = true;
  const Actor toon("toon");
  const Posed run = pose(toon, "run", {.abstraction = "stick", .clip = "Run"}, proved);
  std::vector<Picture> frames;
  for (const Picture& each : pictures(toon, run, 360)) frames.push_back(cropped(each, 0.2, 0.12, 0.12));
  write_png(folder / "thesis_fig5_1_run.png", in_rows(frames, 6));

  std::vector<Picture> poses;
  for (const char* name : {"stick_hurray", "stick_kick", "stick_disco"})
    poses.push_back(
        cropped(pictures(toon, pose(toon, name, {.abstraction = "stick"}, proved), 330)[0], 0.16, 0.1, 0.1));
  // Whose outline is found from the view; it says little of how the head is turned.
  const Actor plain("toon", false);
  SketchJob job{.abstraction = "outline"};
  const std::vector<std::string> keep{"head*", "neck*"};
  job.options.controls.free = chosen_controls(*plain.character.rig, {}, keep);
  for (const char* name : {"outline_wave", "outline_shrug", "outline_lunge"})
    poses.push_back(cropped(pictures(plain, pose(plain, name, job, proved), 330)[0], 0.16, 0.1, 0.1));
  write_png(folder / "thesis_fig5_2_cartoon_man.png", in_rows(poses, 3));

  const Posed fall = pose(toon, "fall", {.abstraction = "stick", .clip = "Fall"}, proved);
  std::vector<Picture> falling;
  for (const Picture& each : pictures(toon, fall, 300)) falling.push_back(cropped(each, 0.18, 0.06, 0.12));
  write_png(folder / "thesis_fig5_3_fall.png", in_rows(falling, 5));
  return proved;
}

bool part_figure(const std::filesystem::path& folder) {
  constexpr int kSide = 200;
  std::vector<Picture> cells;
  const std::vector<CreaturePart> database = dragon_database();
  for (const CreaturePart& part : database)
    cells.push_back(render(part.character, part.character.rig->rest(), {.width = kSide, .height = kSide},
                           {.azimuth = 62 * kDegree}));
  for (const CreaturePart& part : database) {
    const Vec p = part.character.rig->rest();
    Vec s;
    part.character.rig->evaluate(*part.character.rig->make_workspace(), p, s);
    Picture icon(kSide, kSide);
    const Camera camera = frame(s, 1, {.azimuth = 90 * kDegree, .elevation = 0, .margin = 0.12});
    for (const Stroke& stroke : seen_icon(part, camera, p)) draw_line(stroke, kYellow, 3, icon);
    draw_text(icon, 10, kSide - 12, part.name, {.height = 14});
    cells.push_back(std::move(icon));
  }
  write_png(folder / "thesis_fig5_4_parts.png", in_rows(cells, 6));
  return cells.size() == 12;
}

/// Rest, the pairs over it (blue: drawn on the character, red: where that goes), and what comes of them.
std::vector<Picture> drawn_over(const Actor& actor, const std::string& file, SketchJob job, int side, bool& proved) {
  const Posed posed = pose(actor, file, job, proved);
  const Picture rest = actor.picture(actor.character.rig->rest(), posed.result.camera, side, side);
  Picture middle = rest;
  for (const Stroke& stroke : posed.drawing.strokes) draw_line(stroke, stroke.to >= 0 ? kBlue : kRed, 3, middle);
  return {rest, middle, pictures(actor, posed, side, false)[0]};
}

bool draw_over_figures(const std::filesystem::path& folder) {
  bool proved = true;
  const Actor elephant("elephant", false);
  std::vector<Picture> cells;
  for (const char* name : {"elephant_trumpet", "elephant_bow"})
    for (const Picture& each : drawn_over(elephant, name, {}, 380, proved))
      cells.push_back(cropped(each, 0.14, 0.05, 0.14));
  write_png(folder / "thesis_fig5_6_elephant.png", in_rows(cells, 3));
  const Actor face("face");
  SketchJob job;
  job.options.controls.free = offered_controls(*face.character.rig);  // the 44 of table 5.1
  cells.clear();
  for (const Picture& each : drawn_over(face, "face_eleven", job, 560, proved))
    cells.push_back(cropped(each, 0.24, 0.14, 0.16));
  write_png(folder / "thesis_fig5_7_face.png", in_rows(cells, 3));
  return proved;
}

bool draw(const std::filesystem::path& folder) {
  const bool parts = part_figure(folder), over = draw_over_figures(folder), toon = toon_figures(folder);
  return parts && over && toon;
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 2) drawings = arguments[2];
  return run_figure(std::min(count, 2), arguments, draw);
}
