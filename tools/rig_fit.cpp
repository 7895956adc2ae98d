// rigspace rig fit: the rig of a template on a mesh that has none.
#include "rig_weights.h"

#include "rigspace/anim/plain_character.h"
#include "rigspace/anim/rig_fit.h"
#include "rigspace/anim/skin_part.h"
#include "rigspace/apps/clothing/garment_file.h"
#include "rigspace/base/cancel_scope.h"
#include "rigspace/base/files.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/gltf.h"
#include "rigspace/io/rig_file.h"
#include "rigspace/parts/body_joints.h"
#include "rigspace/parts/reference_pose.h"
#include "rigspace/rig/built_in_rig.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <set>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kDoubtful = 0.018;  // of the size: a residual that is worth a word

struct FitArguments {
  std::string source, mesh, output;
  std::vector<std::string> places;
  double heading = 0;
  bool asymmetric = false;
  RigFitOptions fit;
};

[[noreturn]] void refuse_place(const std::string& text) {
  throw Error({.code = ErrorCode::usage,
               .element = "--map " + text,
               .problem = "is no joint with a place",
               .remedy = "give JOINT=X,Y,Z in scene units, as --map hand_l=0.6,1.1,0.05"});
}

std::pair<std::string, Vec3> place_of(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) refuse_place(text);
  Vec3 place;
  const char* at = text.data() + equals + 1;
  const char* const end = text.data() + text.size();
  for (int axis = 0; axis < 3; ++axis) {
    const auto [next, problem] = std::from_chars(at, end, place[axis]);
    const bool ends_well = axis < 2 ? next < end && *next == ',' : next == end;
    if (problem != std::errc() || !ends_well || !std::isfinite(place[axis])) refuse_place(text);
    at = next + 1;
  }
  return {text.substr(0, equals), place};
}

/// A character, or points without joints from an .obj.
Character load_mesh(const std::string& path) {
  if (!path.ends_with(".obj")) return load_character(path);
  const TriMesh mesh = read_obj_mesh(path);
  Character shape;
  shape.name = std::filesystem::path(path).stem().string();
  shape.materials.push_back({.name = "mesh"});
  Piece& piece = shape.pieces.emplace_back();
  piece.name = shape.name, piece.material = 0, piece.point_count = mesh.point_count();
  for (const Triangle& t : mesh.triangles) piece.triangles.push_back(t);
  shape.rig = std::make_shared<BuiltInRig>(std::make_shared<ControlGraph>(), mesh.points,
                                           std::vector<std::shared_ptr<const Deformer>>());
  return shape;
}

/// The template and what its rig is built from.
RiggedCharacter load_template(const FitArguments& options, const Context& context) {
  RiggedCharacter rigged;
  if (options.source.ends_with(".rig.json")) {
    rigged = read_rig_file(options.source);
  } else {
    rigged.character = load_mesh(options.source);
    if (const auto* rig = dynamic_cast<const BuiltInRig*>(rigged.character.rig.get())) rigged.plan = plan_of(*rig);
  }
  print_warnings(context, options.source, rigged.character.warnings);
  rigged.character.name = options.source;
  return rigged;
}

/// How far joints are from those that the mesh came with.
struct Comparison {
  int count = 0;
  double mean = 0, worst = 0;  // shares of the height
  std::string worst_joint;

  void add(const std::string& name, double share) {
    mean = (mean * count + share) / (count + 1), ++count;
    if (share > worst) worst = share, worst_joint = name;
  }
};

/// By the roles of a body on two legs where both have one, hips, head and limbs; else joints with skin by name.
Comparison compare(const Character& fitted, const Character& shape) {
  Comparison result;
  const std::vector<JointPlace> own = joint_places(fitted), artist = joint_places(shape);
  const double height = std::max(1e-300, bounding_box(rest_surface(shape).points).size().y());
  BodyJoints a, b;
  try {
    a = find_body_joints(fitted), b = find_body_joints(shape);
  } catch (const Error&) {  // names that contradict each other: by name then
    a.joints.clear();
  }
  for (const BodyJoint& joint : a.joints) {
    // Joints of spines and necks may be anywhere along them.
    if (joint.role == BodyRole::spine || joint.role == BodyRole::neck || joint.role == BodyRole::clavicle) continue;
    if (a.count(joint.role, joint.side) != b.count(joint.role, joint.side)) continue;
    if (const BodyJoint* other = b.find(joint.role, joint.side, joint.order))
      result.add(own[joint.bone].name, (own[joint.bone].position - artist[other->bone].position).norm() / height);
  }
  if (result.count > 0) return result;
  std::set<std::string> carriers;
  for (const SkinPart& part : skin_parts(fitted))
    for (const SkinJoint& joint : part.joints)
      if (!joint.bones.empty()) carriers.insert(joint.name);
  for (const JointPlace& each : own)
    for (const JointPlace& other : artist)
      if (each.name == other.name && carriers.contains(each.name)) {
        result.add(each.name, (each.position - other.position).norm() / height);
        break;
      }
  return result;
}

void write(const FitArguments& options, const RigFit& fit) {
  if (options.output.ends_with(".rig.json"))
    write_rig_file(options.output, {.character = fit.character, .plan = fit.plan});
  else
    write_file(options.output,
               to_glb(is_plain(fit.character) ? fit.character : plain_character(fit.character).character));
}

