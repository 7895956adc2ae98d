#include "rigspace/apps/physics/result_check.h"

#include "rigspace/anim/clip_play.h"
#include "rigspace/base/error.h"
#include "rigspace/parts/footing.h"
#include "rigspace/parts/part_finder.h"
#include "rigspace/parts/scenery.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

constexpr double kFrame = 1.0 / 30;     // s
constexpr int kMostFrames = 120;        // of a clip that are measured
constexpr double kFootShare = 0.03;     // of the vertical extent: points so low are feet
constexpr double kMostSeam = 1e-3;      // of the height
constexpr double kMostFeet = 0.02;      // of the height
constexpr double kMostDeviation = 0.5;  // of the height: a long tail, 35 degrees from where it was
constexpr double kMostFast = 0.01;      // of the energy
constexpr double kMostOriginalChange = 1e-5;
constexpr double kFastHz = 12;

class Skin {
 public:
  explicit Skin(const Character& character) : character_(character), workspace_(character.rig->make_workspace()) {}

  Sampler sampler(const Animation& clip) const { return {clip, character_.rig->controls()}; }
  const Vec& at(const Sampler& clip, double time) {
    p_ = character_.rig->rest();
    clip.sample(time, p_);
    character_.rig->evaluate(*workspace_, p_, s_);
    return s_;
  }

 private:
  const Character& character_;
  std::unique_ptr<Workspace> workspace_;
  Vec p_, s_;
};

double largest_length(const Vec& d) {
  return d.size() == 0 ? 0 : Eigen::Map<const Eigen::Matrix3Xd>(d.data(), 3, d.size() / 3).colwise().norm().maxCoeff();
}

/// Share of a signal's energy, without its mean, above a frequency; rows are moments, `span` apart.
double share_above(const Mat& signal, double span, double hertz) {
  const Eigen::Index n = signal.rows();
  const Mat centred = signal.rowwise() - signal.colwise().mean();
  double all = 0, fast = 0;
  for (Eigen::Index f = 1; f <= n / 2; ++f) {
    double power = 0;
    for (Eigen::Index c = 0; c < centred.cols(); ++c) {
      double re = 0, im = 0;
      for (Eigen::Index k = 0; k < n; ++k) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(f * k % n) / static_cast<double>(n);
        re += centred(k, c) * std::cos(angle), im += centred(k, c) * std::sin(angle);
      }
      power += re * re + im * im;
    }
    all += power;
    if (static_cast<double>(f) / (static_cast<double>(n) * span) > hertz) fast += power;
  }
  return all > 0 ? fast / all : 0;
}

/// Per point: its weight on the joints of sheets. (Hems of capes are low, but are no feet.) Added joints are called
/// soft_..; those of a sheet have other soft joints as parents.
Vec share_of_sheets(const Character& result) {
  std::vector<int> sheet;
  const auto is_soft = [&](int bone) {
    return bone >= 0 && result.bones[static_cast<std::size_t>(bone)].name.starts_with("soft_");
  };
  for (int b = 0; b < std::ssize(result.bones); ++b) {
    const int parent = result.bones[static_cast<std::size_t>(b)].parent;
    if (!is_soft(b) || !is_soft(parent)) continue;
    for (const int each : {b, parent})
      if (std::find(sheet.begin(), sheet.end(), each) == sheet.end()) sheet.push_back(each);
  }
  return sheet.empty() ? Vec(Vec::Zero(result.rig->point_count())) : share_of_skin(result, sheet);
}

/// Per point: whether it is of a floor, a sky or the like.
std::vector<char> points_of_scenery(const Character& character) {
  std::vector<char> scenery(static_cast<std::size_t>(character.rig->point_count()), 0);
  for (const int k : scenery_of(character)) {
    const Piece& piece = character.pieces[static_cast<std::size_t>(k)];
    std::fill_n(scenery.begin() + piece.first_point, piece.point_count, 1);
  }
  return scenery;
}

/// Of all points but the scenery's.
Box box_of_rest(const Vec& points, const std::vector<char>& scenery) {
  Box box;
  for (int i = 0; i < std::ssize(scenery); ++i)
    if (!scenery[static_cast<std::size_t>(i)]) box.include(point(points, i));
  return box;
}

