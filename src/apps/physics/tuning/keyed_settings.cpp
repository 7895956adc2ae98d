#include "keyed_settings.h"

#include "rigspace/anim/curve.h"
#include "rigspace/geometry/signed_distance.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace rigspace {
namespace {

// Chosen so that hits bend the curves no more than a swing does: a stronger pull stops the part with a jerk before the
// hit, a shorter correction makes a jerk at it.
constexpr double kPullRise = 0.25, kPullFall = 0.25;  // s: the pull rises before a hit and falls after it
constexpr double kPullDamping = 0.7;                  // damping ratio of the pull at the part's own rate
constexpr double kCorrection = 0.3;                   // s: half width T of the bump of correct_hits

/// Strength of the pull, 0..1, `after` seconds after a hit.
double pull_weight(double after) {
  return after < 0 ? smooth_step(-kPullRise, 0, after) : smooth_step(kPullFall, 0, after);
}

}  // namespace

void set_amount(TunedPart& part, double amount) {
  if (part.most_scaling == 0) {
    part.scaling = 1, part.load = part.ease * part.held * amount;
    return;
  }
  part.scaling = std::min(part.most_scaling, amount);
  part.load = part.ease * part.held * std::max(1.0, amount / part.most_scaling);
}

double counted_scaling(const TunedPart& part, double amount) {
  TunedPart whole = part;
  if (amount < 1) set_amount(whole, part.raised);
  return whole.scaling;
}

TunedPart part_at(const TunedPart& part, double time) {
  TunedPart now = part;
  const PartSettings& asked = part.part->settings;
  for (const SettingField& field : setting_fields())
    if (asked.keys_of(field.name) != nullptr) now.settings.*field.value = asked.at(field.name, time);
  if (asked.keys_of("rate") != nullptr && asked.settle == 0)  // keeps the preset's damping ratio as the rate changes
    now.settings.settle = 3 / (part.preset->damping_ratio * 2 * std::numbers::pi * now.settings.rate);
  if (asked.keys_of("amount") != nullptr) set_amount(now, part.raised * now.settings.amount);
  return now;
}

double scaling_at(const TunedPart& part, double time) {
  return part.part->settings.keys_of("amount") == nullptr ? part.scaling : part_at(part, time).scaling;
}

double KeyedSettings::clip_time(double time) const {
  if (!motion_.cyclic() || !(motion_.duration() > 0)) return time;
  return time - std::floor(time / motion_.duration()) * motion_.duration();
}

bool KeyedSettings::any() const {
  return std::any_of(system_.parts.begin(), system_.parts.end(), [](const TunedPart& part) {
    const PartSettings& settings = part.part->settings;
    return !settings.hits.empty() || std::any_of(settings.keys.begin(), settings.keys.end(),
                                                 [](const SettingKeys& each) { return each.control != "mix"; });
  });
}

/// The strength of the pull of the nearest hit, 0..1; hits of a loop repeat with every turn.
double KeyedSettings::pull(const PartSettings& settings, double time) const {
  double most = 0;
  const double turn = motion_.cyclic() ? motion_.duration() : 0;
  for (const double hit : settings.hits)
    for (const double shift : {0.0, turn, -turn}) most = std::max(most, pull_weight(clip_time(time) - hit + shift));
  return most;
}

/// The body for the settings at a time. Around a hit, with pull strength w, inertial load, gravity and wind are scaled
/// by 1 - w, and a spring of stiffness w omega^2 per mass (for w = 1 as stiff as the part itself) pulls the part to the
/// animation, with damping w 2 zeta omega.
SteppedBody KeyedSettings::body(double time) {
  const std::vector<TunedPart> base = system_.parts;
  for (TunedPart& part : system_.parts) part = part_at(part, clip_time(time));
  const std::vector<TunedPart> now = system_.parts;
  SteppedBody body = system_.settings();
  system_.parts = base;
  for (std::size_t c = 0; c < now.size(); ++c) {
    const double w = pull(now[c].part->settings, time);
    if (w == 0) continue;
    MassGroup& group = body.groups[c];
    const double omega = 2 * std::numbers::pi * now[c].settings.rate;
    group.pull = std::max(group.pull, w * omega * omega);
    group.damping += w * 2 * kPullDamping * omega;
    group.load *= 1 - w, group.wind *= 1 - w, group.weight *= 1 - w;
  }
  return body;
}

