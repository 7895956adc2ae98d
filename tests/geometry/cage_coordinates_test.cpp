#include "cages.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace rigspace::cage_test {

using namespace testing;

constexpr CageFamily kConcave[] = {CageFamily::mean_value, CageFamily::positive_mean_value, CageFamily::green,
                                   CageFamily::harmonic,   CageFamily::maximum_entropy,     CageFamily::biharmonic};

CageOptions small(CageFamily family) { return {.family = family, .nodes = 600, .rays = 200}; }

/// Of the weights of the points: the furthest from 1.
double worst_sum(const CageCoordinates& at) {
  double worst = 0;
  for (int i = 0; i < at.count(); ++i)
    worst = std::max(worst, std::abs(1 - std::accumulate(at.points.weight.begin() + at.points.start[i],
                                                         at.points.weight.begin() + at.points.start[i + 1], 0.0)));
  return worst;
}

double worst_place(const CageCoordinates& at, In x) { return (at.evaluate(at.cage.points) - x).cwiseAbs().maxCoeff(); }

double weight_of(const CageCoordinates& at, int row, int j) {
  for (int e = at.points.start[row]; e < at.points.start[row + 1]; ++e)
    if (at.points.index[e] == j) return at.points.weight[e];
  return 0;
}

/// Places that every family is defined at: inside, and on faces, edges and corners.
Vec places(const TriMesh& cage) {
  const Vec in = points_inside(cage, 60, 1), on = points_on(cage, 30, 2);
  Vec all(in.size() + on.size());
  all << in, on;
  return all;
}

void expect_partition_and_places(const TriMesh& cage, CageFamily family) {
  const Vec x = places(cage);
  const CageCoordinates at = cage_coordinates(cage, x, small(family));
  EXPECT_LT(worst_sum(at), 1e-9) << name(family);
  if (family != CageFamily::biharmonic) {
    EXPECT_LT(worst_place(at, x), 1e-9) << name(family);
  }
}

TEST(CageCoordinates, PartitionUnityAndReproducePlacesInConvexCages) {
  expect_partition_and_places(tetrahedron(), CageFamily::barycentric);
  for (const CageFamily family : cage_families()) {
    if (family == CageFamily::barycentric) continue;
    expect_partition_and_places(octahedron(), family);
    expect_partition_and_places(cuboid(Vec3::Zero(), Vec3(1, 2, 1.5)), family);
  }
}

TEST(CageCoordinates, PartitionUnityAndReproducePlacesInConcaveAndNestedCages) {
  for (const CageFamily family : kConcave)
    for (const TriMesh& cage : {ell(), horseshoe(), hollow()}) expect_partition_and_places(cage, family);
}

TEST(NaturalNeighbour, ReproducesPlacesWithinTheHull) {
  for (const TriMesh& cage : {octahedron(), ell(), hollow()}) {
    const Vec x = points_inside(cage, 80, 3, 0.02);
    const CageCoordinates at = cage_coordinates(cage, x, {.family = CageFamily::natural_neighbour});
    EXPECT_LT(worst_sum(at), 1e-12);
    EXPECT_LT(worst_place(at, x), 1e-9);
    EXPECT_GE(*std::min_element(at.points.weight.begin(), at.points.weight.end()), 0);
  }
}

TEST(CageCoordinates, AreOneAtTheirOwnPoint) {
  for (const CageFamily family : cage_families()) {
    if (family == CageFamily::green) continue;
    const TriMesh cage = family == CageFamily::barycentric  ? tetrahedron()
                         : family == CageFamily::wachspress ? octahedron()
                                                            : ell();
    const CageCoordinates at = cage_coordinates(cage, cage.points, small(family));
    for (int i = 0; i < cage.point_count(); ++i)
      for (int j = 0; j < cage.point_count(); ++j) EXPECT_NEAR(weight_of(at, i, j), i == j, 1e-9) << name(family);
  }
}