void judge(ClipCheck& check, bool finite, bool has_feet) {
  const auto problem = [&](bool bad, std::string text) {
    if (bad) check.problems.push_back(std::move(text));
  };
  problem(!finite, "is not finite");
  problem(check.original_change > kMostOriginalChange, "the original clip changed");
  problem(check.seam > kMostSeam,
          fmt::format("{} by {:.2g} % of the height",
                      check.loops ? "jumps where it repeats" : "begins or ends off the pose", 100 * check.seam));
  problem(check.feet > kMostFeet && has_feet, fmt::format("feet move by {:.2g} % of the height", 100 * check.feet));
  problem(check.largest > kMostDeviation, fmt::format("moves by {:.0f} % of the height", 100 * check.largest));
  problem(check.fast_share > kMostFast && check.typical > 1e-3,
          fmt::format("buzzes: {:.2g} % of its energy is above 12 Hz", 100 * check.fast_share));
}

}  // namespace

std::vector<ClipCheck> check_result(const Character& original, const Character& result) {
  if (original.rig->point_count() != result.rig->point_count())
    throw Error({.file = result.name,
                 .value = std::to_string(result.rig->point_count()),
                 .problem = fmt::format("has {} points where the original has {}", result.rig->point_count(),
                                        original.rig->point_count()),
                 .remedy = "compare a result with the file that it was made from"});
  Skin before(original), after(result);
  std::vector<ClipCheck> checks;
  const Vec on_sheet = share_of_sheets(result);
  const std::vector<char> scenery = points_of_scenery(original);
  for (const Animation& clip : original.clips) {
    const Animation* soft = result.clip(clip.name + "_soft");
    const Animation* same = result.clip(clip.name);
    if (soft == nullptr || !(clip.duration > 0)) continue;
    const ClipPlay play = decide_play(original, clip);
    ClipCheck check{.clip = clip.name, .loops = play.loops, .duration = clip.duration};
    const int frames = std::clamp(static_cast<int>(std::lround(clip.duration / kFrame)), 8, kMostFrames);
    const Sampler keys = before.sampler(clip), soft_keys = after.sampler(*soft);
    const Sampler same_keys = after.sampler(same != nullptr ? *same : *soft);
    const Vec first = before.at(keys, 0);
    const Eigen::Map<const Eigen::Matrix3Xd> points(first.data(), 3, first.size() / 3);
    const Box box = box_of_rest(first, scenery);
    const Vec3 low = box.low, extent = box.size();
    const double height = extent.maxCoeff();
    std::vector<Vec> deviation;
    std::vector<double> largest;
    bool finite = true;
    Vec of_point = Vec::Zero(points.cols());
    for (int k = 0; k <= frames; ++k) {
      const double time = clip.duration * k / frames;
      const Vec x = before.at(keys, time);
      deviation.push_back((after.at(soft_keys, time) - x) / height);
      const Vec& d = deviation.back();
      finite = finite && d.allFinite();
      if (same != nullptr && k % std::max(1, frames / 3) == 0)
        check.original_change = std::max(check.original_change, largest_length(after.at(same_keys, time) - x) / height);
      largest.push_back(largest_length(d));
      for (Eigen::Index i = 0; i < points.cols(); ++i) {
        const double length = d.segment<3>(3 * i).norm();
        of_point[i] = std::max(of_point[i], length);
        const bool foot = points(1, i) < low.y() + kFootShare * extent.y() && on_sheet[i] < 0.5 &&
                          !scenery[static_cast<std::size_t>(i)];
        if (foot) check.feet = std::max(check.feet, length);
      }
      if (k > 0) check.step = std::max(check.step, largest_length(d - deviation[static_cast<std::size_t>(k) - 1]));
    }
    check.largest = *std::max_element(largest.begin(), largest.end());
    std::nth_element(largest.begin(), largest.begin() + frames / 2, largest.end());
    check.typical = largest[static_cast<std::size_t>(frames) / 2];
    if (play.loops) {  // where the closing frame is left out, the change of one frame remains
      const double left = play.period > clip.duration * (1 + 1e-9) ? 1.5 * check.step : 0;
      check.seam = std::max(0.0, largest_length(deviation.back() - deviation.front()) - left);
    } else {
      check.seam = std::max(largest_length(deviation.front()), largest_length(deviation.back()));
    }
    Eigen::Index most = 0;
    if (of_point.size() > 0) of_point.maxCoeff(&most);
    Mat signal(frames, 3);
    for (int k = 0; k < frames; ++k) signal.row(k) = deviation[static_cast<std::size_t>(k)].segment<3>(3 * most);
    check.fast_share = share_above(signal, clip.duration / frames, kFastHz);
    judge(check, finite, check.feet > kMostFeet && footing_of(original, KeyedMotion(original, &clip)).stands);
    checks.push_back(std::move(check));
  }
  return checks;
}

}  // namespace rigspace
