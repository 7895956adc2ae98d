#include "rigspace/apps/forces/forces_file.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/json_text.h"
#include "rigspace/io/rig_file.h"

#include <algorithm>

namespace rigspace {
namespace {

namespace fs = std::filesystem;

void read_lattice(const Field& field, const std::vector<std::string>& joints, ForcesPlan& plan) {
  field.allow({"cells", "cell", "vertices", "hexahedra", "held"});
  if (!field.has("vertices")) {
    if (const auto cells = field.find("cells")) plan.options.cover.cells = cells->integer(8, 200000);
    if (const auto cell = field.find("cell")) plan.options.cover.cell = cell->number();
    return;
  }
  GivenLattice given;
  if (const auto cell = field.find("cell")) given.cell = cell->number();
  for (const Field& each : field["vertices"].items()) given.lattice.vertices.push_back(each.vec3());
  for (const Field& each : field["hexahedra"].items()) {
    const auto corners = each.items();
    if (corners.size() != 8) each.fail("has " + std::to_string(corners.size()) + " vertices", "a cell has 8");
    std::array<int, 8> cell{};
    for (std::size_t c = 0; c < 8; ++c) cell[c] = corners[c].integer(0, given.lattice.vertex_count() - 1);
    given.lattice.cells.push_back(cell);
  }
  for (const auto& [name, vertices] : field["held"].members()) {
    const auto joint = std::find(joints.begin(), joints.end(), name);
    if (joint == joints.end()) vertices.fail("is of no joint of the skin", "name one of the character's joints");
    for (const Field& each : vertices.items())
      given.held.push_back(
          {each.integer(0, given.lattice.vertex_count() - 1), static_cast<int>(joint - joints.begin())});
  }
  std::sort(given.held.begin(), given.held.end(), [](const auto& a, const auto& b) { return a.vertex < b.vertex; });
  plan.lattice = std::move(given);
}

void read_body(const Field& field, ForceBodyOptions& options) {
  field.allow({"young", "poisson", "density", "twist", "twist_radius", "unit"});
  const auto take = [&](const char* key, double& value) {
    if (const auto found = field.find(key)) value = found->number();
  };
  take("young", options.material.young), take("poisson", options.material.poisson), take("density", options.density);
  take("twist", options.twist), take("twist_radius", options.twist_radius), take("unit", options.unit);
  field.located([&] { options.validate(); });
}

void read_belts(const Field& field, ForceBodyOptions& options) {
  for (const Field& entry : field.items()) {
    entry.allow({"name", "bone", "along", "width", "tight"});
    BeltPlan& plan = options.belts.emplace_back(BeltPlan{.name = entry["name"].text(), .bone = entry["bone"].text()});
    const auto take = [&](const char* key, double& value) {
      if (const auto found = entry.find(key)) value = found->number();
    };
    take("along", plan.along), take("width", plan.width), take("tight", plan.tight);
  }
}

double in_radians(std::string_view parameter, double value) { return is_angle(parameter) ? kDegree * value : value; }

TemplateForce read_template(const Field& entry, const ForceBody& body) {
  TemplateForce force;
  entry["template"].located([&] { force.kind = force_template(entry["template"].text()); });
  const bool outward = force.kind == ForceTemplate::bump;
  if (entry.has("bone") && entry.has("skin")) entry.fail("has both a bone and a place on the skin", "give one");
  if (const auto bone = entry.find("bone"))
    bone->located([&] { force.guide = bone_guide(body, bone->text(), outward); });
  else if (const auto skin = entry.find("skin"))
    force.guide = skin_guide(body, skin->vec3(), outward);
  else
    force.guide = {.kind = GuideKind::free, .outward = outward};
  return force;
}

/// Overwrites the parameters that the field names.
void read_parameters(const Field& field, const TemplateForce& force, std::span<const std::string_view> others,
                     Vec& value) {
  const auto names = force.parameter_names();
  std::vector<std::string_view> keys(others.begin(), others.end());
  keys.insert(keys.end(), names.begin(), names.end());
  field.allow(keys);
  for (std::size_t k = 0; k < names.size(); ++k)
    if (const auto found = field.find(names[k]))
      value[static_cast<Eigen::Index>(k)] = in_radians(names[k], found->number());
}

Vec start_parameters(const TemplateForce& force, double cell) {
  Vec g = Vec::Zero(force.parameter_count());
  g[0] = 1, g[1] = 2 * cell;
  if (force.kind == ForceTemplate::torus) g[2] = 3 * cell;
  if (force.guide.kind == GuideKind::bone) g[static_cast<Eigen::Index>(parameters(force.kind).size())] = 0.5;
  return g;
}

Vec read_forces(const Field& field) {
  const auto vertices = field.items();
  Vec Q(3 * static_cast<Eigen::Index>(vertices.size()));
  for (std::size_t i = 0; i < vertices.size(); ++i) point(Q, static_cast<int>(i)) = vertices[i].vec3();
  return Q;
}

ForceRigPart read_rig(const Field& entry, const ForceBody& body) {
  entry.allow({"name", "control", "template", "bone", "skin", "parameters", "split", "samples"});
  ForceRigPart part{.name = entry["name"].text()};
  part.control = entry.has("control") ? entry["control"].text() : part.name;
  const int control = body.skeleton.graph->find(part.control);
  const bool angle = control >= 0 && body.skeleton.graph->controls()[control].unit == Unit::angle;
  Vec start;
  if (entry.has("template")) {
    part.force.push_back(read_template(entry, body));
    start = start_parameters(part.force.front(), body.cell);
    if (const auto given = entry.find("parameters")) read_parameters(*given, part.force.front(), {}, start);
  }
  constexpr std::string_view kAt[] = {"at"};
  if (part.is_template() && !entry.has("samples")) {  // full strength at 1
    Vec none = start;
    none[0] = 0;
    part.samples = {{0, none}, {1, start}};
  }
  if (entry.has("split") && part.is_template()) entry.fail("splits cells for a template", "only fitted forces do");
  if (const auto split = entry.find("split"))
    for (const Field& cell : split->items()) part.splits.push_back(cell.integer(0, 1 << 24));
  if (entry.has("samples"))
    for (const Field& sample : entry["samples"].items()) {
      const double at = sample["at"].number();
      Vec value = start;
      if (part.is_template()) {
        read_parameters(sample, part.force.front(), kAt, value);
      } else {
        sample.allow({"at", "forces"});
        value = read_forces(sample["forces"]);
      }
      part.samples.push_back({angle ? kDegree * at : at, value});
    }
  if (part.splits.empty()) entry.located([&] { check_rig_part(body, part); });
  return part;
}

fs::path mesh_beside(const Field& field, const fs::path& folder) {
  const fs::path name = field.text();
  if (name.is_absolute() || std::find(name.begin(), name.end(), "..") != name.end())
    field.fail("leaves the folder of the file", "put \"" + name.filename().string() + "\" beside it");
  std::error_code ignored;
  if (!fs::exists(folder / name, ignored)) field.fail("names the file \"" + name.string() + "\", which is not there");
  return folder / name;
}

}  // namespace

ForcesFile parse_forces_file(std::string text, const std::string& name, const fs::path& folder) {
  const JsonText document(std::move(text), name);
  const Field root = document.root();
  root.allow({"rigspace_rig", "kind", "mesh", "lattice", "body", "belts", "rigs"});
  if (root["rigspace_rig"].integer(0, 1 << 20) != 1)
    root["rigspace_rig"].fail("is not 1", "this program reads version 1");
  if (root["kind"].text() != "forces") root["kind"].fail("is \"" + root["kind"].text() + "\"", "expected \"forces\"");
  ForcesFile file;
  file.plan.mesh = root["mesh"].text();
  file.base = load_character(mesh_beside(root["mesh"], folder));
  if (const auto body = root.find("body")) read_body(*body, file.plan.options);
  if (const auto belts = root.find("belts")) read_belts(*belts, file.plan.options);
  if (const auto lattice = root.find("lattice")) {
    std::vector<std::string> joints;
    if (lattice->has("vertices")) root.located([&] { joints = joints_of_skin(file.base); });
    read_lattice(*lattice, joints, file.plan);
  }
  std::shared_ptr<const ForceBody> body;
  root.located([&] {
    body = std::make_shared<const ForceBody>(make_force_body(file.base, file.plan.options, file.plan.lattice));
  });
  if (const auto rigs = root.find("rigs"))
    for (const Field& entry : rigs->items()) {
      file.plan.rigs.push_back(read_rig(entry, *body));
      for (std::size_t k = 0; k + 1 < file.plan.rigs.size(); ++k)
        if (file.plan.rigs[k].name == file.plan.rigs.back().name)
          entry.fail("is a second rig \"" + file.plan.rigs[k].name + "\"", "give it another name");
    }
  root.located([&] {
    file.bodies = std::make_shared<const AdaptiveBody>(body);
    file.rig = adaptive_rig(*file.bodies, file.plan.rigs, lattice_of(*file.bodies, file.plan.rigs));
  });
  file.character = force_character(file.base, file.rig);
  return file;
}

ForcesFile read_forces_file(const fs::path& path) {
  if (path.extension() != ".json")
    throw Error({.file = path.string(),
                 .problem = "is no force rig",
                 .remedy = "give its .rig.json; `rigspace forces lattice` makes one of a character"});
  return parse_forces_file(read_text(path), path.string(), path.parent_path());
}

void register_forces_kind() {
  add_rig_kind({"forces", [](const std::string& text, const fs::path& path) {
                  return parse_forces_file(text, path.string(), path.parent_path()).character;
                }});
}

}  // namespace rigspace
