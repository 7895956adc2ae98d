#pragma once
// A rig as data: the content of a rig file, and of characters made in code. Everything has a name and refers to other
// things by theirs; `build` finds an order, makes the control graph and the deformers, and throws Error for what is
// missing, doubled or circular.
//
// Numbers are as people write them: angles in degrees, lengths in the rig's units. `origin` of a part begins messages
// about it: "hero.rig.json:41".

#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/lattice.h"
#include "rigspace/rig/nonlinear.h"
#include "rigspace/rig/pose_weights.h"
#include "rigspace/rig/spline_chain.h"
#include "rigspace/rig/wire.h"
#include "rigspace/rig/wrap.h"

#include <array>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace rigspace::plan {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// A number that may be turned: plain, or an expression of controls and values.
struct Value {
  double number = 0;
  std::string expression;  ///< empty: the number

  Value(double plain = 0) : number(plain) {}
  Value(int plain) : number(plain) {}
  Value(std::string text) : expression(std::move(text)) {}
  Value(const char* text) : expression(text) {}

  bool operator==(const Value&) const = default;
};

/// A run of the rig's points that deformers may name: a piece of the character.
struct PointRun {
  std::string name;
  int first = 0, count = 0;
};

/// A glTF node, see NodeDescription: 13 controls and a transform of this name.
struct Node {
  std::string name;
  std::string parent;  ///< empty: the scene
  Vec3 translation = Vec3::Zero();
  Quat rotation = Quat::Identity();
  Vec3 scale = Vec3::Ones();
  Affine constant = Affine::Identity();
  double typical_length = 1;
  std::string origin = {};
};

/// A point that a curve, an aim or a pole reads: three controls, offsets from its position in the parent's space.
struct Point {
  std::string name;
  std::string parent;
  Vec3 position = Vec3::Zero();
  double typical_length = 1;
  std::string origin = {};
};

/// `value`: a number of this name, for other expressions. `set` and `add`: what the channel of this name (`shin_l.rx`,
/// `belly_01.ty`) is at its rest control, or gets on top; the control stays, as an offset. `add` on a control that
/// stands alone: what every expression that names the control gets on top of it.
struct Driver {
  std::string name;
  enum class Mode { value, set, add };
  Mode mode = Mode::value;
  std::string expression;
  std::string origin = {};
};

struct Target {
  std::string node;
  Value weight = 1;
};

/// What becomes of a node's transform once it is computed; several on one node apply in order. `name` is the node.
struct Constraint {
  std::string name;
  enum class Kind { point, orient, parent, scale, aim, limit_translation, limit_rotation, limit_distance };
  Kind kind = Kind::point;
  std::vector<Target> targets;
  Value influence = 1;
  bool keep_offset = true;
  Vec3 axis = Vec3::UnitZ(), up_axis = Vec3::UnitY();  ///< aim, in the node's axes
  std::string up;                                      ///< aim: a node or point; empty: the scene's +Y
  Vec3 low = Vec3::Constant(-kNoLimit), high = Vec3::Constant(kNoLimit);  ///< in the parent's space; degrees if angles
  double nearest = 0, farthest = kNoLimit;                                ///< limit_distance, to the first target
  std::string origin = {};
};

struct JointLimit {
  bool hinge = false;
  Vec3 axis = Vec3::UnitX();                                    ///< of a hinge, in the joint's rest axes
  Vec3 low = Vec3::Constant(-180), high = Vec3::Constant(180);  ///< rotation vector from rest, degrees; hinge: [0]
  double stiffness = 1;
};

/// Two bones in closed form if the chain has three nodes and no limits, else least squares within limits.
struct Ik {
  std::string name;
  std::vector<std::string> chain;  ///< nodes, root to tip
  std::string target, pole;        ///< nodes or points; no pole: empty
  Value blend = 1;                 ///< 0: the nodes' own controls (FK), 1: IK
  Value orient = 0;                ///< how far the tip takes the target's orientation
  Value stretch = 0;               ///< two bones only
  double soft = 0;                 ///< two bones only: share of the length in which they slow down
  std::vector<JointLimit> limits;  ///< none, or one per node but the tip
  std::string origin = {};
};

