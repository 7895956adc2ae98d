// Thesis figure 4.5: the elastic energy of Peanut's belly over 64 frames of his walk, with the inside in balance and
// carried by the skin, by weights of several kinds. Writes fast_fig45_energy.png into the folder given, and says the
// numbers that prove it; fails if they do not.
#include "bench/fast_scenes.h"
#include "figure_program.h"

#include "rigspace/cast/cast.h"
#include "rigspace/reduce/volumetric_skinning.h"
#include "rigspace/render/picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

using namespace rigspace;

namespace {

constexpr int kFrames = 64, kStepsPerFrame = 4;  // of 0.01 s
constexpr int kTrained[] = {6, 17, 45};          // frames that the first training sees, as in the Thesis

/// The belly simulated in full, then its inside put in balance frame by frame.
struct Belly {
  bench::RspSetup setup;
  std::vector<ExamplePose> frames;
  std::vector<double> energy;  ///< J, in balance
};

double elastic_energy(const Solid& solid, In x) { return solid.value(*solid.make_state(), x); }

/// Peanut walks on over the seam of the clip, which is a cycle but for his way.
std::vector<Vec> walk_on(const Character& peanut, int steps) {
  const Animation* walk = peanut.clip("Walk");
  const Vec way = pose_at(peanut, walk, walk->duration) - pose_at(peanut, walk, 0);
  std::vector<Vec> keys;
  for (int k = 0; k <= steps; ++k) {
    const double time = bench::kRspStep * k, cycle = std::floor(time / walk->duration);
    keys.push_back(pose_at(peanut, walk, time - cycle * walk->duration) + cycle * way);
  }
  return keys;
}

Belly simulate_belly() {
  Belly belly{.setup = bench::prepare(bench::fast_scenes()[1].scene, 1)};
  belly.setup.keys = walk_on(make_character("peanut"), kFrames * kStepsPerFrame);
  const bench::RspSetup& setup = belly.setup;
  const bench::RspRun run = bench::run(setup);
  InteriorBalance balance(setup.body, setup.options.material);
  const auto workspace = setup.body.rig->make_workspace();
  const auto carried = [&](In p) {
    Vec s, x;
    setup.body.rig->evaluate(*workspace, p, s);
    setup.body.ties.apply(s, x);
    return x;
  };
  for (int f = 0; f < kFrames; ++f) {
    ExamplePose frame{.p_key = setup.keys[f * kStepsPerFrame + 1], .p = run.poses[f * kStepsPerFrame]};
    for (const int control : setup.free) frame.p_key[control] = setup.balance[control];
    frame.x_key = carried(frame.p_key), frame.x = carried(frame.p);
    if (!balance.solve(frame.x).converged()) std::printf("frame %d found no balance\n", f);
    belly.energy.push_back(elastic_energy(balance.solid(), frame.x));
    belly.frames.push_back(std::move(frame));
  }
  return belly;
}

struct Curve {
  std::string name;
  Color8 color;
  std::vector<double> energy;  ///< per frame, as a multiple of that in balance
  double carriers = 0;