TEST(CageCoordinates, OfATetrahedronAreBarycentric) {
  const TriMesh cage = tetrahedron();
  const Vec x = points_inside(cage, 20, 4, 0.02);
  const CageCoordinates truth = cage_coordinates(cage, x, {.family = CageFamily::barycentric});
  for (const CageFamily family : cage_families()) {
    if (family == CageFamily::green || family == CageFamily::biharmonic) continue;  // not unique, not of places
    const CageCoordinates at = cage_coordinates(cage, x, small(family));
    for (int i = 0; i < at.count(); ++i)
      for (int j = 0; j < 4; ++j) EXPECT_NEAR(weight_of(at, i, j), weight_of(truth, i, j), 1e-8) << name(family);
  }
}

TEST(Wachspress, OfABoxAreTrilinear) {
  const TriMesh cage = cuboid(Vec3::Zero(), Vec3(1, 2, 3));
  const Vec x = points_inside(cage, 40, 5);
  const CageCoordinates at = cage_coordinates(cage, x, {.family = CageFamily::wachspress});
  for (int i = 0; i < at.count(); ++i)
    for (int j = 0; j < 8; ++j) {
      const Vec3 c = point(cage.points, j).cwiseQuotient(Vec3(1, 2, 3)), l = point(x, i).cwiseQuotient(Vec3(1, 2, 3));
      double product = 1;
      for (int k = 0; k < 3; ++k) product *= c[k] > 0.5 ? l[k] : 1 - l[k];
      EXPECT_NEAR(weight_of(at, i, j), product, 1e-12);
    }
}

// Of a function that is harmonic already, x y: the finer the grid, the nearer.
TEST(Harmonic, ConvergesToTheHarmonicFunction) {
  const TriMesh cage = ball(
      Vec3::Zero(), [](const Vec3&) { return 1.0; }, 16);
  const Vec x = points_inside(cage, 60, 6, 0.3);
  std::vector<double> errors;
  const CageCoordinates fine = cage_coordinates(cage, x, {.family = CageFamily::harmonic, .nodes = 20000});
  for (const int nodes : {300, 2500}) {
    const CageCoordinates at = cage_coordinates(cage, x, {.family = CageFamily::harmonic, .nodes = nodes});
    double worst = 0;
    for (int i = 0; i < at.count(); ++i) {
      double value = 0, truth = 0;
      for (int j = 0; j < cage.point_count(); ++j) {
        const Vec3 c = point(cage.points, j);
        value += weight_of(at, i, j) * c.x() * c.y(), truth += weight_of(fine, i, j) * c.x() * c.y();
      }
      worst = std::max(worst, std::abs(value - truth));
    }
    errors.push_back(worst);
  }
  EXPECT_GT(errors[0], 1e-5);
  EXPECT_LT(errors[1], 0.5 * errors[0]);
}

TEST(CageCoordinates, StayWithinZeroAndOneWhereTheoryPromisesIt) {
  const TriMesh cage = horseshoe();
  const Vec x = places(cage);
  for (const CageFamily family :
       {CageFamily::positive_mean_value, CageFamily::harmonic, CageFamily::maximum_entropy, CageFamily::biharmonic}) {
    const CageCoordinates at = cage_coordinates(cage, x, small(family));
    for (const double w : at.points.weight) EXPECT_TRUE(w >= 0 && w <= 1 + 1e-12) << name(family) << " " << w;
  }
  const CageCoordinates mean = cage_coordinates(cage, x, {.family = CageFamily::mean_value});
  EXPECT_LT(*std::min_element(mean.points.weight.begin(), mean.points.weight.end()), -1e-4);
}