void run(FitArguments options, const Context& context) {
  const CancelScope cancel(interrupted);
  for (const std::string& file : {options.source, options.mesh})
    if (!file.ends_with(".obj")) check_input(file);
  if (!options.output.ends_with(".rig.json")) check_extension(options.output, "glb");
  check_apart(options.source, options.output, "template");
  check_apart(options.mesh, options.output, "mesh");
  if (options.output.ends_with(".rig.json")) {  // its own mesh is written beside it
    const std::string beside = options.output.substr(0, options.output.size() - 9) + ".mesh.glb";
    check_apart(options.mesh, beside, "mesh"), check_apart(options.source, beside, "template");
  }
  check_writable(options.output);
  for (const std::string& each : options.places) options.fit.places.insert(place_of(each));
  options.fit.symmetric = !options.asymmetric;
  options.fit.registration.progress = terminal_progress();
  const RiggedCharacter source = load_template(options, context);
  if (dynamic_cast<const BuiltInRig*>(source.character.rig.get()) == nullptr || source.character.bones.empty())
    throw Error({.file = options.source,
                 .problem = "has no skin of two joints or more, so it is no template",
                 .remedy = "give a character whose joints move its surface"});
  const ReferencePose modelled = reference_pose(source.character);
  if (modelled.from_skin) options.fit.reference = modelled.world;
  Character shape = load_mesh(options.mesh);
  print_warnings(context, options.mesh, shape.warnings);
  const std::string name = shape.name;
  shape.name = options.mesh;
  RigFit fit = fit_rig(source.character, source.plan, shape, options.fit);
  clear_bar();
  fit.character.name = name;
  if (!shape.bones.empty())
    fit.warnings.push_back("has joints of its own: its points at rest are used, its joints are left out");
  if (fit.residual > kDoubtful)
    fit.warnings.push_back(
        fmt::format("its surface stays {:.1f} % of its size away from the template's, deformed to "
                    "fit: look at the joints, and correct them with --map",
                    100 * fit.residual));
  if (fit.tips < std::min(fit.template_tips, fit.mesh_tips))
    fit.warnings.push_back(fmt::format("only {} of the template's {} limbs were found among its {}", fit.tips,
                                       fit.template_tips, fit.mesh_tips));
  print_warnings(context, options.mesh, fit.warnings);
  write(options, fit);
  const Comparison compared = compare(fit.character, shape);
  if (context.json) {
    Json joints = Json::array();
    for (const JointPlace& each : joint_places(fit.character))
      joints.push_back({{"name", each.name},
                        {"parent", each.parent},
                        {"position", {each.position.x(), each.position.y(), each.position.z()}}});
    Json answer{{"output", options.output},
                {"residual", fit.residual},
                {"scale", fit.scale},
                {"limbs", {{"matched", fit.tips}, {"template", fit.template_tips}, {"mesh", fit.mesh_tips}}},
                {"joints", joints},
                {"clips", fit.character.clips.size()},
                {"warnings", fit.warnings}};
    if (compared.count > 0)
      answer["own_joints"] = {{"compared", compared.count},
                              {"mean_share_of_height", compared.mean},
                              {"worst_share_of_height", compared.worst},
                              {"worst", compared.worst_joint}};
    fmt::print("{}\n", answer.dump(2));
    return;
  }
  fmt::print("{}\n  {}, {}, {} of {} limbs matched; surfaces {:.1f} % of the size apart\n", options.output,
             count_in_words(fit.character.bones.size(), "joint", "joints"),
             count_in_words(fit.character.clips.size(), "clip", "clips"), fit.tips, fit.template_tips,
             100 * fit.residual);
  if (compared.count > 0)
    fmt::print(
        "  {} joints against those that the mesh came with: {:.1f} % of the height on average, at most {:.1f} % "
        "({})\n",
        compared.count, 100 * compared.mean, 100 * compared.worst, compared.worst_joint);
}

}  // namespace

void add_rig_fit(CLI::App& rig, Context& context) {
  auto* command = rig.add_subcommand("fit", "The rig of a template on another mesh: joints, weights, controls, clips");
  auto options = std::make_shared<FitArguments>();
  command->add_option("TEMPLATE", options->source, "a character with joints: " + character_endings("or"))->required();
  command
      ->add_option("MESH", options->mesh,
                   "an .obj, or a character whose joints are left out: " + character_endings("or"))
      ->required();
  command
      ->add_option("-o,--output", options->output,
                   "x.glb; or x.rig.json, which keeps IK, constraints and drivers of a rig file")
      ->required()
      ->type_name("OUT");
  command->add_option("--map", options->places, "JOINT=X,Y,Z: where a joint of the template is in the mesh; repeatable")
      ->type_name("PLACE")
      ->take_all();
  auto* heading = command
                      ->add_option("--heading", options->heading,
                                   "degrees about the vertical from the template's heading to the mesh's; else 0, 90, "
                                   "180 and 270 are tried")
                      ->type_name("DEG");
  command->add_flag("--asymmetric", options->asymmetric, "do not make left and right mirror images");
  command->add_option("--keep", options->fit.keep, "weights of a point at most")->type_name("N");
  command->add_option("--voxels", options->fit.registration.voxels, "along the longest side of each body")
      ->type_name("N");
  command
      ->add_option("--limit", options->fit.most_residual,
                   "refuse bodies whose surfaces stay farther apart, as a share of the size")
      ->type_name("X");
  command->footer(
      "Examples\n  rigspace rig fit hero.glb statue.obj -o statue.rigged.glb\n"
      "  rigspace rig fit hero.rig.json statue.glb -o statue.rig.json\n"
      "  rigspace rig fit hero.glb statue.glb --map hand_l=0.62,1.1,0.04 -o statue.rigged.glb");
  command->callback([options, heading, &context] {
    if (heading->count() > 0) options->fit.registration.heading = options->heading;
    run(*options, context);
  });
}

}  // namespace rigspace::tools