  double mean() const {
    double sum = 0;
    for (const double e : energy) sum += e;
    return sum / static_cast<double>(energy.size());
  }
  double worst() const { return *std::max_element(energy.begin(), energy.end()); }
  double least() const { return *std::min_element(energy.begin(), energy.end()); }
};

/// Weights for the inside from examples, in the form of the Thesis, x_n = W x_s; and what they cost in every frame.
Curve carry(const Belly& belly, std::span<const ExamplePose> examples, Curve curve, InteriorSkinOptions options) {
  options.form = InteriorSkinForm::absolute;
  const SkinnedInterior skinned = skin_interior(belly.setup.body, examples, options);
  const TetMesh& mesh = belly.setup.body.mesh;
  const Solid solid(mesh.points, mesh.tets, belly.setup.options.material);
  for (std::size_t f = 0; f < belly.frames.size(); ++f) {
    Vec x = belly.frames[f].x;
    carry_interior(skinned.weights, Vec::Zero(x.size()), x);
    curve.energy.push_back(elastic_energy(solid, x) / belly.energy[f]);
  }
  curve.carriers = skinned.report.mean_carriers;
  std::printf("  %-46s %8.3f times the balance in the mean, %8.3f at the worst, %.2f carriers\n", curve.name.c_str(),
              curve.mean(), curve.worst(), curve.carriers);
  std::fflush(stdout);
  return curve;
}

/// One training: what the Thesis compares, and ours from as many candidates as by default and from more.
struct Training {
  Curve nnls_500, nnls_20, nnls_5, algorithm4, fast, wide;
};

Training train(const Belly& belly, std::span<const ExamplePose> examples) {
  const auto nearest = [&](int count, Color8 color) {
    return carry(belly, examples, {.name = "NNLS, the " + std::to_string(count) + " nearest", .color = color},
                 {.method = InteriorSkinMethod::nnls, .candidates = count, .around = 0, .sweeps = 0, .repair = false});
  };
  const auto ours = [&](const char* name, Color8 color, InteriorSkinMethod method, int count) {
    return carry(belly, examples, {.name = name, .color = color},
                 {.method = method, .candidates = count, .around = count});
  };
  return {.nnls_500 = nearest(500, {205, 45, 40}),
          .nnls_20 = nearest(20, {135, 60, 170}),
          .nnls_5 = nearest(5, {135, 60, 170}),
          .algorithm4 =
              ours("algorithm 4, 20 nearest and 20 all round", {230, 150, 30}, InteriorSkinMethod::algorithm4, 20),
          .fast = ours("ours, 20 nearest and 20 all round (default)", {230, 150, 30}, InteriorSkinMethod::fast, 20),
          .wide = ours("ours, 60 nearest and 60 all round", {30, 145, 60}, InteriorSkinMethod::fast, 60)};
}

// ------------------------------------------------------------------- the picture

constexpr int kWidth = 720, kHeight = 250, kLeft = 44, kRight = 14, kTop = 30, kBottom = 34;

void line(Picture& page, double x0, double y0, double x1, double y1, Color8 color) {
  const int n = 2 + static_cast<int>(2 * std::hypot(x1 - x0, y1 - y0));
  for (int k = 0; k <= n; ++k) {
    const int x = static_cast<int>(x0 + (x1 - x0) * k / n), y = static_cast<int>(y0 + (y1 - y0) * k / n);
    for (int dy = 0; dy < 2; ++dy) page.blend(x, y + dy, color, 0.6F);
  }
}

/// Energies in joules over frames; `marked` frames have been trained on.
void plot(Picture& page, int top, const std::string& title, const Belly& belly, const std::vector<const Curve*>& curves,
          std::span<const int> marked) {
  double most = 0;
  for (const Curve* curve : curves)
    for (int f = 0; f < kFrames; ++f) most = std::max(most, curve->energy[f] * belly.energy[f]);
  const double step =
      std::pow(10, std::floor(std::log10(most))) * (most / std::pow(10, std::floor(std::log10(most))) > 4 ? 2 : 1);
  const auto x_of = [&](double f) { return kLeft + (kWidth - kLeft - kRight) * f / (kFrames - 1); };
  const auto y_of = [&](double e) { return top + kTop + (kHeight - kTop - kBottom) * (1 - e / (1.05 * most)); };
  const Color8 grey{214, 216, 220};
  draw_text(page, kLeft, top + 18, title, {.height = 10});
  for (double e = 0; e <= most; e += step) {
    line(page, x_of(0), y_of(e), x_of(kFrames - 1), y_of(e), grey);
    draw_text(page, 6, y_of(e) + 4, std::to_string(std::lround(e)), {.height = 8});
  }
  for (const int f : marked) line(page, x_of(f), y_of(0), x_of(f), y_of(most), grey);
  const auto draw = [&](const std::vector<double>& factor, Color8 color) {
    for (int f = 1; f < kFrames; ++f)
      line(page, x_of(f - 1), y_of(factor[f - 1] * belly.energy[f - 1]), x_of(f), y_of(factor[f] * belly.energy[f]),
           color);
  };
  double x = kLeft;
  const auto name = [&](const std::string& text, Color8 color) {
    draw_text(page, x, top + kHeight - 12, text, {.height = 8, .color = color});
    x += text_width(text, {.height = 8}) + 16;
  };
  for (const Curve* curve : curves) draw(curve->energy, curve->color), name(curve->name, curve->color);
  const Color8 blue{30, 90, 200};
  draw(std::vector<double>(kFrames, 1.0), blue), name("balance", blue);
}

// -------------------------------------------------------------------- the proof

int failures = 0;
void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("does not hold: %s\n", what);
  ++failures;
}