// Translations, rotations and uniform scales are reproduced; a stretch along one axis is not, since Green coordinates
// are nearly conformal, but in the stretched direction alone.
TEST(Green, KeepsSimilarMotions) {
  for (const TriMesh& cage : {octahedron(), ell(), hollow()}) {
    const Vec x = places(cage);
    const CageCoordinates at = cage_coordinates(cage, x, {.family = CageFamily::green});
    Affine by;
    by.leftCols<3>() = 1.7 * Eigen::AngleAxisd(0.8, Vec3(1, 2, -1).normalized()).toRotationMatrix();
    by.col(3) = Vec3(0.3, -2, 1);
    const Vec y = at.evaluate(cage_moved(cage, by));
    for (int i = 0; i < at.count(); ++i) EXPECT_LT((point(y, i) - apply(by, point(x, i))).norm(), 1e-8);
    Affine stretch = Affine::Identity();
    stretch(0, 0) = 2;
    EXPECT_GT((at.evaluate(cage_moved(cage, stretch)) - cage_moved({x, {}}, stretch)).norm(), 0.1);
  }
}

TEST(Green, StretchIsTheScaleOfSimilarFaces) {
  const Vec3 u(1, 0.2, 0), v(-0.3, 1, 0.5);
  EXPECT_NEAR(green_stretch(u, v, u, v), 1, 1e-14);
  const Mat3 turn = Eigen::AngleAxisd(1.1, Vec3(0, 1, 1).normalized()).toRotationMatrix();
  EXPECT_NEAR(green_stretch(u, v, 2.5 * turn * u, 2.5 * turn * v), 2.5, 1e-13);
}

TEST(CageCoordinates, HaveTheSlopesOfTheirWeights) {
  const TriMesh cage = ell();
  const Vec x = points_inside(cage, 12, 7, 0.12);
  for (const CageFamily family : kConcave) {
    CageOptions options = small(family);
    options.gradients = true;
    const CageCoordinates at = cage_coordinates(cage, x, options);
    for (int i = 0; i < at.count(); ++i) {
      Vec3 sum = Vec3::Zero();
      Mat3 slope = Mat3::Zero();  // of the reproduced place: the identity
      for (int e = at.points.start[i]; e < at.points.start[i + 1]; ++e) {
        sum += at.points.gradient[e];
        slope += point(cage.points, at.points.index[e]) * at.points.gradient[e].transpose();
      }
      for (int e = at.faces.start[i]; e < at.faces.start[i + 1]; ++e) {
        const Triangle& t = cage.triangles[at.faces.index[e]];
        const Vec3 a = point(cage.points, t[0]), b = point(cage.points, t[1]), c = point(cage.points, t[2]);
        slope += (b - a).cross(c - a).normalized() * at.faces.gradient[e].transpose();
      }
      EXPECT_LT(sum.norm(), 1e-7) << name(family);
      if (family != CageFamily::biharmonic) {
        EXPECT_LT((slope - Mat3::Identity()).norm(), 1e-7) << name(family);
      }
    }
  }
}

// In a convex cage all of it is seen, and the two kinds of mean values agree as well as rays can.
TEST(PositiveMeanValue, IsMeanValueWhereAllIsSeen) {
  const TriMesh cage = octahedron();
  const Vec x = points_inside(cage, 10, 8, 0.1);
  CageOptions options{.family = CageFamily::positive_mean_value, .rays = 20000, .gradients = true};
  const CageCoordinates seen = cage_coordinates(cage, x, options);
  options.family = CageFamily::mean_value;
  const CageCoordinates all = cage_coordinates(cage, x, options);
  ASSERT_EQ(seen.points.index, all.points.index);
  for (std::size_t e = 0; e < seen.points.weight.size(); ++e) {
    EXPECT_NEAR(seen.points.weight[e], all.points.weight[e], 1e-3);
    EXPECT_LT((seen.points.gradient[e] - all.points.gradient[e]).norm(), 0.02);
  }
}

TEST(CageCoordinates, DroppedWeightsAreMadeUpFor) {
  const TriMesh cage = horseshoe();
  const Vec x = points_inside(cage, 40, 9);
  const auto count = [&](double below) {
    const CageCoordinates at = cage_coordinates(
        cage, x, {.family = CageFamily::harmonic, .nodes = 600, .drop_below = below, .gradients = true});
    EXPECT_LT(worst_sum(at), 1e-9);
    EXPECT_LT(worst_place(at, x), 1e-9);
    return at.points.weight.size();
  };
  EXPECT_LT(count(1e-3), 0.7 * static_cast<double>(count(0)));
}

