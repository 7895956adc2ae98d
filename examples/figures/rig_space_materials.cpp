// RSP figures 3 and 6: materials from the stiffness of controls. Writes rsp_fig3_bar_materials.png and
// rsp_fig6_flower_materials.png into the folder given, and says the numbers that prove them; fails if they do not.
#include "figure_program.h"

#include "rigspace/apps/physics/control_stiffness.h"
#include "rigspace/body/rig_space_simulation.h"
#include "rigspace/cast/cast.h"
#include "rigspace/render/renderer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

using namespace rigspace;

namespace {

double proxy_cell(std::string_view name) {
  for (const CastMember& member : cast())
    if (member.name == name) return member.proxy_cell;
  return 0;
}

/// A scale for every control whose name begins so.
struct Ask {
  std::string prefix;
  double scale;
};

struct Column {
  std::string title;
  std::vector<Ask> asked;
};

/// One picture over the other, half of each.
Picture overlaid(Picture one, const Picture& other) {
  for (int y = 0; y < one.height(); ++y)
    for (int x = 0; x < one.width(); ++x) one.blend(x, y, other(x, y), 0.5F);
  return one;
}

/// One picture for each snapshot, rows of one column each, turned so that columns stand side by side; of several a last
/// row has the first and the last over each other.
Picture page(const Character& character, const std::vector<std::vector<Snapshot>>& columns,
             const std::vector<std::string>& titles, const RenderOptions& cell) {
  constexpr int kTitle = 26;
  const Renderer renderer(character);
  Framing framing({.azimuth = 0, .elevation = 4 * kDegree, .margin = 0.03},
                  static_cast<double>(cell.width) / cell.height);
  for (const auto& column : columns)
    for (const Snapshot& snapshot : column) framing.add(snapshot.points);
  const Camera camera = framing.camera();
  const int shown = static_cast<int>(columns.front().size()), rows = shown > 1 ? shown + 1 : 1;
  Picture picture(cell.width * static_cast<int>(columns.size()), kTitle + cell.height * rows);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const int x = cell.width * static_cast<int>(c);
    draw_text(picture, x + 8, kTitle - 8, titles[c], {.height = 11});
    std::vector<Picture> cells;
    for (const Snapshot& snapshot : columns[c]) cells.push_back(renderer.render(snapshot, camera, cell));
    if (rows > shown) cells.push_back(overlaid(cells.front(), cells.back()));
    for (int r = 0; r < rows; ++r) paste(picture, cells[static_cast<std::size_t>(r)], x, kTitle + r * cell.height);
  }
  return picture;
}

class Scene {
 public:
  Scene(const std::string& name, const std::string& controls, RigSpaceOptions options)
      : character(make_character(name)),
        simulation(make_rig_body(character, {.cell = proxy_cell(name)}), matching(controls), std::move(options)) {}

  /// Gives the body the factors for these scales, and says what became of them.
  void stiffen(const Column& column) {
    std::vector<double> scales;
    for (const int control : simulation.free()) {
      scales.push_back(1);
      for (const Ask& ask : column.asked)
        if (character.rig->controls()[control].name.starts_with(ask.prefix)) scales.back() = ask.scale;
    }
    const ControlledBody body{simulation.mapping().description(), simulation.body().mesh,
                              simulation.options().material};
    const ControlStiffness result = control_stiffness(body, scales);
    simulation.set_stiffness(result.factors);
    std::printf("%s\n  stiffness: %s\n", column.title.c_str(),
                stiffness_in_words(result, character.rig->controls()).c_str());
  }

  Character character;
  RigSpaceSimulation simulation;

 private:
  std::vector<int> matching(const std::string& pattern) const {
    std::vector<int> free;
    for (int i = 0; i < static_cast<int>(character.rig->controls().size()); ++i)
      if (matches(character.rig->controls()[i], pattern)) free.push_back(i);
    return free;
  }
};

/// Forces, N, along -Y on both ends of the bar.
Load weights(const RigBody& body, double newtons) {
  const auto x = Eigen::Map<const Eigen::Matrix3Xd>(body.mesh.points.data(), 3, body.node_count()).row(0);
  Vec forces = Vec::Zero(body.mesh.points.size());
  for (const double side : {-1.0, 1.0}) {
    const auto count = ((side * x).array() > 0.45).count();
    for (int i = 0; i < body.node_count(); ++i)
      if (side * x[i] > 0.45) forces[3 * i + 1] = -newtons / static_cast<double>(count);
  }
  return Load(forces);
}