void expect_of_any(const Training& training) {
  for (const Curve* curve :
       {&training.nnls_500, &training.nnls_20, &training.nnls_5, &training.algorithm4, &training.fast, &training.wide})
    expect(curve->least() > 1 - 1e-6, "nothing has less energy than the balance");
  expect(training.nnls_20.least() > 10 * training.wide.worst() && training.nnls_5.mean() > training.nnls_20.mean(),
         "20 nearest are of no use, 5 still less");
  expect(std::abs(training.algorithm4.mean() / training.fast.mean() - 1) < 0.02 &&
             std::abs(training.algorithm4.carriers / training.fast.carriers - 1) < 0.1,
         "elimination does what algorithm 4 does");
  expect(training.wide.mean() < training.fast.mean(), "more to choose from is better");
}

bool draw(const std::filesystem::path& folder) {
  const Belly belly = simulate_belly();
  std::vector<ExamplePose> three;
  for (const int f : kTrained) three.push_back(belly.frames[f]);
  std::printf("trained on three frames:\n");
  const Training few = train(belly, three);
  const Character peanut = make_character("peanut");
  const Animation* walk = peanut.clip("Walk");
  std::vector<Vec> poses{peanut.rig->rest()};
  for (int k = 0; k < 7; ++k) poses.push_back(pose_at(peanut, walk, walk->duration * k / 7));
  const std::vector<ExamplePose> shaken =
      shake(belly.setup.body, belly.setup.free, poses,
            {.amplitude = 0.08, .material = belly.setup.options.material, .rest_follows = false});
  std::printf("trained on %zu shakes of eight poses:\n", shaken.size());
  const Training many = train(belly, shaken);

  Picture page(kWidth, 2 * kHeight);
  plot(page, 0, "elastic energy, J; trained on three frames (marked)", belly, {&few.fast, &few.nnls_500, &few.wide},
       kTrained);
  plot(page, kHeight, "trained on " + std::to_string(shaken.size()) + " shakes of eight poses", belly,
       {&many.fast, &many.nnls_500, &many.wide}, {});
  write_png(folder / "fast_fig45_energy.png", page);

  for (const Training* training : {&few, &many}) expect_of_any(*training);
  for (const int f : kTrained)
    expect(few.nnls_500.energy[f] < 1.02, "NNLS is right in the frames that it was trained on");
  expect(few.nnls_500.worst() > 1.3, "and spikes beside them");
  expect(few.wide.worst() - 1 < 0.8 * (few.nnls_500.worst() - 1) && few.wide.mean() < few.nnls_500.mean() &&
             few.wide.carriers < few.nnls_500.carriers,
         "where ours does less so, with fewer carriers");
  expect(many.wide.mean() < 1.1, "ours is within a tenth of the balance");
  return failures == 0;
}

}  // namespace

int main(int count, char** arguments) { return run_figure(count, arguments, draw); }
