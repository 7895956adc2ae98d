// The table of the Lecture ("Cage-based Deformers - Zoo"), measured: each property of each family of coordinates on
// convex, concave and nested cages, as far as the family has them. docs/cages.md holds what this prints:
//   build/bin/test_geometry --gtest_filter='CageProperties.*'
#include "cages.h"

#include "rigspace/base/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <optional>

namespace rigspace::cage_properties_test {

using namespace testing;

struct Sampled {
  TriMesh cage;
  Vec x;
  CageCoordinates at;
  Mat W;  // a row per point of the cage, a column per sample
};

/// Nothing where the family refuses the cage or a point.
std::optional<Sampled> sample(const TriMesh& cage, const Vec& x, CageFamily family,
                              CageOutside outside = CageOutside::refuse) {
  try {
    const int nodes = family == CageFamily::biharmonic ? 1000 : 4000;
    Sampled s{
        cage, x, cage_coordinates(cage, x, {.family = family, .outside = outside, .nodes = nodes, .rays = 2000}), {}};
    s.W.setZero(cage.point_count(), s.at.count());
    for (int i = 0; i < s.at.count(); ++i)
      for (int e = s.at.points.start[i]; e < s.at.points.start[i + 1]; ++e)
        s.W(s.at.points.index[e], i) = s.at.points.weight[e];
    return s;
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Furthest of a sum from 1, and of a reproduced place from its own.
double sum_error(const Sampled& s) { return (s.W.colwise().sum().array() - 1).abs().maxCoeff(); }
double place_error(const Sampled& s) { return (s.at.evaluate(s.cage.points) - s.x).cwiseAbs().maxCoeff(); }

bool simplex(CageFamily family) { return family == CageFamily::barycentric; }
bool convex(CageFamily family) { return simplex(family) || family == CageFamily::wachspress; }

TriMesh box() { return cuboid(Vec3(-1, -1, -1), Vec3(1, 1.4, 1)); }

/// The widest kind of cage that the family takes.
TriMesh widest(CageFamily family) {
  if (simplex(family)) return tetrahedron();
  return convex(family) ? ball(Vec3::Zero(), 1, 4) : horseshoe();
}

/// Two cages of the same points: one has an edge the other way round, and is a dent smaller.
std::array<TriMesh, 2> same_points() {
  TriMesh whole = octahedron();
  point(whole.points, 0).z() = point(whole.points, 1).z() = 0.4;
  TriMesh dented = whole;
  dented.triangles[0] = {0, 2, 1}, dented.triangles[1] = {0, 1, 4};
  return {whole, dented};
}

struct Measure {
  bool holds;
  double figure;  ///< NaN: by construction
};

Measure accepts(CageFamily family, const TriMesh& cage) {
  const auto s = sample(cage, points_inside(cage, 200, 1, 0.03), family);
  return {s && sum_error(*s) < 1e-9, s ? sum_error(*s) : 1};
}

Measure concave(CageFamily family) {
  const Measure one = accepts(family, horseshoe()), two = accepts(family, hollow());
  return {one.holds && two.holds, std::max(one.figure, two.figure)};
}

/// How far the coordinates in two cages of the same points differ. Of simplices and convex cages the points are all.
Measure shape(CageFamily family) {
  if (convex(family)) return {true, std::nan("")};
  const auto [whole, dented] = same_points();
  const Vec x = points_inside(dented, 100, 2, 0.1);
  const double change = (sample(whole, x, family)->W - sample(dented, x, family)->W).cwiseAbs().maxCoeff();
  return {change > 1e-3, change};
}

Measure not_negative(CageFamily family) {
  const TriMesh cage = widest(family);
  const double least = sample(cage, points_inside(cage, 400, 3, 0.03), family)->W.minCoeff();
  return {least >= -1e-12, least};
}

/// Ends of lines that stay `margin` within the surface, each at least `length` long.
std::vector<std::array<Vec3, 2>> lines_inside(const TriMesh& cage, double length, double margin) {
  const Vec ends = points_inside(cage, 400, 4, margin);
  const TriangleTree tree(cage);
  std::vector<std::array<Vec3, 2>> lines;
  for (int i = 0; i + 1 < 400 && lines.size() < 10; i += 2) {
    const Vec3 a = point(ends, i), b = point(ends, i + 1);
    bool inside = (b - a).norm() > length;
    for (int k = 1; k < 40 && inside; ++k) inside = tree.closest(a + k / 40.0 * (b - a)).distance > margin;
    if (inside) lines.push_back({a, b});
  }
  return lines;
}

/// Second differences over the step, at steps h and 2 h along lines: of smooth functions those halve with the step, of
/// kinks they stay. Of harmonic and biharmonic coordinates the steps are those of their grids. The figure is the ratio.
Measure smooth(CageFamily family) {
  const TriMesh cage = widest(family);
  const bool grid = family == CageFamily::harmonic || family == CageFamily::biharmonic;
  const double size = simplex(family) ? 0.3 : 1, h = grid ? 0.12 : 0.005 * size;
  std::vector<double> x;
  std::vector<int> start{0};
  for (const auto& [a, b] : lines_inside(cage, 0.8 * size, 0.2 * size)) {
    const int steps = static_cast<int>((b - a).norm() / h);
    for (int k = 0; k <= steps; ++k) {
      const Vec3 at = a + k * h * (b - a).normalized();
      x.insert(x.end(), {at.x(), at.y(), at.z()});
    }
    start.push_back(static_cast<int>(x.size() / 3));
  }
  const Mat W = sample(cage, Eigen::Map<const Vec>(x.data(), static_cast<Eigen::Index>(x.size())), family)->W;
  const auto bend = [&](int by) {
    double most = 0;
    for (std::size_t line = 0; line + 1 < start.size(); ++line)
      for (int k = start[line] + by; k + by < start[line + 1]; ++k)
        most = std::max(most, (W.col(k - by) - 2 * W.col(k) + W.col(k + by)).cwiseAbs().maxCoeff() / by);
    return most;
  };
  const double ratio = bend(2) > 1e-9 ? bend(1) / bend(2) : 0;
  return {ratio < 0.85, ratio};
}

Measure lagrange(CageFamily family) {
  const TriMesh cage = widest(family);
  const Mat W = sample(cage, cage.points, family)->W;
  const double worst = (W - Mat::Identity(W.rows(), W.cols())).cwiseAbs().maxCoeff();
  return {worst < 1e-9, worst};
}

Measure closed(CageFamily family) {
  return {convex(family) || family == CageFamily::natural_neighbour || family == CageFamily::mean_value ||
              family == CageFamily::green,
          std::nan("")};
}

/// The most that a weight exceeds, or falls short of, all 26 neighbours at a node inside.
Measure monotone(CageFamily family) {
  const TriMesh cage = widest(family);
  const Box bounds = bounding_box(cage.points);
  const double h = bounds.size().maxCoeff() / 22;
  const std::array<int, 3> n{static_cast<int>(bounds.size()[0] / h), static_cast<int>(bounds.size()[1] / h),
                             static_cast<int>(bounds.size()[2] / h)};
  const TriMesh checked = checked_cage(cage);
  const WindingTree winding(checked);
  std::vector<int> number(static_cast<std::size_t>(n[0] * n[1] * n[2]), -1);
  std::vector<double> inside;
  const auto place = [&](int c) {
    return Vec3(bounds.low + h * Vec3(c % n[0] + 0.53, c / n[0] % n[1] + 0.53, c / n[0] / n[1] + 0.53));
  };
  for (int c = 0; c < static_cast<int>(number.size()); ++c)
    if (const Vec3 x = place(c); winding.exact(x) > 0.5) {
      number[c] = static_cast<int>(inside.size() / 3);
      inside.insert(inside.end(), {x.x(), x.y(), x.z()});
    }
  const Vec x = Eigen::Map<const Vec>(inside.data(), static_cast<Eigen::Index>(inside.size()));
  const Mat W = sample(cage, x, family)->W;
  double worst = 0;
  for (int c = 0; c < static_cast<int>(number.size()); ++c) {
    if (number[c] < 0) continue;
    Vec high = Vec::Constant(W.rows(), -1e9), low = Vec::Constant(W.rows(), 1e9);
    bool all = true;
    for (int k = 0; k < 27 && all; ++k) {
      const int i = c % n[0] + k % 3 - 1, j = c / n[0] % n[1] + k / 3 % 3 - 1, l = c / n[0] / n[1] + k / 9 - 1;
      if (k == 13) continue;
      all = i >= 0 && j >= 0 && l >= 0 && i < n[0] && j < n[1] && l < n[2];
      const int other = all ? number[i + n[0] * (j + n[1] * l)] : -1;
      all = other >= 0;
      if (all) high = high.cwiseMax(W.col(other)), low = low.cwiseMin(W.col(other));
    }
    if (!all) continue;
    worst = std::max({worst, (W.col(number[c]) - high).maxCoeff(), (low - W.col(number[c])).maxCoeff()});
  }
  return {worst < 1e-5, worst};
}

/// Sums and places at points around the cage, up to half its size away.
Measure outside(CageFamily family) {
  const TriMesh cage = widest(family);
  const Box bounds = bounding_box(cage.points);
  Vec x(3 * 60);
  for (int i = 0; i < 60; ++i)
    point(x, i) = bounds.center() + bounds.size().cwiseProduct(Vec3(std::sin(i), std::sin(2.3 * i), std::sin(3.1 * i)));
  const auto s = sample(cage, x, family, CageOutside::extend);
  const double error = s ? std::max(sum_error(*s), place_error(*s)) : 1;
  return {error < 1e-7, error};
}

/// A bar of eight cells: what points beyond its middle weigh in the first cell.
Measure local(CageFamily family) {
  if (simplex(family)) return {false, std::nan("")};  // four points, all near
  std::vector<double> along;
  for (int k = 0; k <= 8; ++k) along.push_back(k);
  const TriMesh bar = blocks({along, {0, 1}, {0, 1}}, [](int, int, int) { return true; });
  const auto s = sample(bar, points_inside(cuboid(Vec3::Zero(), Vec3::Ones()), 50, 5, 0.1), family);
  double far = 0;
  for (int i = 0; i < s->at.count(); ++i) {
    double sum = 0;
    for (int j = 0; j < bar.point_count(); ++j)
      if (bar.points[3 * j] > 4.5) sum += std::abs(s->W(j, i));
    far = std::max(far, sum);
  }
  return {far < 1e-9, far};
}

/// Squares of places.
Measure polynomial(CageFamily family) {
  const TriMesh cage = widest(family);
  const auto s = sample(cage, points_inside(cage, 100, 6, 0.03), family);
  double worst = 0;
  for (int i = 0; i < s->at.count(); ++i) {
    double sum = 0;
    for (int j = 0; j < cage.point_count(); ++j) sum += s->W(j, i) * point(cage.points, j).squaredNorm();
    worst = std::max(worst, std::abs(sum - point(s->x, i).squaredNorm()));
  }
  return {worst < 1e-6, worst};
}

Measure coordinates(CageFamily family) {
  const TriMesh cage = widest(family);
  const double error = place_error(*sample(cage, points_inside(cage, 200, 7, 0.03), family));
  return {error < 1e-9, error};
}

struct Property {
  const char* name;
  Measure (*measure)(CageFamily);
};
constexpr Property kProperties[] = {
    {"n-gon", [](CageFamily f) { return accepts(f, box()); }},
    {"concave", concave},
    {"shape", shape},
    {"not negative", not_negative},
    {"smooth", smooth},
    {"Lagrange", lagrange},
    {"closed form", closed},
    {"monotone", monotone},
    {"outside", outside},
    {"local", local},
    {"polynomial", polynomial},
    {"coordinates", coordinates},
};

/// The Lecture's rows, in the order of cage_families, and ours: + has it, - has not, ? not said.
struct Rows {
  CageFamily family;
  const char *lecture, *measured;
};
constexpr Rows kTable[] = {
    {CageFamily::barycentric, "--+++++++--+", "--+++++++--+"},
    {CageFamily::wachspress, "+-+-+++-?--+", "+-++++++---+"},
    {CageFamily::natural_neighbour, "++-+-+++++++", "++-+++++-+-+"},
    {CageFamily::mean_value, "+++-+++-+--+", "+++-+++-+--+"},
    {CageFamily::positive_mean_value, "++++-+-----+", "++++-+-+---+"},
    {CageFamily::green, "+++-+-+----+", "+++-+-++---+"},
    {CageFamily::harmonic, "++++++-+--++", "++++++-+---+"},
    {CageFamily::maximum_entropy, "++++++-?--++", "++++++-----+"},
    {CageFamily::biharmonic, "++++++-+-++-", "++++++-+-+--"},
};

TEST(CageProperties, AreAsTheTableOfTheDocsSays) {
  std::printf("| coordinates |");
  for (const Property& property : kProperties) std::printf(" %s |", property.name);
  std::printf("\n| --- |");
  for (std::size_t k = 0; k < std::size(kProperties); ++k) std::printf(" --- |");
  std::printf("\n");
  for (const Rows& row : kTable) {
    std::string found;
    std::printf("| %s |", std::string(name(row.family)).c_str());
    for (std::size_t k = 0; k < std::size(kProperties); ++k) {
      const Measure measure = kProperties[k].measure(row.family);
      found += measure.holds ? '+' : '-';
      std::printf(" %s", measure.holds ? "yes" : "no");
      if (!std::isnan(measure.figure)) std::printf(" %.2g", measure.figure);
      std::printf("%s |", found.back() == row.lecture[k] ? "" : row.lecture[k] == '?' ? " (?)" : " (!)");
    }
    std::printf("\n");
    EXPECT_EQ(found, row.measured) << name(row.family);
  }
}

}  // namespace rigspace::cage_properties_test
