#include "rigspace/apps/sketch/part_descriptor.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <span>
#include <string>
#include <utility>

namespace rigspace {
namespace drawing {
namespace {

constexpr int kGrid = 5, kOrientations = 4;
constexpr int kRings = 5, kSectors = 16, kFrequencies = 5;
constexpr int kDistances = 10, kTurns = 3;
constexpr int kBends = 5;
constexpr std::array kReaches{0.25, 0.5};  // of the root mean square radius
constexpr int kSamples = 320;

constexpr double kPi = std::numbers::pi;

/// A point of the drawing: its place, the orientation of the line there (0 to pi), its stroke, and its share of the
/// line, all of which sum to one.
struct Sample {
  Vec2 x;
  double orientation;
  int stroke;
  double share = 1;
};

[[noreturn]] void refuse(std::string problem) {
  throw Error({.code = ErrorCode::bad_input,
               .element = "drawing",
               .problem = std::move(problem),
               .remedy = "draw at least one line"});
}

double length_of(const std::vector<Vec2>& stroke) {
  double sum = 0;
  for (std::size_t k = 1; k < stroke.size(); ++k) sum += (stroke[k] - stroke[k - 1]).norm();
  return sum;
}

double turned(double a, double b) {
  const double d = std::abs(a - b);
  return std::min(d, kPi - d);  // 0 to pi / 2
}

/// A line that is drawn over again counts once: samples share what others beside them have, going the same way. Returns
/// how much line is left, of 1.
double share_out(std::vector<Sample>& samples, double spacing) {
  constexpr double kBeside = 0.16, kSameWay = 35 * kDegree;
  const double alone = 1 + 2 * std::floor(kBeside / spacing);  // samples of one line that are so near, itself counted
  double left = 0;
  std::vector<double> share(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    double near = 0;
    for (const Sample& other : samples) {
      near += (other.x - samples[i].x).squaredNorm() < kBeside * kBeside &&
              turned(other.orientation, samples[i].orientation) < kSameWay;
    }
    share[i] = std::min(1.0, alone / near);
    left += share[i];
  }
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i].share = share[i] / left;
  return left / static_cast<double>(samples.size());
}

/// Centred, with root mean square radius 1, shares counted; returns the radius.
double normalise(std::vector<Sample>& samples) {
  Vec2 middle = Vec2::Zero();
  double sum = 0, radius = 0;
  for (const Sample& sample : samples) middle += sample.share * sample.x, sum += sample.share;
  for (const Sample& sample : samples) radius += sample.share * (sample.x - middle / sum).squaredNorm();
  radius = std::sqrt(radius / sum);
  if (!(radius > 0)) refuse("has no extent");
  for (Sample& sample : samples) sample.x = (sample.x - middle / sum) / radius;
  return radius;
}

/// Evenly spaced over all strokes, centred, with root mean square radius 1; `ink` is the length of line in that unit.
std::vector<Sample> samples_of(const Drawing& drawing, double& ink) {
  ink = 0;
  for (const std::vector<Vec2>& stroke : drawing) {
    for (const Vec2& x : stroke) {
      if (!x.allFinite()) refuse("has a coordinate that is not finite");
    }
    ink += length_of(stroke);
  }
  if (!(ink > 0)) refuse("has no line in it");
  const double spacing = ink / kSamples;
  std::vector<Sample> samples;
  for (std::size_t s = 0; s < drawing.size(); ++s) {
    double at = 0.5 * spacing;  // along the stroke, to the next sample
    for (std::size_t k = 1; k < drawing[s].size(); ++k) {
      const Vec2 along = drawing[s][k] - drawing[s][k - 1];
      const double length = along.norm();
      for (; at < length; at += spacing)
        samples.push_back({drawing[s][k - 1] + at / length * along, 0, static_cast<int>(s)});
      at -= length;
    }
  }
  if (samples.size() < 3) refuse("has no line in it");
  ink /= normalise(samples);
  // Chords over a few samples: steadier than the drawn segments.
  const int count = static_cast<int>(samples.size());
  for (int k = 0; k < count; ++k) {
    int from = k, to = k;
    for (int step = 0; step < 2; ++step) {
      if (from > 0 && samples[from - 1].stroke == samples[k].stroke) --from;
      if (to + 1 < count && samples[to + 1].stroke == samples[k].stroke) ++to;
    }
    const Vec2 chord = samples[to].x - samples[from].x;
    samples[k].orientation = std::fmod(std::atan2(chord.y(), chord.x()) + 2 * kPi, kPi);
  }
  ink *= share_out(samples, ink / kSamples);
  ink /= normalise(samples);
  return samples;
}

/// Shares 1 between the two nearest of `bins` bins that `at` (in bins, centres at halves) lies between.
void spread(double at, int bins, bool around, const std::function<void(int, double)>& add) {
  const double low = std::floor(at - 0.5), share = at - 0.5 - low;
  for (const auto& [bin, weight] :
       {std::pair{static_cast<int>(low), 1 - share}, std::pair{static_cast<int>(low) + 1, share}}) {
    if (around)
      add((bin % bins + bins) % bins, weight);
    else
      add(std::clamp(bin, 0, bins - 1), weight);
  }
}

void add_grid(std::span<const Sample> samples, double* out) {
  const auto cell = [](double x) { return kGrid * (0.5 + x / 4.0); };  // two radii to either side
  for (const Sample& sample : samples) {
    spread(cell(sample.x.x()), kGrid, false, [&](int i, double a) {
      spread(cell(sample.x.y()), kGrid, false, [&](int j, double b) {
        spread(sample.orientation / kPi * kOrientations, kOrientations, true,
               [&](int o, double c) { out[(i * kGrid + j) * kOrientations + o] += sample.share * a * b * c; });
      });
    });
  }
}

void add_rings(std::span<const Sample> samples, double* out) {
  std::array<std::array<double, kSectors>, kRings> rings{};
  for (const Sample& sample : samples) {
    spread(sample.x.norm() / 2 * kRings, kRings, false, [&](int ring, double a) {
      const double around = (std::atan2(sample.x.y(), sample.x.x()) / (2 * kPi) + 0.5) * kSectors;
      spread(around, kSectors, true, [&](int sector, double b) { rings[ring][sector] += sample.share * a * b; });
    });
  }
  for (int ring = 0; ring < kRings; ++ring) {
    for (int f = 0; f < kFrequencies; ++f) {
      std::complex<double> sum = 0;
      for (int s = 0; s < kSectors; ++s) sum += rings[ring][s] * std::polar(1.0, 2 * kPi * f * s / kSectors);
      out[ring * kFrequencies + f] = std::abs(sum);
    }
  }
}

void add_pairs(std::span<const Sample> samples, double* out) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (std::size_t j = i + 1; j < samples.size(); ++j) {
      const double far = (samples[i].x - samples[j].x).norm() / 4 * kDistances;
      const int distance = std::min(kDistances - 1, static_cast<int>(far));
      const double turn = turned(samples[i].orientation, samples[j].orientation) / (0.5 * kPi) * kTurns;
      out[distance * kTurns + std::min(kTurns - 1, static_cast<int>(turn))] += 2 * samples[i].share * samples[j].share;
    }
  }
}