/// The bar with a weight on each end.
bool figure3(const std::filesystem::path& folder) {
  Scene bar("bar", "p?", {.material = {.young = 1.5e5, .poisson = 0.3}});
  const Load load = weights(bar.simulation.body(), 22);
  bar.simulation.add("weights", load);
  const std::vector<Column> columns{{"as it is", {}},
                                    {"p3 and p4 ten times as stiff", {{"p3", 10}, {"p4", 10}}},
                                    {"p4 alone ten times as stiff", {{"p4", 10}}}};
  std::vector<std::vector<Snapshot>> snapshots;
  std::vector<std::string> titles;
  std::vector<Vec> sag;
  for (const Column& column : columns) {
    bar.stiffen(column);
    bar.simulation.restart(bar.character.rig->rest());
    bar.simulation.settle(bar.character.rig->rest());
    sag.emplace_back(4);
    for (int k = 0; k < 4; ++k) sag.back()[k] = bar.simulation.controls()[bar.simulation.free()[k]] / kDegree;
    std::printf("  degrees: p1 %.2f p2 %.2f p3 %.2f p4 %.2f\n", sag.back()[0], sag.back()[1], sag.back()[2],
                sag.back()[3]);
    snapshots.push_back({take_snapshot(bar.character, bar.simulation.controls())});
    titles.push_back(column.title);
  }
  write_png(folder / "rsp_fig3_bar_materials.png",
            page(bar.character, snapshots, titles, {.width = 400, .height = 230, .ground = false}));
  const bool symmetric = std::abs(sag[0][2] / sag[0][1] - 1) < 0.3;
  const bool half = std::abs(sag[1][2]) < 0.15 * std::abs(sag[0][2]) && std::abs(sag[1][1] / sag[0][1] - 1) < 0.02;
  const auto outer = [&](int column) { return std::abs(sag[column][2] + sag[column][3]); };  // angle of that joint
  const bool end = outer(2) < 0.4 * outer(0) && std::abs(sag[2][2]) > 0.5 * std::abs(sag[0][2]);
  return symmetric && half && end;
}

/// What the flower does in one column: snapshots as seen from the pot, and how far handles of stem, blossom and leaves
/// go from rest, metres.
struct Swing {
  std::vector<Snapshot> snapshots;
  double stem = 0, blossom = 0, leaves = 0;
};

/// The pot is shaken up and down, five times a second by 4 cm: the stem, which is stiff along itself, follows, and what
/// is soft on it stays behind.
constexpr double kShakes = 5, kShake = 0.04;
/// Turns of the shake, up and down.
constexpr double kShown[] = {0.65, 0.75};

double pot_height(double time) {
  const double begun = std::clamp(time / 0.15, 0.0, 1.0);
  return kShake * begun * begun * (3 - 2 * begun) * std::sin(2 * std::numbers::pi * kShakes * time);
}

Swing swing_flower(const Column& column) {
  constexpr double kStep = 1.0 / 120;
  Scene flower(
      "flower", "*_?.t?",
      {.step = kStep, .material = {.young = 2e6, .poisson = 0.3}, .mass_damping = 4, .hessian = HessianMode::exact});
  flower.stiffen(column);
  const Rig& rig = *flower.character.rig;
  const auto key = [&](double time) {
    Vec p = rig.rest();
    p[rig.find("pot.ty")] += pot_height(time);
    return p;
  };
  Swing swing;
  flower.simulation.restart(key(0));
  for (int k = 1; k <= std::lround(kShown[1] / kStep); ++k) {
    flower.simulation.step(key(k * kStep));
    const Vec& p = flower.simulation.controls();
    for (const int c : flower.simulation.free()) {
      const std::string& name = rig.controls()[c].name;
      double& most = name.starts_with("stem") ? swing.stem : name.starts_with("blossom") ? swing.blossom : swing.leaves;
      most = std::max(most, std::abs(p[c] - rig.rest()[c]));
    }
    for (const double shown : kShown)
      if (k == std::lround(shown / kStep)) {
        Vec seen = p;
        seen[rig.find("pot.ty")] = rig.rest()[rig.find("pot.ty")];
        swing.snapshots.push_back(take_snapshot(flower.character, seen));
      }
  }
  std::printf("  farthest handle, mm: stem %.1f, blossom %.1f, leaves %.1f\n", 1e3 * swing.stem, 1e3 * swing.blossom,
              1e3 * swing.leaves);
  std::fflush(stdout);
  return swing;
}

/// The flower whose pot is shaken.
bool figure6(const std::filesystem::path& folder) {
  constexpr double kSoft = 0.002, kAllSoft = 0.02;
  const std::vector<Column> columns{{"soft", {{"", kAllSoft}}},
                                    {"stiff", {}},
                                    {"soft blossom", {{"blossom", kSoft}}},
                                    {"soft blossom, leaves", {{"blossom", kSoft}, {"leaf", kSoft}}}};
  std::vector<std::vector<Snapshot>> snapshots;
  std::vector<std::string> titles;
  std::vector<Swing> swings;
  for (const Column& column : columns) {
    swings.push_back(swing_flower(column));
    snapshots.push_back(swings.back().snapshots);
    titles.push_back(column.title);
  }
  write_png(folder / "rsp_fig6_flower_materials.png",
            page(make_character("flower"), snapshots, titles, {.width = 164, .height = 192, .ground = false}));
  const Swing &soft = swings[0], &stiff = swings[1], &blossom = swings[2], &leaves = swings[3];
  // What was asked to be soft swings farther, the blossom fifty times and the leaves, which the stem's skin holds too,
  // three times at least; what was not asked hardly more than before.
  return soft.leaves > 5 * stiff.leaves && blossom.blossom > 50 * stiff.blossom &&
         leaves.blossom > 50 * stiff.blossom && blossom.leaves < 1.5 * stiff.leaves && leaves.leaves > 3 * stiff.leaves;
}

}  // namespace

int main(int count, char** arguments) {
  return run_figure(count, arguments, [](const std::filesystem::path& folder) {
    const bool bar = figure3(folder), flower = figure6(folder);
    if (!bar || !flower) std::printf("the numbers do not prove figure %d\n", bar ? 6 : 3);
    return bar && flower;
  });
}
