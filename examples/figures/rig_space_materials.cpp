// RSP figure 3: materials from the stiffness of controls. Writes rsp_fig3_bar_materials.png into the folder given, and
// says the numbers that prove it; fails if they do not.
#include "rigspace/apps/physics/control_stiffness.h"
#include "rigspace/apps/physics/rig_space_simulation.h"
#include "rigspace/cast/cast.h"
#include "rigspace/render/renderer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
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

/// One picture for each snapshot, rows of one column each, turned so that columns stand side by side.
Picture page(const Character& character, const std::vector<std::vector<Snapshot>>& columns,
             const std::vector<std::string>& titles, const RenderOptions& cell) {
  constexpr int kTitle = 26;
  const Renderer renderer(character);
  Framing framing({.azimuth = 0, .elevation = 4 * kDegree, .margin = 0.03},
                  static_cast<double>(cell.width) / cell.height);
  for (const auto& column : columns)
    for (const Snapshot& snapshot : column) framing.add(snapshot.points);
  const Camera camera = framing.camera();
  const int rows = static_cast<int>(columns.front().size());
  Picture picture(cell.width * static_cast<int>(columns.size()), kTitle + cell.height * rows);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const int x = cell.width * static_cast<int>(c);
    draw_text(picture, x + 8, kTitle - 8, titles[c], {.height = 11});
    for (int r = 0; r < rows; ++r)
      paste(picture, renderer.render(columns[c][r], camera, cell), x, kTitle + r * cell.height);
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

}  // namespace

int main(int argc, char** argv) {
  const bool proved = figure3(argc > 1 ? argv[1] : ".");
  if (!proved) std::printf("the numbers do not prove figure 3\n");
  return proved ? 0 : 1;
}
