// Thesis figure 5.5: dragons of one's own. Strokes that were typed by hand, the parts that were recognised in them, and
// the dragons. Writes thesis_fig5_5_dragons.png into the folder given; fails if a part is mistaken.
#include "figure_program.h"

#include "rigspace/apps/sketch/individual.h"
#include "rigspace/render/renderer.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

using namespace rigspace;

namespace {

constexpr double kHeight = 4.2;  // metres that the page of a drawing is high

using Line = std::vector<Vec2>;  // metres: to the right is the dragon's back, up is up
struct Sketch {
  const char* part;  // what the artist meant: said nowhere but in the check
  std::vector<Line> lines;
  bool closed = false;
};
struct Dragon {
  const char* name;
  std::vector<Sketch> sketches;
};

// Turned by degrees about its first line's start, scaled, and put there.
Sketch put(Sketch sketch, const Vec2& at, double degrees, double size) {
  const Vec2 from = sketch.lines.front().front();
  const Eigen::Matrix2d turn = size * Eigen::Rotation2Dd(degrees * kDegree).toRotationMatrix();
  for (Line& line : sketch.lines) {
    for (Vec2& x : line) x = at + turn * (x - from);
  }
  return sketch;
}

Sketch head() {  // neck, skull, jaw, horn
  return {"head",
          {{{0, 0}, {-0.10, 0.08}, {-0.19, 0.19}, {-0.24, 0.33}, {-0.26, 0.44}, {-0.29, 0.53}},
           {{-0.33, 0.45},
            {-0.22, 0.47},
            {-0.22, 0.61},
            {-0.33, 0.64},
            {-0.45, 0.58},
            {-0.62, 0.56},
            {-0.67, 0.50},
            {-0.60, 0.45},
            {-0.36, 0.44}},
           {{-0.34, 0.43}, {-0.63, 0.40}, {-0.60, 0.35}, {-0.34, 0.38}},
           {{-0.27, 0.62}, {-0.18, 0.71}, {-0.02, 0.77}}}};
}
Sketch front_leg() {  // down and up again, two toes
  return {"front_legs",
          {{{-0.38, 0.74},
            {-0.33, 0.55},
            {-0.25, 0.44},
            {-0.31, 0.22},
            {-0.37, 0.11},
            {-0.48, 0.05},
            {-0.45, 0.0},
            {-0.30, 0.0},
            {-0.22, 0.10},
            {-0.20, 0.28},
            {-0.09, 0.46},
            {-0.12, 0.66},
            {-0.15, 0.78}},
           {{-0.42, 0.07}, {-0.43, 0.01}},
           {{-0.47, 0.08}, {-0.48, 0.01}}}};
}
Sketch hind_leg() {  // a round thigh, and what is below
  Sketch leg{"hind_legs", {{}, {{0.20, 0.47}, {0.33, 0.34}, {0.44, 0.22}, {0.40, 0.12}, {0.35, 0.03}, {0.20, 0.03}}}};
  for (int k = 0; k <= 22; ++k) {
    const double turn = 2 * 3.14159 * k / 22;
    leg.lines[0].emplace_back(0.31 + 0.16 * std::sin(turn), 0.68 + 0.20 * std::cos(turn));
  }
  return leg;
}
Sketch wing() {  // arm and leading finger, then the edge
  return {"wings",
          {{{-0.14, 1.0}, {-0.03, 1.17}, {0.06, 1.33}, {-0.02, 1.53}, {-0.10, 1.72}, {0.25, 1.88}, {0.62, 2.02}},
           {{0.62, 2.02},
            {0.60, 1.86},
            {0.68, 1.66},
            {0.92, 1.52},
            {0.79, 1.44},
            {0.75, 1.28},
            {0.86, 1.12},
            {0.68, 1.13},
            {0.46, 1.08},
            {0.32, 0.97}}}};
}
Sketch torso(Line line) { return {"torso", {std::move(line)}, true}; }
Sketch tail(Line line) {  // with a spade at its end
  const Vec2 end = line.back(), along = (end - line[line.size() - 2]).normalized(), aside(-along.y(), along.x());
  return {"tail", {std::move(line), {end, end + 0.12 * aside, end + 0.25 * along, end - 0.12 * aside, end}}};
}

std::vector<Dragon> dragons() {
  const Line bean{{-0.46, 0.86}, {-0.34, 1.03}, {-0.08, 1.05}, {0.20, 1.0},   {0.46, 0.97}, {0.58, 0.82},
                  {0.47, 0.65},  {0.22, 0.59},  {-0.08, 0.57}, {-0.33, 0.58}, {-0.45, 0.70}};
  const Line barrel{{-0.42, 0.92}, {-0.30, 1.14}, {0.02, 1.22},  {0.34, 1.14},  {0.50, 0.92},
                    {0.44, 0.66},  {0.24, 0.50},  {-0.04, 0.46}, {-0.28, 0.53}, {-0.42, 0.70}};
  const Line long_one{{-0.72, 0.80}, {-0.58, 0.95}, {-0.20, 0.93}, {0.20, 0.86},  {0.62, 0.92},
                      {0.80, 0.80},  {0.66, 0.66},  {0.24, 0.60},  {-0.20, 0.64}, {-0.58, 0.64}};
  return {
      {"guardian",
       {torso(bean), put(head(), {-0.36, 0.92}, 0, 1),
        tail({{0.5, 0.8}, {0.75, 0.7}, {1.0, 0.62}, {1.25, 0.66}, {1.45, 0.85}, {1.5, 1.08}}), wing(), front_leg(),
        hind_leg()}},
      {"twins",
       {torso(bean), put(head(), {-0.38, 0.88}, 28, 0.95), put(head(), {-0.30, 1.0}, -22, 1.0),
        tail({{0.5, 0.8}, {0.8, 0.82}, {1.1, 0.74}, {1.35, 0.58}, {1.6, 0.5}, {1.85, 0.55}}), front_leg(), hind_leg()}},
      {"hopper",
       {torso(barrel), put(head(), {-0.32, 1.05}, -8, 0.8),
        tail({{0.45, 0.85}, {0.62, 0.75}, {0.8, 0.7}, {0.98, 0.74}, {1.1, 0.86}}), put(wing(), {-0.1, 1.15}, -6, 0.75),
        put(hind_leg(), {0.25, 0.95}, 0, 1.1)}},
      {"worm",
       {torso(long_one), put(head(), {-0.62, 0.84}, 12, 1.15),
        tail({{0.74, 0.78}, {1.0, 0.74}, {1.25, 0.8}, {1.45, 0.98}, {1.55, 1.22}, {1.52, 1.48}}),
        put(front_leg(), {-0.60, 0.66}, 0, 0.8), put(hind_leg(), {0.55, 0.82}, 0, 0.8)}},
  };
}

std::vector<Stroke> strokes_of(const Sketch& sketch) {
  std::vector<Stroke> strokes;
  for (const Line& line : sketch.lines) {
    Stroke stroke;
    stroke.closed = sketch.closed;
    for (const Vec2& x : line) stroke.points.emplace_back(x.x() / (0.5 * kHeight), (x.y() - 1) / (0.5 * kHeight));
    strokes.push_back(std::move(stroke));
  }
  return strokes;
}

void draw_line(const Stroke& stroke, Color8 color, Picture& picture) {
  const int side = picture.width();
  std::vector<Vec2> line = stroke.points;
  if (stroke.closed) line.push_back(line.front());
  for (std::size_t k = 1; k < line.size(); ++k) {
    const Vec2 a = 0.5 * side * Vec2(1 + line[k - 1].x(), 1 - line[k - 1].y());
    const Vec2 b = 0.5 * side * Vec2(1 + line[k].x(), 1 - line[k].y());
    const int steps = 1 + static_cast<int>(2 * (b - a).norm());
    for (int i = 0; i <= steps; ++i) {
      const Vec2 at = a + static_cast<double>(i) / steps * (b - a);
      for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
          const int px = static_cast<int>(at.x()) + x, py = static_cast<int>(at.y()) + y;
          if (px >= 0 && py >= 0 && px < side && py < picture.height()) picture.set(px, py, color);
        }
      }
    }
  }
}