bool KeyedSettings::still(double from, double to) const {
  const double a = clip_time(from), b = clip_time(to);
  return std::all_of(system_.parts.begin(), system_.parts.end(), [&](const TunedPart& part) {
    const PartSettings& settings = part.part->settings;
    return pull(settings, from) == 0 && pull(settings, to) == 0 &&
           std::all_of(settings.keys.begin(), settings.keys.end(), [&](const SettingKeys& each) {
             return settings.at(each.control, a) == settings.at(each.control, b);
           });
  });
}

namespace {

/// Corrects one hit in all rows (see correct_hits). `reach`: T, s. `turn`: duration of a loop, s, or 0.
void correct_hit(Mat& deviation, const HitRows& rows, double hit, double reach, double turn) {
  const auto columns = static_cast<std::size_t>(deviation.cols());
  const std::span<const double> times = rows.times.first(columns);
  const auto nearest = [&](double time) {  // seconds after the hit; in a loop after its nearest repetition
    const double after = time - hit;
    return turn > 0 ? after - turn * std::round(after / turn) : after;
  };
  const auto through = [&](const auto& value_at) {
    Curve curve{.interpolation = Interpolation::catmull_rom, .times = {times.begin(), times.end()}};
    for (std::size_t k = 0; k < columns; ++k) curve.values.push_back(value_at(k));
    return Eigen::Vector2d(curve(hit), curve.slope(hit));
  };
  const auto bump = [&](std::size_t k) {
    const double u = nearest(times[k]) / reach;
    return std::abs(u) < 1 ? std::pow(1 - u * u, 3) : 0.0;
  };
  const auto leaning = [&](std::size_t k) { return nearest(times[k]) / reach * bump(k); };
  Eigen::Matrix2d bumps;  // value and slope at the hit of the two bumps, as curves through their samples
  bumps.col(0) = through(bump), bumps.col(1) = through(leaning);
  const Eigen::FullPivLU<Eigen::Matrix2d> solver(bumps);
  for (const int row : rows.rows) {
    const Eigen::Vector2d left = through([&](std::size_t k) { return deviation(row, static_cast<Eigen::Index>(k)); });
    const Eigen::Vector2d share = solver.solve(left);
    for (std::size_t k = 0; k < columns; ++k)
      deviation(row, static_cast<Eigen::Index>(k)) -= share[0] * bump(k) + share[1] * leaning(k);
    if (rows.looped) deviation(row, deviation.cols() - 1) = deviation(row, 0);
  }
}

}  // namespace

void correct_hits(Mat& deviation, const HitRows& rows) {
  if (deviation.cols() < 4) return;
  const double first = rows.times.front(), last = rows.times[static_cast<std::size_t>(deviation.cols()) - 1];
  const double turn = rows.looped ? last - first : 0;
  const int passes = rows.hits.size() > 1 ? 4 : 1;  // several: correcting one hit changes its neighbours by about 1e-3
  for (int each = 0; each < passes * static_cast<int>(rows.hits.size()); ++each) {
    const double hit = rows.hits[static_cast<std::size_t>(each) % rows.hits.size()];
    if (hit < first || hit > last) continue;
    double reach = kCorrection;  // at most the distance to the next hit, so that this bump is 0 there
    for (const double other : rows.hits)
      for (const double shift : {0.0, turn, -turn})
        if (const double apart = std::abs(other + shift - hit); apart > 1e-9) reach = std::min(reach, apart);
    correct_hit(deviation, rows, hit, std::max(reach, 2 * (rows.times[1] - first)), turn);
  }
}

}  // namespace rigspace