/// A reverse foot: transforms `<name>.ankle` and `<name>.toe` for IK and toes to follow. Pivots in the foot's space.
struct FootRoll {
  std::string name;
  std::string foot;  ///< the node of the foot's control
  Vec3 heel = Vec3::Zero(), ball = Vec3::Zero(), toe = Vec3::Zero(), inner = Vec3::Zero(), outer = Vec3::Zero(),
       ankle = Vec3::Zero();
  Value roll = 0, bank = 0, heel_twist = 0, toe_twist = 0, ball_break = 30, toe_straight = 60;  ///< degrees
  std::string origin = {};
};

/// A curve that carries nodes: they leave their own place and take one along it.
struct SplineChain {
  std::string name;
  std::vector<std::string> points;  ///< points or nodes, root to tip
  std::vector<std::string> joints;  ///< nodes, in order along the curve
  SplineKind kind = SplineKind::b_spline;
  std::string up;  ///< a node; empty: the scene
  Vec3 up_axis = Vec3::UnitY();
  Value stretch = 0, start_twist = 0, end_twist = 0;  ///< twists in degrees
  std::string origin = {};
};

/// Values `<name>.1`, `<name>.2` .., each 1 at its own example and 0 at the others.
struct PoseWeights {
  std::string name;
  std::vector<Value> inputs;
  std::vector<std::vector<double>> examples;
  PoseKernel kernel = PoseKernel::multiquadric;
  double radius = 0;
  std::string origin = {};
};

/// A transform that takes a share of how a child turns against its parent.
struct HelperJoint {
  std::string name;
  std::string parent, child;
  Vec3 axis = Vec3::UnitY();
  Value twist = 0.5, swing = 0;
  double along = 0.5;
  std::string origin = {};
};

/// Where a deformer acts, as a factor for every point: the product of what is given.
struct Mask {
  struct Ball {
    Vec3 center = Vec3::Zero();
    double inner = 0, outer = 1;  ///< 1 within the inner, 0 beyond the outer radius, smooth between
  };
  std::vector<std::string> joints;  ///< patterns: the sum of the point's skin weights for these joints
  std::vector<Ball> balls;          ///< the strongest counts
  std::vector<int> points;          ///< counted within the piece; with weights; all others are 0
  std::vector<double> weights;

  bool is_everywhere() const { return joints.empty() && balls.empty() && points.empty(); }
};

struct Skin {
  bool dual_quaternion = false;
  std::vector<std::string> joints;
  std::vector<Affine> inverse_bind;
  std::vector<std::vector<Influence>> influences;  ///< one list per point of the piece
};

/// Blend shapes. Names are those of the targets, for writers of files.
struct Shape {
  std::string name;
  Value weight;
  std::vector<int> points;  ///< counted within the piece
  std::vector<Vec3> offsets;
};
struct Shapes {
  std::vector<Shape> targets;
};

/// Its points are made here: `<name>_ijk` (counted from 1) for the free ones, three controls each; the others stay.
struct Lattice {
  Affine frame = Affine::Identity();  ///< from the unit box to the rig's space, at rest
  std::array<int, 3> size{3, 3, 3};
  LatticeBasis basis = LatticeBasis::bezier;
  LatticeOutside outside = LatticeOutside::fade;
  Vec3 margin = Vec3::Constant(0.5);
  std::vector<std::array<int, 3>> free;  ///< counted from 0; empty: all
  double typical_length = 1;
  Mask where;
};

struct Wire {
  std::vector<std::string> points;  ///< root to tip; where they rest is the wire's rest
  WireCurve curve = WireCurve::cubic;
  double radius = kNoLimit;
  double thinning = 0;
  Value start_roll = 0, end_roll = 0, thickness = 1, strength = 1;  ///< rolls in degrees
  Mask where;
};

