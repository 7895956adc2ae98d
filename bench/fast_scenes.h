#pragma once
// The scenes of `bench fast`: those of Thesis table 4.1 on the cast, and a body with affine handles as in Fast
// Complementary Dynamics.

#include "bench.h"
#include "rsp_scenes.h"

#include <array>
#include <filesystem>
#include <optional>

namespace rigspace::bench {

constexpr std::string_view kQualityScene = "error against cost, belly: trained on Walk, tested on Dance";
constexpr std::string_view kConvergenceScene = "convergence, belly";
constexpr std::string_view kSizesScene = "one body under several display meshes, belly";
constexpr double kFastFrame = 1.0 / 24;  // s; film's; the Thesis gives no frame rate

/// A scene of Thesis table 4.1 with its seconds per frame: the method of 2012, static interior, the same with deferred
/// Jacobian, skinned interior, the same with deferred Jacobian. The wrestler was not run by the first: there it is NaN.
/// The fast method is trained on the scene's clip and tested on others.
struct FastScene {
  RspScene scene;
  std::array<double, 5> thesis;
  std::vector<std::string_view> tests;  ///< clips of fast_character
};

/// Trunk (13 controls), belly (36), the wrestler's stomp and head shake (174 each). Made ready by `prepare`.
std::span<const FastScene> fast_scenes();

/// A member of the cast with two more clips for Peanut: "Hop", three jumps on the spot, and "Shake", of the head.
Character fast_character(std::string_view member);

/// The scene on another clip, from its beginning to its end; at most so many steps, unless 0.
RspSetup prepare_test(const FastScene& scene, std::string_view clip, int most_steps = 0);

/// Rows of Thesis table 4.1 for a scene, with the fast method on clips that it was not trained on.
std::vector<Row> table_rows(const FastScene& scene, bool quick);

/// Rows of one body under display meshes of 1 k, 10 k, 100 k, and unless `quick` 1 M vertices.
std::vector<Row> sizes_rows(bool quick);

/// Rows of simulate_parts as it ships, the fast method against the full one at the same rate, on other clips than those
/// trained on.
std::vector<Row> shipped_rows(const BenchOptions& options);

/// Rows of the error against elements and milliseconds, by the quality that the user chooses.
std::vector<Row> quality_rows(bool quick);

/// Rows of the full method on the belly with smaller steps, and with smaller tetrahedra; the order of each.
std::vector<Row> convergence_rows(bool quick);

struct FastTraining;

/// Rows with the rig of a scene in another process, by the method of 2012 and the fast one: as quick as a pipe is, and
/// unless `quick` as slow as a production rig. None where the method of 2012 is out of reach.
std::vector<Row> process_rows(const FastScene& scene, const RspSetup& setup, const FastTraining& trained, bool quick);

/// Rows of many characters stepped in one process, on one thread and on two: 1000, or 50 if `quick`.
std::vector<Row> crowd_rows(bool quick);

/// A rig of affine handles: each has twelve controls `<handle>.xx xy xz yx .. zz tx ty tz`, the rows of a matrix A and
/// a shift t, all 0 at rest, and every point of a surface goes with them by weights that sum to one,
///   s = X + sum_j w_j (A_j (X - c_j) + t_j).
/// Linear in its controls, as the rigs of Fast Complementary Dynamics.
struct HandleRig {
  std::shared_ptr<const Rig> rig;
  std::vector<int> nodes;  ///< of the mesh: where the handles are, c_j
};

/// Handles spread over the nodes of a mesh, at most 16, each as far from the others as can be; their weights are
/// harmonic in the mesh, one in a small ball around their own handle and zero in those of the others, and nothing where
/// they are small, so that a point feels few. The rig's points are those of boundary_surface(mesh).
HandleRig make_handle_rig(const TetMesh& mesh, int handles);

/// The time of Fast Complementary Dynamics on its own mesh of 10 k vertices and 42 k tetrahedra, measured on two cores.
struct NeighbourFigure {
  int unknowns;
  double milliseconds_per_step;
};
NeighbourFigure neighbour_figure(int handles);

constexpr double kNeighbourLength = 2;  // metres

/// A dolphin, laid along its own axes and as long as that: a handle is keyed as if it swam, the others are free.
/// Nothing where the file is absent.
std::optional<RspSetup> prepare_neighbour(int handles, int steps);

/// Where it is looked for: below $RIGSPACE_ASSETS, else ../shared/assets.
std::filesystem::path neighbour_file();

}  // namespace rigspace::bench
