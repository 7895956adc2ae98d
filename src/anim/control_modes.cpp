#include "rigspace/anim/control_modes.h"

#include "control_deviation.h"
#include "rigspace/anim/bake.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr double kNoMotion = 1e-12;  // of the largest sample: below it a control stands still, a mode is rounding

/// One over D: the root mean square of what a unit of each control moves at rest, over the points that any of them
/// moves: sqrt(diag J^T M J / sum of M).
Vec surface_motion(const Rig& rig, std::span<const int> controls, const Vec& point_weights) {
  BlockJacobian J;
  rig.jacobian(*rig.make_workspace(), rig.rest(), controls, J);
  Vec squares = Vec::Zero(static_cast<Eigen::Index>(controls.size()));
  double moved = 0;
  for (int i = 0; i < J.points(); ++i) {
    const double weight = point_weights.size() > 0 ? point_weights[i] : 1;
    bool any = false;
    for (int e = J.start[i]; e < J.start[i + 1]; ++e) {
      squares[J.column[e]] += weight * J.value.col(e).squaredNorm();
      any = any || !J.value.col(e).isZero(0);
    }
    if (any) moved += weight;
  }
  Vec motion = moved > 0 ? Vec((squares / moved).cwiseSqrt()) : squares;
  // A control that moves nothing at rest (an IK switch) is taken to move, by its typical change, what the others do.
  double mean = 0;
  int known = 0;
  for (Eigen::Index i = 0; i < motion.size(); ++i)
    if (motion[i] > 0) mean += motion[i] * rig.controls()[controls[i]].typical, ++known;
  mean = known > 0 ? mean / known : 1;
  for (Eigen::Index i = 0; i < motion.size(); ++i)
    if (!(motion[i] > 0)) motion[i] = mean / rig.controls()[controls[i]].typical;
  return motion;
}

/// A column for each moment of each clip.
Mat deviations(const Rig& rig, std::span<const int> controls, std::span<const ModeSample> samples, double rate) {
  std::vector<Vec> columns;
  for (const ModeSample& sample : samples) {
    detail::ControlDeviation deviation(rig.controls(), controls, sample);
    for (const double time : frame_times(sample.clip->duration, rate)) {
      columns.emplace_back();
      deviation.sample(time, columns.back());
    }
  }
  Mat P(static_cast<Eigen::Index>(controls.size()), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) P.col(static_cast<Eigen::Index>(k)) = columns[k];
  return P;
}

ControlMode described(const Eigen::Ref<const Eigen::RowVectorXd>& r, double share, double widen) {
  const double low = std::min(0.0, r.minCoeff()), high = std::max(0.0, r.maxCoeff());
  const double margin = widen * (high - low);
  return {.share = share,
          .min = low - margin,
          .max = high + margin,
          .rms = std::sqrt(r.squaredNorm() / static_cast<double>(r.size()))};
}

/// A third of each triangle for each of its corners.
Vec point_areas(const TriMesh& mesh) {
  Vec areas = Vec::Zero(mesh.point_count());
  for (const Triangle& t : mesh.triangles) {
    const Vec3 a = point(mesh.points, t[0]);
    const double sixth = (point(mesh.points, t[1]) - a).cross(point(mesh.points, t[2]) - a).norm() / 6;
    for (const int corner : t) areas[corner] += sixth;
  }
  return areas;
}

}  // namespace

double ControlModes::share() const {
  double sum = 0;
  for (const ControlMode& mode : modes) sum += mode.share;
  return sum;
}

Vec ControlModes::reduced(In deviation) const { return U.transpose() * deviation.cwiseQuotient(scale); }

Vec ControlModes::expanded(In r) const { return scale.cwiseProduct(U * r); }

void ModeOptions::validate() const {
  const auto fail = [](const char* element, double value, const char* remedy) {
    throw Error({.element = std::string("mode option \"") + element + "\"",
                 .value = std::to_string(value),
                 .problem = "is " + std::to_string(value),
                 .remedy = remedy});
  };
  if (count < 1) fail("count", count, "ask for one mode at least");
  if (!(rate > 0) || !std::isfinite(rate)) fail("rate", rate, "expected samples a second, above 0");
  if (!(widen >= 0) || !std::isfinite(widen)) fail("widen", widen, "expected a share of the range, 0 or more");
  if (point_weights.size() > 0 && !(point_weights.minCoeff() >= 0 && point_weights.allFinite()))
    fail("point_weights", point_weights.minCoeff(), "expected no weight below 0");
}

