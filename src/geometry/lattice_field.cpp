#include "lattice_field.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace rigspace {
namespace {

constexpr int kBisections = 24;
constexpr double kBeside = 1e-6;  // of an edge: how far beside a crossing its two sides are looked at

/// One edge of the lattice and the places on it where the label was evaluated. Away from holes the inside ends at
/// crossings with the skin only, which saves most evaluations.
class EdgeWalk {
 public:
  EdgeWalk(const Classifier& classify, const Vec3& from, const Vec3& to)
      : classify_(classify),
        from_(from),
        to_(to),
        closed_(!classify.solids().near_hole(from) && !classify.solids().near_hole(to)) {}

  /// Parameters at which the edge is left, from its beginning and from its end (as a fraction from there).
  std::array<double, 2> exits(Label begin, Label end) {
    classify_.solids().skin().crossings(from_, to_, crossings_);
    samples_.assign(1, {0, begin});
    if (crossings_.empty()) {
      if (begin == Label::thickened || end == Label::thickened) sample(0.5);
    } else {
      if (!closed_ || begin == Label::thickened) sample_between(0, crossings_.front());
      for (std::size_t k = 1; k < crossings_.size(); ++k) sample_between(crossings_[k - 1], crossings_[k]);
      if (!closed_ || end == Label::thickened) sample_between(crossings_.back(), 1);
    }
    samples_.push_back({1, end});
    std::array<double, 2> result{LatticeField::kNoExit, LatticeField::kNoExit};
    if (begin != Label::outside && end != Label::outside && !any_gap()) return result;
    const std::size_t last = samples_.size() - 1;
    if (begin != Label::outside)
      for (std::size_t k = 1; k <= last && result[0] > 1; ++k)
        if (samples_[k].label == Label::outside) result[0] = border(samples_[k - 1], samples_[k].t);
    if (end != Label::outside)
      for (std::size_t k = last; k-- > 0 && result[1] > 1;)
        if (samples_[k].label == Label::outside) result[1] = 1 - border(samples_[k + 1], samples_[k].t);
    return result;
  }

 private:
  struct Sample {
    double t;
    Label label;
  };
  Label label(double t) const { return classify_((1 - t) * from_ + t * to_); }
  bool filled(double t) const { return label(t) != Label::outside; }
  void sample(double t) { samples_.push_back({t, label(t)}); }
  void sample_between(double a, double b) {
    if (b - a > 2 * kBeside) sample(0.5 * (a + b));
  }

  /// Whether some empty place on the edge lies between two walls, as in a gap between fingers, and not beside one wall,
  /// as where an edge cuts the corner of a bent leg. The other wall is looked for at up to three times the distance of
  /// the nearest: it is there between parallel walls and in creases narrower than about 70 degrees.
  bool any_gap() const {
    for (const Sample& sample : samples_) {
      if (sample.label != Label::outside) continue;
      const Vec3 x = (1 - sample.t) * from_ + sample.t * to_;
      const Vec3 to_wall = classify_.solids().skin().closest(x).position - x;
      if (classify_.solids().skin().any_crossing(x, x - 3 * to_wall)) return true;
    }
    return false;
  }

  /// Between a filled and an empty place: the crossing with the skin, where the label changes just there; otherwise
  /// (the part has a hole, or is thickened) by bisection.
  double border(const Sample& filled_sample, double out) const {
    double in = filled_sample.t;
    const double beside = out > in ? kBeside : -kBeside;
    const double t = crossing_between(in, out);
    if (t >= 0) {
      const double t_before = std::clamp(t - beside, 0.0, 1.0), t_after = std::clamp(t + beside, 0.0, 1.0);
      const bool before = (closed_ && filled_sample.label == Label::inside) || filled(t_before);
      if (before && !filled(t_after)) return t;
      (before ? in : out) = before ? t_after : t_before;
    }
    for (int k = 0; k < kBisections; ++k) {
      const double middle = 0.5 * (in + out);
      (filled(middle) ? in : out) = middle;
    }
    return 0.5 * (in + out);
  }
  /// The one nearest to `in`, or -1.
  double crossing_between(double in, double out) const {
    double found = -1;
    for (const double t : crossings_)
      if ((t - in) * (t - out) <= 0 && (found < 0 || std::abs(t - in) < std::abs(found - in))) found = t;
    return found;
  }

  const Classifier& classify_;
  Vec3 from_, to_;
  bool closed_;
  std::vector<double> crossings_;
  std::vector<Sample> samples_;
};

}  // namespace

// Near a place q of the skin where the flesh behind is thin, provided that the air before q is at least 2.5 times as
// deep as x is far: so two thickened parts never meet, whatever lies between them. Thickening stops where flesh of
// kKept cells is reached: a rod of that width holds a chain of neighbouring lattice points, whatever its direction.
bool Classifier::thickened(const Vec3& x) const {
  if (!(reach_ > 0)) return false;
  const SurfacePoint q = solids_.skin().closest(x, reach_);
  if (q.triangle < 0 || !(q.distance > 0)) return false;
  const Vec3 inward = (q.position - x) / q.distance;
  if (!(q.distance < 0.5 * (kKept * cell_ - thickness(q.position, inward)))) return false;
  return !solids_.skin().any_crossing(x, q.position - 2.5 * q.distance * inward);
}