void add_bends(std::span<const Sample> samples, double* out) {
  double spacing = 0;  // the same along all strokes, but for chords across corners
  for (std::size_t k = 1; k < samples.size(); ++k)
    spacing =
        std::max(spacing, samples[k].stroke == samples[k - 1].stroke ? (samples[k].x - samples[k - 1].x).norm() : 0);
  for (std::size_t r = 0; r < kReaches.size(); ++r) {
    const int reach = std::max(2, static_cast<int>(std::lround(kReaches[r] / spacing)));
    double count = 0;
    std::array<double, kBends> bins{};
    for (int k = reach; k + reach < static_cast<int>(samples.size()); ++k) {
      if (samples[k - reach].stroke != samples[k + reach].stroke) continue;
      const Vec2 a = samples[k].x - samples[k - reach].x, b = samples[k + reach].x - samples[k].x;
      const double turn = std::abs(std::atan2(a.x() * b.y() - a.y() * b.x(), a.dot(b)));
      spread(turn / kPi * kBends, kBends, false, [&](int bin, double w) { bins[bin] += samples[k].share * w; });
      count += samples[k].share;
    }
    for (int b = 0; b < kBends; ++b) out[static_cast<int>(r) * kBends + b] = count > 0 ? bins[b] / count : 0;
  }
}

}  // namespace
}  // namespace drawing

int drawing_descriptor_size() {
  using namespace drawing;
  return kGrid * kGrid * kOrientations + kRings * kFrequencies + kDistances * kTurns +
         static_cast<int>(kReaches.size()) * kBends + 3;
}

Vec describe_drawing(const Drawing& drawn) {
  using namespace drawing;
  double ink = 0;
  const std::vector<Sample> samples = samples_of(drawn, ink);
  Vec result = Vec::Zero(drawing_descriptor_size());
  double* out = result.data();
  add_grid(samples, out);
  add_rings(samples, out += kGrid * kGrid * kOrientations);
  add_pairs(samples, out += kRings * kFrequencies);
  add_bends(samples, out += kDistances * kTurns);
  out += kReaches.size() * kBends;
  Eigen::Matrix2d spread_of = Eigen::Matrix2d::Zero();
  for (const Sample& sample : samples) spread_of += sample.share * sample.x * sample.x.transpose();
  // Half axes of the ellipse of equal spread, from trace and determinant.
  const double mean = 0.5 * spread_of.trace();
  const double determinant = spread_of(0, 0) * spread_of(1, 1) - spread_of(0, 1) * spread_of(1, 0);
  const double apart = std::sqrt(std::max(0.0, mean * mean - determinant));
  out[0] = std::sqrt(std::max(0.0, mean - apart));
  out[1] = std::sqrt(mean + apart);
  out[2] = std::log(ink);
  // Square roots even out counts that differ by orders (the Hellinger distance between histograms).
  for (Eigen::Index k = 0; k + 3 < result.size(); ++k) result[k] = std::sqrt(result[k]);
  return result;
}

}  // namespace rigspace