TEST(CageCoordinates, AreTheSameBitsForAnyNumberOfThreads) {
  const TriMesh cage = ell();
  const Vec x = points_inside(cage, 40, 10);
  for (const CageFamily family : kConcave) {
    std::vector<CageCoordinates> both;
    for (const int threads : {1, 2}) {
      const ThreadCountScope scope(threads);
      both.push_back(cage_coordinates(cage, x, small(family)));
    }
    EXPECT_EQ(both[0].points.weight, both[1].points.weight) << name(family);
  }
}

template <class Body>
std::string sentence(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Cage, SaysWhatIsWrongWithIt) {
  const Vec x = Vec::Constant(3, 0.25);
  const auto bind = [&](const TriMesh& cage, const CageOptions& options = {}) {
    return sentence([&] { cage_coordinates(cage, x, options); });
  };
  TriMesh open = octahedron();
  open.triangles.pop_back();
  EXPECT_NE(bind(open).find("is not closed: edge 0-3"), std::string::npos) << bind(open);
  TriMesh flat = octahedron();
  point(flat.points, 4) = 0.5 * (point(flat.points, 0) + point(flat.points, 2));
  EXPECT_NE(bind(flat).find("has a face without area: face 0, points 0 2 4"), std::string::npos) << bind(flat);
  TriMesh crossing = cuboid(Vec3::Zero(), Vec3::Ones());
  for (int j = 0; j < 8; ++j)
    if (point(crossing.points, j).norm() < 0.1) point(crossing.points, j) = Vec3(0.5, 0.5, 1.5);
  EXPECT_NE(bind(crossing).find("passes through itself"), std::string::npos) << bind(crossing);
  EXPECT_NE(bind({}).find("has no faces"), std::string::npos);
  TriMesh loose = octahedron();
  loose.points.conservativeResize(21);
  loose.points.tail<3>().setZero();
  EXPECT_NE(bind(loose).find("has a point that no face uses: point 6"), std::string::npos);
  EXPECT_NE(bind(ell(), {.family = CageFamily::wachspress}).find("is not convex"), std::string::npos);
  EXPECT_NE(bind(ell(), {.family = CageFamily::barycentric}).find("need a tetrahedron"), std::string::npos);
  EXPECT_NE(sentence([] { cage_family("mean"); }).find("positive-mean-value"), std::string::npos);
}

TEST(Cage, RefusesPointsOutsideUnlessToldOtherwise) {
  const TriMesh cage = octahedron();
  Vec x(6);
  x << 0.1, 0.1, 0.1, 2, 0, 0;
  for (const CageFamily family : kConcave) {
    CageOptions options = small(family);
    const std::string said = sentence([&] { cage_coordinates(cage, x, options); });
    EXPECT_NE(said.find("does not enclose 1 of 2 points; point 1 is 1 away"), std::string::npos) << said;
    options.outside = CageOutside::still;
    const CageCoordinates at = cage_coordinates(cage, x, options);
    EXPECT_EQ(at.points.start[2], at.points.start[1]) << name(family);
  }
  const CageCoordinates extended = cage_coordinates(cage, x, {.outside = CageOutside::extend});
  EXPECT_LT(worst_place(extended, x), 1e-9);
  EXPECT_NE(sentence([&] {
              cage_coordinates(cage, x, {.family = CageFamily::harmonic, .outside = CageOutside::extend, .nodes = 600});
            }).find("choose mean-value"),
            std::string::npos);
}

TEST(Cage, FacesAreTurnedOutwardAndCavitiesInward) {
  const TriMesh turned = checked_cage(flipped(hollow()));
  EXPECT_NEAR(signed_volume(turned), 8 - 0.4 * 0.4 * 0.4 * 1.6, 1e-9);
  Vec x(3);
  x << 0.05, 0.05, 0.05;  // in the cavity
  EXPECT_NE(sentence([&] { cage_coordinates(hollow(), x, {}); }).find("does not enclose"), std::string::npos);
}

}  // namespace rigspace::cage_test