/// How far the flesh goes from a place of the skin, at most kKept cells.
double Classifier::thickness(const Vec3& from, const Vec3& inward) const {
  const double longest = kKept * cell_, beside = 1e-6 * cell_;
  if (solids_.near_hole(from)) {
    for (int step = 1; step <= 8; ++step)
      if (!solids_.inside(from + step / 8.0 * longest * inward)) return (step - 1) / 8.0 * longest;
    return longest;
  }
  thread_local std::vector<double> crossings;
  const Vec3 begin = from + beside * inward;
  solids_.skin().crossings(begin, begin + longest * inward, crossings);
  for (const double t : crossings)  // a crossing may also be the skin of a part inside another
    if (!solids_.inside(begin + (t * longest + beside) * inward)) return t * longest;
  return longest;
}

LatticeField::LatticeField(const Solids& solids, double cell, double dilation, const ProgressCallback& progress) {
  lay_out(solids.box(), cell);
  const Classifier classify(solids, cell, dilation);
  label_points(classify, progress);
  find_active();
  find_exits(classify, progress);
}

// Two cubes of margin, so that no filled point lies at the rim. The grid's middle is the box's: a symmetric surface
// gets a symmetric lattice.
void LatticeField::lay_out(const Box& box, double cell) {
  lattice_.cell = cell;
  double points = 2;
  for (int k = 0; k < 3; ++k) {
    const double cubes = std::ceil(box.size()[k] / cell) + 4;
    points *= cubes + 1;
    lattice_.cubes[k] = static_cast<int>(std::min(cubes, 1e6));
    lattice_.origin[k] = box.center()[k] - 0.5 * cell * lattice_.cubes[k];
  }
  if (points > static_cast<double>(kMaxLatticePoints))
    throw Error({.element = "cell",
                 .value = std::to_string(cell),
                 .problem = "of " + std::to_string(cell) + " needs more than " + std::to_string(kMaxLatticePoints) +
                            " lattice points",
                 .remedy = "take larger cells or fewer vertices"});
}

// A point farther from the skin than a long edge has the label of its neighbour in the row if that is as far. Only near
// the skin, and near holes, is a winding number needed for each.
void LatticeField::label_row(const Classifier& classify, int first, int count) {
  bool known = false;
  for (int v = first; v < first + count; ++v) {
    const Vec3 x = lattice_.position(v);
    const SurfacePoint q = classify.solids().skin().closest(x, 1.001 * lattice_.cell);
    distance_[v] = static_cast<float>(q.distance);
    const bool far = q.triangle < 0 && !classify.solids().near_hole(x);
    if (far && known)
      label_[v] = label_[v - 1];
    else
      label_[v] = far ? (classify.solids().inside(x) ? Label::inside : Label::outside) : classify(x);
    known = far;
  }
}

void LatticeField::label_points(const Classifier& classify, const ProgressCallback& progress) {
  label_.assign(lattice_.count(), Label::outside);
  distance_.assign(lattice_.count(), std::numeric_limits<float>::infinity());
  const auto& n = lattice_.cubes;
  const int corner_rows = (n[1] + 1) * (n[2] + 1), rows = corner_rows + n[1] * n[2];
  const int block = std::max(64, rows / 16);
  for (int done = 0; done < rows; done += block) {
    report(progress, "finding the inside", static_cast<double>(done) / rows);
    parallel_ranges(std::min(block, rows - done), 8, [&](int begin, int end) {
      for (int row = done + begin; row < done + end; ++row) {
        if (row < corner_rows)
          label_row(classify, row * (n[0] + 1), n[0] + 1);
        else
          label_row(classify, lattice_.corner_count() + (row - corner_rows) * n[0], n[0]);
      }
    });
  }
}

void LatticeField::find_active() {
  index_.assign(lattice_.count(), -1);
  std::vector<char> wanted(lattice_.count(), 0);
  for (int v = 0; v < lattice_.count(); ++v) {
    if (!filled(v)) continue;
    wanted[v] = 1;
    for (int d = 0; d < kDirections; ++d) {
      const int u = lattice_.neighbour(v, d);
      if (u >= 0) wanted[u] = 1;
    }
  }
  for (int v = 0; v < lattice_.count(); ++v)
    if (wanted[v]) index_[v] = static_cast<int>(active_.size()), active_.push_back(v);
}

void LatticeField::find_exits(const Classifier& classify, const ProgressCallback& progress) {
  exit_.assign(active_.size() * kDirections, kNoExit);
  const int count = static_cast<int>(active_.size()), block = std::max(1024, count / 32);
  for (int done = 0; done < count; done += block) {
    report(progress, "cutting edges", static_cast<double>(done) / count);
    parallel_ranges(std::min(block, count - done), 32, [&](int begin, int end) {
      for (int k = done + begin; k < done + end; ++k) {
        const int v = active_[k];
        for (int d = 0; d < kForward; ++d) {
          const int u = lattice_.neighbour(v, d);
          if (u < 0 || index_[u] < 0 || (!filled(v) && !filled(u))) continue;
          const bool same = filled(v) && filled(u);
          // No skin within an edge's length of both ends: nothing happens between.
          if (same && (distance_[v] > lattice_.length(d) || distance_[u] > lattice_.length(d))) continue;
          EdgeWalk walk(classify, lattice_.position(v), lattice_.position(u));
          const auto exits = walk.exits(label_[v], label_[u]);
          exit_[slot(v, d)] = exits[0];
          exit_[slot(u, opposite(d))] = exits[1];
        }
      }
    });
  }
}

}  // namespace rigspace
