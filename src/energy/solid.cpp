#include "rigspace/energy/solid.h"

#include "rigspace/base/error.h"
#include "tet_batch.h"

#include <algorithm>
#include <string>

namespace rigspace {
namespace {

// Below this share of the cube of its longest edge the volume of a tetrahedron counts as zero.
constexpr double kFlat = 1e-9;
constexpr double kLeastRestRatio = 0.02;

[[noreturn]] void bad_tet(int element, const std::string& problem, const std::string& remedy) {
  throw Error({.element = "tet " + std::to_string(element),
               .value = std::to_string(element),
               .problem = problem,
               .remedy = remedy});
}

Mat3 edge_matrix(In x, const int* corners) {
  Mat3 D;
  for (int a = 0; a < 3; ++a) D.col(a) = point(x, corners[a + 1]) - point(x, corners[0]);
  return D;
}

// Writes lane e % 4 of its batch: the rows of D^-1 are the shape gradients of corners 1 to 3.
void write_rest(std::vector<double>& rest, int e, const Mat3& D_inv, double volume) {
  double* lane = rest.data() + static_cast<std::size_t>(e / kLanes) * kBatchDoubles + e % kLanes;
  for (int a = 0; a < 3; ++a)
    for (int j = 0; j < 3; ++j) lane[kLanes * (3 * a + j)] = D_inv(a, j);
  lane[kLanes * 9] = volume;
}

void require_stiffness(std::span<const double> stiffness, int count) {
  if (static_cast<int>(stiffness.size()) != count)
    throw Error({.code = ErrorCode::usage,
                 .element = "stiffness factors",
                 .value = std::to_string(stiffness.size()),
                 .problem = "are " + std::to_string(stiffness.size()),
                 .remedy = "one for each of the " + std::to_string(count) + " tets"});
  for (int e = 0; e < count; ++e)
    if (!(stiffness[e] >= 0) || !std::isfinite(stiffness[e]))
      bad_tet(e, "has the stiffness factor " + std::to_string(stiffness[e]), "expected zero or more");
}

}  // namespace

Solid::Solid(In x_bind, std::span<const Tet> tets, const Material& material, std::span<const double> stiffness)
    : material_(material), points_(static_cast<int>(x_bind.size()) / 3), count_(static_cast<int>(tets.size())) {
  material.validate();
  tets_.reserve(4 * (tets.size() + kLanes));
  for (int e = 0; e < count_; ++e)
    for (const int corner : tets[e]) {
      if (corner < 0 || corner >= points_)
        bad_tet(e, "has corner " + std::to_string(corner), "there are " + std::to_string(points_) + " points");
      tets_.push_back(corner);
    }
  weight_.assign(tets.size(), 1.0);
  stiffness_.assign(tets.size(), 1.0);
  if (!stiffness.empty()) {
    require_stiffness(stiffness, count_);
    stiffness_.assign(stiffness.begin(), stiffness.end());
  }
  compute_bind(x_bind);
  set_up();
}

void Solid::compute_bind(In x_bind) {
  bind_.assign(static_cast<std::size_t>((count_ + kLanes - 1) / kLanes) * kBatchDoubles, 0.0);
  rest_volume_.assign(static_cast<std::size_t>(count_), 0.0);
  for (int e = 0; e < count_; ++e) {
    const Mat3 D = edge_matrix(x_bind, tets_.data() + 4 * e);
    const double det = D.determinant();
    const double size = std::max({D.colwise().norm().maxCoeff(), (D.col(1) - D.col(0)).norm(),
                                  (D.col(2) - D.col(0)).norm(), (D.col(2) - D.col(1)).norm()});
    if (!std::isfinite(det)) bad_tet(e, "has a corner that is not finite", "repair the mesh");
    if (det < -kFlat * size * size * size) bad_tet(e, "is inverted in the bind pose", "swap two of its corners");
    if (det <= kFlat * size * size * size) {
      ++degenerate_;
      continue;
    }
    rest_volume_[e] = det / 6;
    write_rest(bind_, e, D.inverse(), det / 6);
  }
}

// What follows from tets_ and bind_: padding, the list of points, and the places of their forces.
void Solid::set_up() {
  while (tets_.size() % (4 * kLanes) != 0)
    for (int a = 0; a < 4; ++a) tets_.push_back(tets_[tets_.size() - 4]);
  rest_ = bind_;
  scale_volumes();

  support_.assign(tets_.begin(), tets_.begin() + 4 * count_);
  std::sort(support_.begin(), support_.end());
  support_.erase(std::unique(support_.begin(), support_.end()), support_.end());
  place_start_.assign(support_.size() + 1, 0);
  std::vector<int> slot(4 * static_cast<std::size_t>(count_));
  for (std::size_t k = 0; k < slot.size(); ++k) {
    slot[k] = static_cast<int>(std::lower_bound(support_.begin(), support_.end(), tets_[k]) - support_.begin());
    ++place_start_[static_cast<std::size_t>(slot[k]) + 1];
  }
  for (std::size_t s = 0; s < support_.size(); ++s) place_start_[s + 1] += place_start_[s];
  places_.resize(slot.size());
  std::vector<int> next = place_start_;
  for (int e = 0; e < count_; ++e)
    for (int a = 0; a < 4; ++a)
      places_[next[slot[4 * e + a]]++] = e / kLanes * 12 * kLanes + 3 * a * kLanes + e % kLanes;
}

void Solid::scale_volumes() {
  for (int e = 0; e < count_; ++e)
    rest_[static_cast<std::size_t>(e / kLanes) * kBatchDoubles + 9 * kLanes + e % kLanes] =
        rest_volume_[e] * stiffness_[e] * weight_[e];
}

void Solid::set_rest(In x_rest) {
  assert(x_rest.size() == 3 * points_);
  fallbacks_ = static_cast<int>(parallel_sum(batches(), 64, [&](int begin, int end) {
    int fallen = 0;
    for (int batch = begin; batch < end; ++batch) {
      const std::size_t at = static_cast<std::size_t>(batch) * kBatchDoubles;
      const TetBatch tet{tets_.data() + 16 * batch, bind_.data() + at};
      const Matrix3<Lanes> D = edges(tet, x_rest.data());
      const Matrix3<Lanes> K = cofactor(D);
      const Lanes det = dot(D.column(0), K.column(0)), bind_volume = tet.volume();
      const LaneMask usable = det > fill<Lanes>(6 * kLeastRestRatio) * bind_volume;
      const Lanes inverse = fill<Lanes>(1.0) / select(usable, det, fill<Lanes>(1.0));
      for (int a = 0; a < 3; ++a)  // D^-1 = cof(D)^T / det
        for (int j = 0; j < 3; ++j)
          store(rest_.data() + at + kLanes * (3 * a + j), select(usable, K(j, a) * inverse, tet.gradient(a, j)));
      const Lanes volume = select(usable, det * fill<Lanes>(1.0 / 6), bind_volume);
      for (int lane = 0; lane < kLanes && kLanes * batch + lane < count_; ++lane) {
        const int e = kLanes * batch + lane;
        if (bind_volume[lane] == 0) continue;
        rest_volume_[e] = volume[lane];
        fallen += usable[lane] == 0;
      }
    }
    return static_cast<double>(fallen);
  }));
  scale_volumes();
}

void Solid::set_material(const Material& material) {
  material.validate();
  material_ = material;
}

void Solid::set_stiffness(std::span<const double> stiffness) {
  require_stiffness(stiffness, count_);
  stiffness_.assign(stiffness.begin(), stiffness.end());
  scale_volumes();
}

Solid Solid::sample(std::span<const WeightedElement> elements) const {
  Solid part;
  part.material_ = material_;
  part.points_ = points_;
  part.count_ = static_cast<int>(elements.size());
  part.bind_.assign((elements.size() + kLanes - 1) / kLanes * kBatchDoubles, 0.0);
  std::vector<double> rest = part.bind_;
  int position = 0;
  const auto copy_lane = [&](const std::vector<double>& from, int e, std::vector<double>& to) {
    for (int k = 0; k < kBatchDoubles; k += kLanes)
      to[static_cast<std::size_t>(position / kLanes) * kBatchDoubles + k + position % kLanes] =
          from[static_cast<std::size_t>(e / kLanes) * kBatchDoubles + k + e % kLanes];
  };
  for (const auto& [e, weight] : elements) {
    if (e < 0 || e >= count_) bad_tet(e, "was to be sampled", "there are " + std::to_string(count_) + " tets");
    part.tets_.insert(part.tets_.end(), tets_.begin() + 4 * e, tets_.begin() + 4 * e + 4);
    part.weight_.push_back(weight * weight_[e]);
    part.stiffness_.push_back(stiffness_[e]);
    part.rest_volume_.push_back(rest_volume_[e]);
    copy_lane(bind_, e, part.bind_);
    copy_lane(rest_, e, rest);
    part.degenerate_ += rest_volume_[e] == 0;
    ++position;
  }
  part.set_up();
  part.rest_ = rest;
  part.scale_volumes();
  return part;
}

std::unique_ptr<Energy> Solid::sampled(std::span<const WeightedElement> elements) const {
  return std::make_unique<Solid>(sample(elements));
}

}  // namespace rigspace
