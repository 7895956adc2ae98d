// Deformers of a rig file to a plan.

#include "rig_file_fields.h"
#include "rig_file_parts.h"
#include "rigspace/base/suggestion.h"
#include "rigspace/io/rig_blocks.h"

namespace rigspace {
namespace {

plan::Lattice read_lattice(const Field& field, const RigPlan& plan) {
  field.allow(
      {"type", "name", "pieces", "where", "box", "frame", "size", "basis", "outside", "margin", "free", "typical"});
  plan::Lattice lattice{.frame = read_box(field)};
  const std::vector<Field> size = field["size"].items();
  if (size.size() != 3) field["size"].fail("has " + std::to_string(size.size()) + " numbers", "expected 3");
  for (int k = 0; k < 3; ++k) lattice.size[k] = size[k].integer(2, kMaxLatticeSize);
  if (const auto basis = field.find("basis"))
    lattice.basis = basis->one_of({"bezier", "b_spline"}) == 0 ? LatticeBasis::bezier : LatticeBasis::b_spline;
  constexpr LatticeOutside kOutside[] = {LatticeOutside::still, LatticeOutside::fade, LatticeOutside::extend};
  if (const auto outside = field.find("outside"))
    lattice.outside = kOutside[outside->one_of({"still", "fade", "extend"})];
  if (const auto margin = field.find("margin"))
    lattice.margin = margin->is_number() ? Vec3(Vec3::Constant(margin->number(1e-6, 1e6))) : margin->vec3();
  if (const auto free = field.find("free"); free && free->items().empty())
    free->fail("is empty", "leave it out to free all points");
  if (const auto free = field.find("free"))
    for (const Field& each : free->items()) {
      const std::vector<Field> at = each.items();
      if (at.size() != 3) each.fail("has " + std::to_string(at.size()) + " numbers", "expected 3, counted from 1");
      lattice.free.push_back({at[0].integer(1, lattice.size[0]) - 1, at[1].integer(1, lattice.size[1]) - 1,
                              at[2].integer(1, lattice.size[2]) - 1});
    }
  lattice.typical_length = 0.5 * ordinary_length(plan);
  read_number(field, "typical", lattice.typical_length, 1e-12);
  lattice.where = read_mask(field);
  return lattice;
}

plan::Wire read_wire(const Field& field) {
  field.allow({"type", "name", "pieces", "where", "points", "curve", "radius", "thinning", "start_roll", "end_roll",
               "thickness", "strength"});
  plan::Wire wire{.points = field["points"].texts()};
  constexpr WireCurve kCurves[] = {WireCurve::quadratic, WireCurve::cubic, WireCurve::catmull_rom};
  if (const auto curve = field.find("curve"))
    wire.curve = kCurves[curve->one_of({"quadratic", "cubic", "catmull_rom"})];
  read_number(field, "radius", wire.radius, 1e-12);
  read_number(field, "thinning", wire.thinning, -2, 2);
  read_value(field, "start_roll", wire.start_roll);
  read_value(field, "end_roll", wire.end_roll);
  read_value(field, "thickness", wire.thickness);
  read_value(field, "strength", wire.strength);
  wire.where = read_mask(field);
  return wire;
}

plan::Nonlinear read_nonlinear(const Field& field, rigspace::Nonlinear kind) {
  field.allow({"type", "name", "pieces", "where", "handle", "frame", "at", "rotate", "rotation", "low", "high",
               "rounding", "parameters"});
  plan::Nonlinear nonlinear{.kind = kind, .handle = {}, .frame = read_handle_frame(field)};
  read_text(field, "handle", nonlinear.handle);
  read_number(field, "low", nonlinear.low);
  read_number(field, "high", nonlinear.high);
  read_number(field, "rounding", nonlinear.rounding, 0, 0.5);
  if (!(nonlinear.low < nonlinear.high)) field.fail("has its high not above its low");
  if (const auto parameters = field.find("parameters"))
    for (const auto& [name, each] : parameters->members())
      read_value(*parameters, name.c_str(), nonlinear.parameters[name]);
  nonlinear.where = read_mask(field);
  return nonlinear;
}

plan::Clusters read_clusters(const Field& field) {
  field.allow({"type", "name", "pieces", "clusters"});
  plan::Clusters clusters;
  for (const Field& each : field["clusters"].items()) {
    each.allow({"node", "where"});
    clusters.clusters.push_back({each["node"].text(), read_mask(each)});
  }
  return clusters;
}

plan::Wrap read_wrap(const Field& field) {
  field.allow({"type", "name", "pieces", "where", "to", "blend", "max_triangles"});
  plan::Wrap wrap;
  const Field to = field["to"];
  wrap.to = to.is_text() ? std::vector{to.text()} : to.texts();
  if (wrap.to.empty()) to.fail("is empty", "name the pieces to follow");
  read_number(field, "blend", wrap.blend, 1e-6, 1e6);
  read_optional(field, "max_triangles", wrap.max_triangles, [](const Field& f) { return f.integer(1, 64); });
  wrap.where = read_mask(field);
  return wrap;
}

}  // namespace

void read_deformer(const Field& field, RigPlan& plan) {
  if (!field.is_object()) field.fail("is no object", "expected {\"type\": ..}");
  plan::Deformer deformer;
  const std::string type = field["type"].text();
  if (type == "lattice") {
    deformer.kind = read_lattice(field, plan);
  } else if (type == "wire") {
    deformer.kind = read_wire(field);
  } else if (type == "clusters") {
    deformer.kind = read_clusters(field);
  } else if (type == "wrap") {
    deformer.kind = read_wrap(field);
  } else if (const auto kind = find_nonlinear(type)) {
    deformer.kind = read_nonlinear(field, *kind);
  } else if (const RigDeformerType* known = find_rig_deformer(type)) {
    deformer.kind = known->read(field);
  } else {
    std::vector<std::string> types{"mesh", "shapes", "skin",  "lattice", "wire",  "clusters", "wrap",
                                   "bend", "twist",  "taper", "squash",  "flare", "sine"};
    for (const RigDeformerType& each : rig_deformers()) types.push_back(each.name);
    std::string all = "expected " + types.front();
    for (std::size_t k = 1; k < types.size(); ++k) all += (k + 1 < types.size() ? ", " : " or ") + types[k];
    field["type"].fail("is \"" + type + "\"", suggestion(type, types, all));
  }
  deformer.name = type + std::to_string(plan.deformers.size() + 1);
  read_text(field, "name", deformer.name);
  read_optional(field, "pieces", deformer.pieces, [](const Field& f) { return f.texts(); });
  deformer.origin = field.place();
  plan.deformers.push_back(std::move(deformer));
}

}  // namespace rigspace
