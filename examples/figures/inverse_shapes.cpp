// IRM figures 8 and 9: a jelly squirrel that falls, mapped onto the squirrel's rig by points of its body, its teeth
// left out; a face from a few of its points. Argument: a folder for pictures. Fails if the numbers do not hold.
#include "figure_program.h"
#include "rigspace/anim/bake.h"
#include "rigspace/apps/inverse/keep_apart.h"
#include "rigspace/apps/inverse/point_targets.h"
#include "rigspace/cast/cast.h"
#include "rigspace/energy/gravity.h"
#include "rigspace/energy/half_spaces.h"
#include "rigspace/energy/integrator.h"
#include "rigspace/energy/momentum.h"
#include "rigspace/energy/solid.h"
#include "rigspace/geometry/closest_point.h"
#include "rigspace/geometry/embedding.h"
#include "rigspace/geometry/stuffing.h"
#include "rigspace/geometry/winding_number.h"
#include "rigspace/optimize/newton.h"
#include "rigspace/render/renderer.h"

#include <Eigen/SVD>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

using namespace rigspace;

namespace {

const Piece& piece_named(const Character& character, const char* name) {
  return *std::ranges::find(character.pieces, name, &Piece::name);
}

TriMesh surface_of_piece(const Piece& piece, In points) {
  TriMesh mesh{.points = points.segment(3 * piece.first_point, 3 * piece.point_count), .triangles = piece.triangles};
  for (Triangle& triangle : mesh.triangles)
    for (int& corner : triangle) corner -= piece.first_point;
  return mesh;
}

/// How deep the deepest point of the teeth is in the trunk, metres; 0 outside.
double teeth_in_body(const Character& squirrel, In points) {
  const TriMesh body = surface_of_piece(piece_named(squirrel, "body"), points);
  const WindingTree winding(body);
  const TriangleTree nearest(body);
  const Piece& teeth = piece_named(squirrel, "teeth");
  constexpr double kTrunkTop = 0.5;  // metres: above it the skin is the head's, and its muzzle around the teeth
  double rest_low = 0;               // roots of the teeth are in the mouth: only their lower half counts
  const Vec rest = rest_surface(squirrel).points;
  for (int i = 0; i < teeth.point_count; ++i) rest_low += point(rest, teeth.first_point + i).y() / teeth.point_count;
  double deepest = 0;
  for (int i = teeth.first_point; i < teeth.first_point + teeth.point_count; ++i)
    if (point(rest, i).y() < rest_low && winding(point(points, i)) > 0.5) {
      const SurfacePoint found = nearest.closest(point(points, i));
      const int corner = body.triangles[static_cast<std::size_t>(found.triangle)][0];
      if (point(rest, piece_named(squirrel, "body").first_point + corner).y() < kTrunkTop)
        deepest = std::max(deepest, found.distance);
    }
  return deepest;
}

/// All points of the squirrel as a soft body carries them that falls forward onto its belly, a column a frame, 30 a
/// second. What is not body (teeth, eyes) hangs on the tetrahedra that it is in, or nearest to.
Mat falling_jelly(const Character& squirrel, int frames) {
  constexpr double kStep = 1.0 / 120, kFloor = 2e3;
  constexpr int kSteps = 4;  // a frame
  const Vec rest = rest_surface(squirrel).points;
  const Body body = stuff(surface_of_piece(piece_named(squirrel, "body"), rest), {.vertices = 700});
  const TetEmbedding carried = embed(body.mesh, rest);
  const Eigen::AngleAxisd lean(0.5, Vec3::UnitX());
  Vec x = body.mesh.points;
  const int n = static_cast<int>(x.size() / 3);
  for (int i = 0; i < n; ++i) point(x, i) = lean * point(x, i) + Vec3(0, 0.12, 0);
  const Vec masses = lumped_masses(body.mesh, 1000);
  const Solid solid(body.mesh.points, body.mesh.tets, {.young = 9e3, .poisson = 0.4});
  const Load weight = gravity(masses);
  Momentum inertia(masses);
  HalfSpaces floor;
  std::vector<HalfSpaces::Plane> planes;
  for (int i = 0; i < n; ++i) planes.push_back({.point = i, .normal = Vec3::UnitY(), .offset = 0, .stiffness = kFloor});
  floor.set(planes);
  const IdentityMapping full(static_cast<int>(x.size()));
  Objective objective(full);
  objective.add("inertia", inertia), objective.add("solid", solid), objective.add("gravity", weight);
  objective.add("floor", floor);
  Integrator integrator(IntegratorKind::euler);
  integrator.restart(x, Vec::Zero(x.size()));
  const Newton newton({.gradient_tolerance = 1e-4, .max_iterations = 30});
  NewtonWorkspace workspace;
  Mat shapes(rest.size(), frames);
  Vec shape, target;
  for (int step = 0; step < kSteps * frames; ++step) {
    if (step % kSteps == 0) carried.evaluate(x, shape), shapes.col(step / kSteps) = shape;
    integrator.begin(kStep);
    integrator.momentum_target(target);
    inertia.set_target(target, integrator.momentum_scale());
    newton.solve(objective, x, workspace);
    integrator.accept(x);
  }
  return shapes;
}

/// Rows of pictures of one size.
void save_rows(const std::vector<std::vector<Picture>>& rows, const std::filesystem::path& file) {
  const int width = rows.front().front().width(), height = rows.front().front().height();
  Picture page(width * static_cast<int>(rows.front().size()), height * static_cast<int>(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < rows[r].size(); ++c)
      paste(page, rows[r][c], width * static_cast<int>(c), height * static_cast<int>(r));
  write_png(file, page);
  std::printf("  %s\n", file.c_str());
}

double distance(In a, In b) { return (a - b).norm() / std::sqrt(static_cast<double>(a.size() / 3)); }

bool draw_squirrel(const std::filesystem::path& folder) {
  const Character squirrel = make_character("squirrel");
  const std::vector<std::string> without{"teeth", "eyes"};
  const std::vector<int> points = spread_points(squirrel, 120, without);
  const InverseModel model(squirrel, {.points = points, .heading = false, .samples = 300});
  constexpr int kFrames = 40;
  const Mat shapes = falling_jelly(squirrel, kFrames);
  Mat X(3 * std::ssize(points), kFrames);
  for (std::size_t k = 0; k < points.size(); ++k)
    X.middleRows<3>(3 * static_cast<Eigen::Index>(k)) = shapes.middleRows<3>(3 * points[k]);
  const std::vector<InversePose> close = model.solve_motion(X, {.max_iterations = kMappingSteps});
  // The teeth are kept out of the trunk on top of it.
  const KeepApart apart(squirrel, std::vector<std::string>{"teeth"}, std::vector<std::string>{"body"});
  std::vector<InversePose> poses = close;
  int parted = 0;
  for (int k = 0; k < kFrames; ++k) parted += apart.refine(model, X.col(k), {}, poses[static_cast<std::size_t>(k)]);
  const Renderer renderer(squirrel);
  const RenderOptions cell{.width = 300, .height = 330};
  const Piece& body = piece_named(squirrel, "body");
  const auto body_of = [&](In s) { return Vec(s.segment(3 * body.first_point, 3 * body.point_count)); };
  const Vec rest = rest_surface(squirrel).points;
  double error = 0, error_close = 0, swing = 0, simulated = 0, mapped = 0, mapped_close = 0;
  int guessed = 0;
  std::vector<Snapshot> left, right;
  Framing framing({.azimuth = 62 * kDegree, .elevation = 6 * kDegree}, double(cell.width) / cell.height);
  for (int k = 0; k < kFrames; ++k) {
    const Snapshot rig = take_snapshot(squirrel, poses[static_cast<std::size_t>(k)].p);
    error = std::max(error, distance(body_of(rig.points), body_of(shapes.col(k))) / model.size());
    const Vec at_rest = body_of(rest), moved = body_of(shapes.col(k));
    const Vec3 shift = (moved - at_rest).reshaped(3, moved.size() / 3).rowwise().mean();
    swing = std::max(swing, distance(moved, at_rest + shift.replicate(moved.size() / 3, 1)) / model.size());
    simulated = std::max(simulated, teeth_in_body(squirrel, shapes.col(k)));
    mapped = std::max(mapped, teeth_in_body(squirrel, rig.points));
    const Snapshot without_contact = take_snapshot(squirrel, close[static_cast<std::size_t>(k)].p);
    mapped_close = std::max(mapped_close, teeth_in_body(squirrel, without_contact.points));
    error_close =
        std::max(error_close, distance(body_of(without_contact.points), body_of(shapes.col(k))) / model.size());
    guessed += poses[static_cast<std::size_t>(k)].guessed;
    if (k % 8 != 0) continue;
    left.push_back({.points = shapes.col(k), .joints = {}}), right.push_back(rig);
    framing.add(left.back().points), framing.add(rig.points);
  }
  std::vector<std::vector<Picture>> rows(2);
  for (std::size_t k = 0; k < left.size(); ++k) {
    rows[0].push_back(renderer.render(left[k], framing.camera(), cell));
    rows[1].push_back(renderer.render(right[k], framing.camera(), cell));
  }
  std::printf(
      "squirrel: %zu points of its body, %d controls; the body at most %.2f %% of the size off (it deforms by "
      "%.2f %%); teeth in the chest: jelly %.1f mm, rig %.1f mm; without keeping them out %.1f mm, the body %.2f %% "
      "off; "
      "%d frames were changed; %d of %d frames far from the examples\n",
      points.size(), model.coordinates().size(), 100 * error, 100 * swing, 1000 * simulated, 1000 * mapped,
      1000 * mapped_close, 100 * error_close, parted, guessed, kFrames);
  save_rows(rows, folder / "inverse_squirrel.png");
  return error < 0.5 * swing && mapped < 0.1 * simulated;
}

/// Points that show most of what controls do: each in turn the one whose motion those before it say least of.
std::vector<int> telling_points(const FeatureRig& all, In p, std::span<const int> controls, In typical, int count) {
  Mat J = all.jacobian(p, controls) * typical.asDiagonal();
  std::vector<int> chosen;
  while (std::ssize(chosen) < count) {
    int best = 0;
    double most = -1;
    for (int i = 0; i < all.count(); ++i)
      if (const double left = J.middleRows<3>(3 * i).squaredNorm(); left > most) most = left, best = i;
    chosen.push_back(best);
    const Mat rows = J.middleRows<3>(3 * best);
    const Eigen::JacobiSVD<Mat> svd(rows, Eigen::ComputeThinV);
    for (int k = 0; k < 3; ++k)
      if (svd.singularValues()[k] > 1e-9) J -= (J * svd.matrixV().col(k)) * svd.matrixV().col(k).transpose();
  }
  std::ranges::sort(chosen);
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

bool draw_face(const std::filesystem::path& folder) {
  constexpr int kLandmarks = 16, kTrials = 12;
  const Character face = make_character("face");
  std::vector<int> everything(static_cast<std::size_t>(face.rig->point_count()));
  for (std::size_t i = 0; i < everything.size(); ++i) everything[i] = static_cast<int>(i);
  const FeatureRig all(face, std::span<const int>(everything));
  std::vector<std::string> offered;
  std::vector<int> free;
  Vec typical(std::ssize(face.rig->controls()));
  for (int c = 0; c < std::ssize(face.rig->controls()); ++c)
    if (const Control& each = face.rig->controls()[c]; !each.group.empty() && each.min < each.max) {
      typical[std::ssize(free)] = each.typical;
      free.push_back(c), offered.push_back(each.name);
    }
  typical.conservativeResize(std::ssize(free));
  const Vec rest = face.rig->rest();
  const std::vector<int> landmarks = telling_points(all, rest, free, typical, kLandmarks);
  // Examples: its one clip, and expressions that somebody set: here at random, few controls each.
  std::mt19937 random(3);
  const auto number = [&] { return static_cast<double>(random()) / 4294967295.0; };
  const auto expression = [&] {
    Vec p = rest;
    for (int k = 0; k < 6; ++k) {
      const int c = free[static_cast<std::size_t>(number() * 0.999 * static_cast<double>(free.size()))];
      const Control& each = face.rig->controls()[c];
      p[c] = std::clamp(rest[c] + 1.6 * (2 * number() - 1) * each.typical, each.min, each.max);
    }
    return p;
  };
  Character taught = face;
  Mat P(rest.size(), 300);
  std::vector<double> times;
  for (Eigen::Index k = 0; k < P.cols(); ++k) P.col(k) = expression(), times.push_back(static_cast<double>(k) / 30);
  taught.clips = {keys_from_poses(face.rig->controls(), free, times, P)};
  taught.clips.front().name = "expressions";
  const InverseModel model(taught, {.points = landmarks, .heading = false, .samples = 300, .rate = 30});
  const Renderer renderer(face);
  const RenderOptions cell{.width = 260, .height = 300};
  const Camera camera = frame(rest_surface(face).points, double(cell.width) / cell.height, {.azimuth = 20 * kDegree});
  double at_landmarks = 0, whole = 0, null = 0;
  std::vector<std::vector<Picture>> rows(2);
  for (int k = 0; k < kTrials; ++k) {
    const Vec p = expression();
    Vec x;
    model.features().evaluate(p, x);
    const InversePose pose = model.solve(x, {.max_iterations = kMappingSteps});
    const Snapshot truth = take_snapshot(face, p), found = take_snapshot(face, pose.p);
    const double size = bounding_box(rest_surface(face).points).diagonal();
    at_landmarks += pose.joint_error * pose.joint_error / kTrials;
    whole += std::pow(distance(truth.points, found.points) / size, 2) / kTrials;
    null += std::pow(distance(truth.points, rest_surface(face).points) / size, 2) / kTrials;
    if (k >= 5) continue;
    rows[0].push_back(renderer.render(truth, camera, cell)), rows[1].push_back(renderer.render(found, camera, cell));
  }
  std::printf(
      "face: %zu landmarks, %d controls, %d expressions that it was not trained on: landmarks %.3f %% of their "
      "size off, the whole face %.3f %% of its size (at rest it would be %.2f %% off)\n",
      landmarks.size(), model.coordinates().size(), kTrials, 100 * std::sqrt(at_landmarks), 100 * std::sqrt(whole),
      100 * std::sqrt(null));
  save_rows(rows, folder / "inverse_face.png");
  return std::sqrt(whole) < 0.5 * std::sqrt(null);
}

}  // namespace

int main(int count, char** arguments) {
  return run_figure(count, arguments, [](const std::filesystem::path& folder) {
    const bool squirrel = draw_squirrel(folder), face = draw_face(folder);
    return squirrel && face;
  });
}