ControlModes find_modes(const Rig& rig, std::span<const int> controls, std::span<const ModeSample> samples,
                        const ModeOptions& options) {
  options.validate();
  if (options.point_weights.size() > 0 && options.point_weights.size() != rig.point_count())
    throw Error({.element = "mode option \"point_weights\"",
                 .value = std::to_string(options.point_weights.size()),
                 .problem = "has " + std::to_string(options.point_weights.size()) + " weights",
                 .remedy = "the rig has " + std::to_string(rig.point_count()) + " points"});
  Mat Y = deviations(rig, controls, samples, options.rate);
  const Vec motion = surface_motion(rig, controls, options.point_weights);
  Y = motion.asDiagonal() * Y;  // D^-1 (p - p_base)
  const double largest = Y.size() > 0 ? Y.cwiseAbs().maxCoeff() : 0;
  if (!(largest > 0))
    throw Error({.element = samples.empty() ? "modes" : "clip \"" + samples.front().clip->name + "\"",
                 .problem = "moves none of the controls that modes were asked of",
                 .remedy = "name controls that it keys, and the clip before the simulation as base"});
  ControlModes result;
  std::vector<Eigen::Index> rows;
  for (Eigen::Index i = 0; i < Y.rows(); ++i)
    if (Y.row(i).cwiseAbs().maxCoeff() > kNoMotion * largest) {
      rows.push_back(i);
      result.controls.push_back(controls[static_cast<std::size_t>(i)]);
    }
  Y = Mat(Y(rows, Eigen::all));
  result.scale = motion(rows).cwiseInverse();
  const auto [U, sigma, V] = thin_svd(Y);
  Eigen::Index count = 0;
  while (count < std::min<Eigen::Index>(sigma.size(), options.count) && sigma[count] > kNoMotion * sigma[0]) ++count;
  result.U = U.leftCols(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    Eigen::Index strongest = 0;
    result.U.col(k).cwiseAbs().maxCoeff(&strongest);
    if (result.U(strongest, k) < 0) result.U.col(k) *= -1;
  }
  const Mat R = result.U.transpose() * Y;
  for (Eigen::Index k = 0; k < count; ++k)
    result.modes.push_back(described(R.row(k), sigma[k] * sigma[k] / sigma.squaredNorm(), options.widen));
  return result;
}

ControlModes find_modes(const Character& character, std::span<const int> controls, std::span<const ModeSample> samples,
                        ModeOptions options) {
  if (options.point_weights.size() == 0) options.point_weights = point_areas(rest_surface(character));
  return find_modes(*character.rig, controls, samples, options);
}

std::vector<int> controls_matching(std::span<const Control> controls, std::span<const std::string> patterns) {
  std::vector<char> chosen(controls.size(), 0);
  for (const std::string& pattern : patterns) {
    bool any = false;
    for (std::size_t i = 0; i < controls.size(); ++i) {
      if (controls[i].unit == Unit::quaternion) continue;
      if (!matches(controls[i], pattern) && !matches_pattern(controls[i].group, pattern)) continue;
      chosen[i] = 1;
      any = true;
    }
    if (!any)
      throw Error({.element = "pattern \"" + pattern + "\"",
                   .value = pattern,
                   .problem = "matches no control",
                   .remedy = "`rigspace info --controls` lists them, with their groups"});
  }
  std::vector<int> result;
  for (std::size_t i = 0; i < controls.size(); ++i)
    if (chosen[i]) result.push_back(static_cast<int>(i));
  return result;
}

std::vector<Control> mode_controls(const ControlModes& modes, const SliderOptions& options) {
  std::vector<Control> sliders;
  for (int k = 0; k < modes.count(); ++k) {
    const ControlMode& mode = modes.modes[k];
    // r counts scene units whatever the mode, so one typical change does for all.
    const std::string name = options.name + "_" + std::to_string(k + 1);
    sliders.push_back({.name = name,
                       .node = name,
                       .unit = Unit::scalar,
                       .rest = 0,
                       .min = mode.min,
                       .max = mode.max,
                       .group = options.group,
                       .typical = modes.modes.front().rms});
  }
  return sliders;
}

}  // namespace rigspace
