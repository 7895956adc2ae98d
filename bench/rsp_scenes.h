#pragma once
// The scenes of RSP's table 1 on the cast, and how one of them is run.

#include "rigspace/body/rig_space_simulation.h"
#include "thread_seconds.h"

#include <span>
#include <string>
#include <vector>

namespace rigspace::bench {

/// A row of RSP table 1: sizes are scalars, three a vertex (docs/corrections.md, "sizes in table 1").
struct PaperRow {
  int controls, interior, surface;
  double seconds_per_frame;
};

struct RspScene {
  std::string_view name, member, clip;
  std::vector<std::string> free;  ///< controls, or nodes all of whose lengths are free
  PaperRow paper;
  double young = 5e4;     ///< Pa
  bool required = false;  ///< the bars on iterations apply
  bool modes = false;     ///< six modes of what the free controls did stand for them
  double start = 0;       ///< s of the clip: where something happens
  bool falling = false;   ///< begins in flight, not in balance
  bool floor = false;     ///< there is one, at y = 0
};

std::span<const RspScene> rsp_scenes();

/// A scene made ready: the body, what is free and the poses of the clip on the steps' grid.
struct RspSetup {
  RigBody body;
  std::vector<int> free;
  std::vector<Vec> keys;  ///< at start, then a step apart
  Vec balance, nodes;     ///< all controls, and nodes, where the first key leaves the rest in balance
  RigSpaceOptions options;
  bool falling = false, floor = false;
  bool resting = false;  ///< begins without velocity
};

constexpr double kRspStep = 0.01;  // s, Thesis 7

/// The body of the scene's character; with its rig in the place of the character's own, if there is one.
RigBody body_of(const RspScene& scene, std::shared_ptr<const Rig> rig = nullptr);

RspSetup prepare(const RspScene& scene, int steps);

/// The same for a setup that has its body: of a character with the scene's controls and clip. Without modes.
void prepare_on(RspSetup& setup, const Character& character, const RspScene& scene, int steps);

/// Twelve blend shapes of the elephant's belly, for RSP 7's comparison of interfaces: the rest pose, and what one unit
/// of a lattice point's control does to it.
std::shared_ptr<const Rig> blend_shapes_of(const Rig& rig, const std::vector<int>& controls);
RspSetup prepare_blend_shapes(int steps);

/// A rig that answers on standard streams (docs/process-rigs.md) until they end.
constexpr std::string_view kBlendShapes = "blend-shapes";
struct RigHost {
  std::string member{kBlendShapes};  ///< of the cast, or the rig of prepare_blend_shapes
  double delay = 0;                  ///< s: what an evaluation takes at least
};
int host_rig(const RigHost& host);
/// The command that is such a host.
std::string host_command(const RigHost& host);

/// The same points by the same controls, without derivatives.
std::shared_ptr<const Rig> as_black_box(std::shared_ptr<const Rig> rig);

struct RspRun {
  double seconds = 0;  ///< of all steps but the first, which analyses the pattern
  double fastest = 0;  ///< s: of one step
  std::vector<double> step_seconds;  ///< of each of those: time of the processor that the calling thread took
  int steps = 0, iterations = 0, most_iterations = 0, halvings = 0, unconverged = 0, inverted = 0, recovered = 0;
  long rig_evaluations = 0, rig_jacobians = 0;
  LinearRigCounts linear;  ///< of a rig that is linear within a step
  double residual = 0;     ///< the largest at the end of a step
  double motion = 0;       ///< scene units: largest distance of a node from where the keys alone carry it
  std::vector<Vec> poses;  ///< all controls after each step
};

/// Settles at the first key, takes up the keys' velocity and steps along them.
RspRun run(const RspSetup& setup);

}  // namespace rigspace::bench
