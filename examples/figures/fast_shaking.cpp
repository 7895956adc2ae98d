// Thesis figure 4.2: shaking. An impulse along the horizontal axis of the picture swings Peanut's trunk, either way;
// above the skin, below the nodes inside, in balance for each skin, darker the farther they went. Writes
// fast_fig42_shaking.png into the folder given, and says the numbers that prove it; fails if they do not.
#include "bench/fast_scenes.h"
#include "figure_program.h"

#include "rigspace/cast/cast.h"
#include "rigspace/reduce/shaking.h"
#include "rigspace/render/renderer.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <vector>

using namespace rigspace;

namespace {

constexpr int kSteps = 6, kImpulses = 11;  // of these number 2 is along x, number 10 the other way
constexpr int kThere = 2, kBack = 10;
constexpr int kWidth = 144, kHeight = 176;  // pixels, of each picture

/// Nodes that lie inside, where they are in the picture.
void draw_inside(Picture& page, int left, int top, const Camera& camera, const RigBody& body,
                 const ExamplePose& example, In x_base) {
  double most = 0;
  for (int i = 0; i < body.node_count(); ++i) most = std::max(most, (point(example.x, i) - point(x_base, i)).norm());
  for (int i = 0; i < body.node_count(); ++i) {
    if (body.skin[i]) continue;
    const Vec3 place = camera.project(point(example.x, i), kWidth, kHeight);
    if (place[0] < 1 || place[1] < 1 || place[0] > kWidth - 3 || place[1] > kHeight - 3) continue;
    const double went = most > 0 ? (point(example.x, i) - point(x_base, i)).norm() / most : 0;
    for (int dy = 0; dy < 3; ++dy)
      for (int dx = 0; dx < 3; ++dx)
        page.blend(left + static_cast<int>(place[0]) + dx, top + static_cast<int>(place[1]) + dy, {30, 80, 180},
                   static_cast<float>(0.1 + 0.9 * went));
  }
}

/// Largest distance of nodes, of the skin or inside.
double went(const RigBody& body, In x, In from, bool skin) {
  double most = 0;
  for (int i = 0; i < body.node_count(); ++i)
    if (static_cast<bool>(body.skin[i]) == skin) most = std::max(most, (point(x, i) - point(from, i)).norm());
  return most;
}

bool draw(const std::filesystem::path& folder) {
  const bench::RspSetup setup = bench::prepare(bench::fast_scenes()[0].scene, 1);
  const Character peanut = make_character("peanut");
  const std::vector<Vec> poses{peanut.rig->rest()};
  const std::vector<ExamplePose> examples = shake(setup.body, setup.free, poses,
                                                  {.impulses = kImpulses,
                                                   .steps = kSteps,
                                                   .amplitude = 0.35,
                                                   .material = setup.options.material,
                                                   .rest_follows = false});
  if (examples.size() != 1 + kImpulses * kSteps) {
    std::printf("figure 4.2: %zu examples, expected %d\n", examples.size(), 1 + kImpulses * kSteps);
    return false;
  }
  const auto step_of = [&](int impulse, int step) { return &examples[1 + impulse * kSteps + step - 1]; };
  const std::vector<const ExamplePose*> shown{step_of(kBack, 6), step_of(kBack, 3), &examples[0], step_of(kThere, 3),
                                              step_of(kThere, 6)};
  const Renderer renderer(peanut);
  const RenderOptions cell{.width = kWidth, .height = kHeight, .ground = false};
  Framing framing({.azimuth = 0, .elevation = 4 * kDegree, .margin = 0.03}, static_cast<double>(kWidth) / kHeight);
  const RigBody& body = setup.body;
  const double height = body.mesh.points.reshaped(3, body.node_count()).row(1).maxCoeff();
  for (const ExamplePose* example : shown)
    for (int i = 0; i < body.node_count(); ++i)
      if (point(example->x, i)[1] > 0.42 * height) framing.add(point(example->x, i));  // head and trunk
  const Camera camera = framing.camera();
  Picture page(kWidth * static_cast<int>(shown.size()), 2 * kHeight);
  for (std::size_t c = 0; c < shown.size(); ++c) {
    const int left = kWidth * static_cast<int>(c);
    paste(page, renderer.render(take_snapshot(peanut, shown[c]->p), camera, cell), left, 0);
    draw_inside(page, left, kHeight, camera, body, *shown[c], examples[0].x);
  }
  write_png(folder / "fast_fig42_shaking.png", page);

  const double skin = went(body, shown.back()->x, examples[0].x, true),
               inside = went(body, shown.back()->x, examples[0].x, false);
  const double back = went(body, shown.front()->x, examples[0].x, true);
  std::printf(
      "figure 4.2: %zu examples of %d impulses; the last to the side takes the skin %.1f %% of the height away, "
      "the inside %.1f %%; the other way %.1f %%\n",
      examples.size(), kImpulses, 100 * skin / height, 100 * inside / height, 100 * back / height);
  return skin > 0.05 * height && inside > 0.5 * skin && std::abs(back / skin - 1) < 0.2;
}

}  // namespace

int main(int count, char** arguments) { return run_figure(count, arguments, draw); }