struct Nonlinear {
  rigspace::Nonlinear kind = rigspace::Nonlinear::bend;
  std::string handle;                 ///< a node that carries the frame; empty: it stays
  Affine frame = Affine::Identity();  ///< from handle space to the rig's, at rest
  double low = -1, high = 1, rounding = 0.2;
  std::map<std::string, Value> parameters;  ///< by the names of rigspace::parameters(kind)
  Mask where;
};

struct Cluster {
  std::string node;  ///< a node or a point
  Mask where;
};
struct Clusters {
  std::vector<Cluster> clusters;
};

/// Pieces that follow the surface of others, from where all of them rest at this place of the stack.
struct Wrap {
  std::vector<std::string> to;  ///< patterns of the pieces to follow
  double blend = 1;             ///< see WrapOptions
  int max_triangles = 16;
  Mask where;
};

/// What a deformer of another room may use of the rig that is being built.
struct DeformerSite {
  ControlGraph& graph;
  In points_rest;  ///< of all points, flattened
  PointRun run;    ///< the points that it moves
  /// The slot of a named node's transform, and of a number or an expression in this unit. Throw Error.
  std::function<int(const std::string& node)> transform;
  std::function<int(const Value& value, Unit unit)> scalar;
};

/// A deformer whose kind belongs to another room; rig files read it as registered in io/rig_blocks.h.
class OwnDeformer {
 public:
  virtual ~OwnDeformer() = default;
  virtual std::string_view type() const = 0;  ///< what rig files call it
  /// For one run of points; nullptr if it moves none of them.
  virtual std::unique_ptr<rigspace::Deformer> make(const DeformerSite&) const = 0;
};

struct Deformer {
  std::string name;
  std::vector<std::string> pieces;  ///< patterns; empty: all (of a wrap: all but those it follows)
  std::variant<Skin, Shapes, Lattice, Wire, Nonlinear, Clusters, Wrap, std::shared_ptr<const OwnDeformer>> kind;
  std::string origin = {};
};

/// Applied in order to the controls that match, or whose node does.
struct ControlRule {
  std::string origin;
  std::string pattern;
  std::string group;       ///< empty: as it is
  double min = -kNoLimit;  ///< degrees if angles; infinite: as it is
  double max = kNoLimit;
  double typical = 0;  ///< 0: as it is
};

}  // namespace rigspace::plan

namespace rigspace {

struct RigPlan {
  Vec points_rest;  ///< flattened
  std::vector<plan::PointRun> pieces;
  std::vector<Triangle> triangles;  ///< of the points, for wraps to follow; without these it may be empty
  std::vector<Control> controls;    ///< that stand alone; in inner units (radians), as everywhere
  std::vector<plan::Node> nodes;
  std::vector<plan::Point> points;
  std::vector<plan::Driver> drivers;
  std::vector<plan::Constraint> constraints;
  std::vector<plan::Ik> ik;
  std::vector<plan::FootRoll> foot_rolls;
  std::vector<plan::SplineChain> spline_chains;
  std::vector<plan::PoseWeights> pose_weights;
  std::vector<plan::HelperJoint> helpers;
  std::vector<plan::Deformer> deformers;
  std::vector<plan::ControlRule> rules;
};

struct BuiltRig {
  std::shared_ptr<const BuiltInRig> rig;
  std::map<std::string, int> transforms;  ///< slot of every named transform, after constraints and IK
};

/// Controls come in the plan's order: controls, nodes, points, lattices. Throws Error, with the part's origin for file,
/// that names the part and what is wrong with it.
BuiltRig build(const RigPlan& plan);

/// The plan of a rig made of glTF nodes, scalars, skins, rigid parts and blend shapes: `pieces` are not known to it and
/// stay empty, deformers name the runs of points that they move as pieces `run0`, `run1` ... Throws Error for others.
RigPlan plan_of(const BuiltInRig& rig);

}  // namespace rigspace