bool draw(const std::filesystem::path& folder) {
  constexpr int kSide = 260;
  const std::vector<CreaturePart> database = dragon_database();
  std::vector<DrawnPart> drawn;
  for (const CreaturePart& part : database) drawn.push_back(part.drawn);
  const PartClassifier classifier = train_part_classifier(drawn);
  const Camera camera{.eye = Vec3(8, 1, 0), .target = Vec3(0, 1, 0), .height = kHeight};
  const std::vector<Dragon> all = dragons();
  Picture page(2 * kSide, kSide * static_cast<int>(all.size()));
  bool proved = true;
  for (std::size_t k = 0; k < all.size(); ++k) {
    Creature creature(database, classifier, camera);
    Picture sheet(kSide, kSide);
    for (const Sketch& sketch : all[k].sketches) {
      const FittedPart& part = creature.parts()[creature.add(strokes_of(sketch))];
      const bool right = database[part.part].name == sketch.part;
      std::printf("%-9s %-10s is %-10s %3.0f %%, %4.1f %% of its size off, %ld evaluations\n", all[k].name, sketch.part,
                  database[part.part].name.c_str(), 100 * part.probability, 100 * part.report.residual,
                  part.report.evaluations);
      proved = proved && right;
      for (const Stroke& stroke : part.seen) draw_line(stroke, {226, 176, 48}, sheet);
      for (const Stroke& stroke : part.strokes) draw_line(stroke, {40, 78, 180}, sheet);
    }
    draw_text(sheet, 14, kSide - 16, all[k].name, {.height = 16});
    paste(page, sheet, 0, kSide * static_cast<int>(k));
    const Character whole = creature.character(all[k].name);
    paste(page, render(whole, whole.rig->rest(), {.width = kSide, .height = kSide}, {.azimuth = 62 * kDegree}), kSide,
          kSide * static_cast<int>(k));
  }
  write_png(folder / "thesis_fig5_5_dragons.png", page);
  return proved;
}

}  // namespace

int main(int count, char** arguments) { return run_figure(count, arguments, draw); }
