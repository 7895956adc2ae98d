// RSP figure 2, and the waves of RSP 6 (in their video): a ball whose controls are simulated in part or all, and a push
// that runs through a soft bar. Writes rsp_fig2_sphere.png and rsp_waves.png into the folder given, and says the
// numbers that prove them; fails if they do not.
#include "figure_program.h"

#include "rigspace/body/rig_space_simulation.h"
#include "rigspace/cast/cast.h"
#include "rigspace/energy/contact.h"
#include "rigspace/render/renderer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

using namespace rigspace;

namespace {

std::vector<int> named(const Rig& rig, std::initializer_list<const char*> names) {
  std::vector<int> controls;
  for (const char* name : names) controls.push_back(rig.find(name));
  std::sort(controls.begin(), controls.end());
  return controls;
}

// ---------------------------------------------------------------- figure 2

constexpr double kBegin = 0.8, kEnd = 1.6;  // s: in flight, down, on the floor, up again
constexpr double kTouch = 1.1;              // s: when the artist's ball reaches the floor
constexpr double kStep = 0.005;             // s

/// The artist's bounce, over its seam: it travels on.
Vec bounce_at(const Character& ball, double time) {
  const Animation& clip = ball.clips.front();
  if (time <= clip.duration) return pose_at(ball, &clip, time);
  Vec p = pose_at(ball, &clip, time - clip.duration);
  p[ball.rig->find("sphere.tz")] += pose_at(ball, &clip, clip.duration)[ball.rig->find("sphere.tz")];
  return p;
}

struct Ball {
  std::vector<Vec> poses;   ///< all controls, a step apart
  double flattest = 1;      ///< sy
  double volume = 1;        ///< the largest change of sx sy sz, as a factor
  double off_parabola = 0;  ///< m: the largest, before it touches
};

Ball simulate_ball(const Character& ball, const std::vector<int>& free) {
  RigBody body = make_rig_body(ball, {.cell = 0.06});
  const double young = 1.5e5;
  RigSpaceSimulation simulation(body, free,
                                {.step = kStep,
                                 .material = {.young = young, .poisson = 0.45},
                                 .gravity = {0, -9.81, 0},
                                 .hessian = HessianMode::exact});
  Contact contact(contact_body(body.mesh.points, body.mesh.tets, young), {Collider::plane(Vec3::Zero(), Vec3::UnitY())},
                  {.reach = 0.1});
  simulation.add("floor", contact);
  // In the artist's pose, with the artist's velocity.
  const auto nodes_at = [&](double time) {
    Vec s, x;
    body.rig->evaluate(*body.rig->make_workspace(), bounce_at(ball, time), s);
    body.ties.apply(s, x);
    return x;
  };
  simulation.restart(bounce_at(ball, kBegin));
  simulation.set_velocity((nodes_at(kBegin + 1e-3) - nodes_at(kBegin - 1e-3)) / 2e-3);
  contact.accept(simulation.nodes());
  const int ty = ball.rig->find("sphere.ty");
  const double height = simulation.controls()[ty], speed = 2 * (kTouch - kBegin) - 1;  // see below
  Ball result{.poses = {simulation.controls()}};
  for (int k = 1; kBegin + k * kStep <= kEnd; ++k) {
    const double t = k * kStep;
    contact.begin_step(kStep);
    simulation.step(bounce_at(ball, kBegin + t));
    contact.accept(simulation.nodes());
    const Vec& p = simulation.controls();
    result.poses.push_back(p);
    const auto scale = [&](const char* name) { return p[ball.rig->find(name)]; };
    result.flattest = std::min(result.flattest, scale("sphere.sy"));
    const double volume = scale("sphere.sx") * scale("sphere.sy") * scale("sphere.sz");
    result.volume = std::max({result.volume, volume, 1 / volume});
    // A flight of one second that ends when it touches: its speed is g (1/2 - u), u seconds after it began.
    const double exact = height + 9.81 * (0.5 * speed * t - 0.5 * t * t);
    if (kBegin + t < kTouch - 0.02) result.off_parabola = std::max(result.off_parabola, std::abs(p[ty] - exact));
  }
  return result;
}

Picture rows_of(const Character& ball, const std::vector<std::pair<std::string, std::vector<Vec>>>& rows) {
  const std::vector<double> moments{0.8, 0.95, 1.05, 1.12, 1.16, 1.2, 1.3, 1.4, 1.5};
  const RenderOptions cell{.width = 92, .height = 178, .ground_height = 0.0};
  constexpr int kTitle = 22;
  const Renderer renderer(ball);
  const auto snapshot = [&](const std::vector<Vec>& poses, double time) {
    return take_snapshot(ball, poses[static_cast<std::size_t>(std::lround((time - kBegin) / kStep))]);
  };
  Framing framing({.azimuth = 90 * kDegree, .elevation = 6 * kDegree, .margin = 0.03},
                  static_cast<double>(cell.width) / cell.height);
  // The camera goes along with the artist's travel, so that only what differs is seen to.
  const int tz = ball.rig->find("sphere.tz");
  const auto shift = [&](double time) { return Vec3(0, 0, bounce_at(ball, time)[tz]); };
  for (const auto& [title, poses] : rows)
    for (const double time : moments) framing.add(snapshot(poses, time).points, -shift(time));
  const Camera camera = framing.camera();
  Picture page(cell.width * static_cast<int>(moments.size()), (kTitle + cell.height) * static_cast<int>(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const int y = (kTitle + cell.height) * static_cast<int>(r);
    draw_text(page, 6, y + kTitle - 7, rows[r].first, {.height = 10});
    for (std::size_t c = 0; c < moments.size(); ++c)
      paste(page, renderer.render(snapshot(rows[r].second, moments[c]), camera.moved(shift(moments[c])), cell),
            cell.width * static_cast<int>(c), y + kTitle);
  }
  return page;
}

bool figure2(const std::filesystem::path& folder) {
  const Character ball = make_character("sphere");
  std::vector<Vec> artist;
  for (int k = 0; kBegin + k * kStep <= kEnd; ++k) artist.push_back(bounce_at(ball, kBegin + k * kStep));
  const Ball scaling = simulate_ball(ball, named(*ball.rig, {"sphere.sx", "sphere.sy", "sphere.sz"}));
  const Ball all =
      simulate_ball(ball, named(*ball.rig, {"sphere.ty", "sphere.tz", "sphere.sx", "sphere.sy", "sphere.sz"}));
  write_png(folder / "rsp_fig2_sphere.png", rows_of(ball, {{"the artist's", artist},
                                                           {"scales simulated, travel keyed", scaling.poses},
                                                           {"all simulated", all.poses}}));
  std::printf("figure 2: scales simulated: %.0f %% of its height at the least, volume kept within %.1f %%\n",
              100 * scaling.flattest, 100 * (scaling.volume - 1));
  std::printf("figure 2: all simulated: %.0f %% at the least, within %.1f %%; in flight %.1f mm off the parabola\n",
              100 * all.flattest, 100 * (all.volume - 1), 1000 * all.off_parabola);
  return scaling.flattest < 0.95 && scaling.flattest > 0.5 && all.flattest < 0.9 && all.flattest > 0.4 &&
         all.volume < 1.15 && all.off_parabola < 0.01;
}

// ------------------------------------------------------------------- waves

struct Push {
  std::vector<double> times, skin, axis, tip;  ///< s; m that each went of the way
  double delay = 0;                            ///< s: of the axis behind the skin around it, at half of the way
};

constexpr double kPush = 0.005, kPushTime = 0.01, kWaveStep = 0.00125;  // m, s, s

/// When a curve first passes a share of the push.
double passes(double share, const std::vector<double>& times, const std::vector<double>& values) {
  const double level = share * kPush;
  for (std::size_t k = 1; k < values.size(); ++k)
    if (values[k] >= level)
      return times[k - 1] + (level - values[k - 1]) / (values[k] - values[k - 1]) * (times[k] - times[k - 1]);
  return times.back();
}

/// The middle of the bar is pushed up, and stays there.
Push push_bar(const Character& bar, Interior interior, double young) {
  const auto free =
      named(*bar.rig, {"left_01.rx", "left_01.ry", "left_01.rz", "left_02.rx", "left_02.ry", "left_02.rz",
                       "right_01.rx", "right_01.ry", "right_01.rz", "right_02.rx", "right_02.ry", "right_02.rz"});
  RigSpaceSimulation simulation(make_rig_body(bar, {.cell = 0.028}), free,
                                {.step = kWaveStep,
                                 .material = {.young = young, .poisson = 0},
                                 .interior = interior,
                                 .hessian = HessianMode::exact});
  const RigBody& body = simulation.body();
  const auto nearest = [&](const Vec3& x, bool skin) {
    int best = -1;
    for (int i = 0; i < body.node_count(); ++i)
      if (static_cast<bool>(body.skin[i]) == skin &&
          (best < 0 || (point(body.mesh.points, i) - x).norm() < (point(body.mesh.points, best) - x).norm()))
        best = i;
    return best;
  };
  const int skin = nearest({0, 0.5, 0.075}, true), axis = nearest({0, 0.5, 0}, false),
            tip = nearest({0.5, 0.5, 0}, true);
  const int ty = bar.rig->find("bar.ty");
  Push result;
  for (int k = 0; k * kWaveStep <= 0.2; ++k) {
    const double t = k * kWaveStep;
    if (k > 0) {
      Vec key = bar.rig->rest();
      const double u = std::min(1.0, t / kPushTime);
      key[ty] += kPush * u * u * (3 - 2 * u);
      simulation.step(key);
    }
    const auto went = [&](int i) { return simulation.nodes()[3 * i + 1] - body.mesh.points[3 * i + 1]; };
    result.times.push_back(t);
    result.skin.push_back(went(skin)), result.axis.push_back(went(axis)), result.tip.push_back(went(tip));
  }
  // Waves from above and below meet at the axis: it is half way where each has brought a quarter.
  result.delay = passes(0.5, result.times, result.axis) - passes(0.25, result.times, result.skin);
  return result;
}

/// A panel of curves over time, each with its name.
void plot(Picture& page, int left, const std::string& title, const Push& push) {
  constexpr int kWidth = 330, kTop = 40, kHeight = 200;
  const auto x_of = [&](double t) { return left + 30 + (kWidth - 50) * t / 0.2; };
  const auto y_of = [&](double v) { return kTop + kHeight * (2.9 - v / kPush) / 4.4; };
  const auto line = [&](double x0, double y0, double x1, double y1, Color8 color) {
    const int n = 2 + static_cast<int>(2 * std::hypot(x1 - x0, y1 - y0));
    for (int k = 0; k <= n; ++k) {
      const double x = x0 + (x1 - x0) * k / n, y = y0 + (y1 - y0) * k / n;
      for (int dy = 0; dy < 2; ++dy) page.blend(static_cast<int>(x), static_cast<int>(y) + dy, color, 0.6f);
    }
  };
  const Color8 grey{190, 192, 196};
  line(x_of(0), y_of(0), x_of(0.2), y_of(0), grey);
  line(x_of(0), y_of(kPush), x_of(0.2), y_of(kPush), grey);
  draw_text(page, left + 30, 20, title, {.height = 11});
  draw_text(page, left + 30, y_of(kPush) - 4, "5 mm", {.height = 8});
  draw_text(page, x_of(0.2) - 36, y_of(0) + 14, "0.2 s", {.height = 8});
  struct Curve {
    const char* name;
    const std::vector<double>& values;
    Color8 color;
  };
  const Curve curves[] = {{"skin of the middle, keyed", push.skin, {40, 44, 52}},
                          {"axis of the middle", push.axis, {200, 60, 40}},
                          {"tip, on free joints", push.tip, {40, 110, 190}}};
  int row = 0;
  for (const Curve& curve : curves) {
    for (std::size_t k = 1; k < curve.values.size(); ++k)
      line(x_of(push.times[k - 1]), y_of(curve.values[k - 1]), x_of(push.times[k]), y_of(curve.values[k]), curve.color);
    draw_text(page, left + 30, kTop + kHeight + 16 + 14 * row++, curve.name, {.height = 9, .color = curve.color});
  }
}

bool waves(const std::filesystem::path& folder) {
  const Character bar = make_character("bar");
  constexpr double kYoung = 5e3, kDensity = 1000, kHalfWidth = 0.075;
  const double expected = kHalfWidth / std::sqrt(kYoung / kDensity);  // of pressure, Poisson's ratio being 0
  const Push dynamic = push_bar(bar, Interior::dynamic, kYoung), still = push_bar(bar, Interior::still, kYoung);
  Picture page(680, 300);
  plot(page, 0, "inside dynamic: a wave", dynamic);
  plot(page, 340, "inside still: balance at once", still);
  write_png(folder / "rsp_waves.png", page);
  double apart = 0;
  for (std::size_t k = 0; k < dynamic.tip.size(); ++k) apart = std::max(apart, std::abs(dynamic.tip[k] - still.tip[k]));
  std::printf(
      "waves: the axis trails the skin by %.1f ms with a dynamic interior, %.1f ms with a still one; a wave of "
      "sqrt(E / rho) takes %.1f ms; the tip, on free joints, goes up to %.1f mm another way\n",
      1e3 * dynamic.delay, 1e3 * still.delay, 1e3 * expected, 1e3 * apart);
  return std::abs(dynamic.delay / expected - 1) < 0.15 && std::abs(still.delay) < 0.1 * expected;
}

}  // namespace

int main(int count, char** arguments) {
  return run_figure(count, arguments, [](const std::filesystem::path& folder) {
    const bool sphere = figure2(folder), wave = waves(folder);
    return sphere && wave;
  });
}
