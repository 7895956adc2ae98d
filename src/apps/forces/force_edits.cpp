#include "rigspace/apps/forces/force_edits.h"

#include "rigspace/anim/control_modes.h"
#include "rigspace/base/error.h"
#include "rigspace/base/suggestion.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

std::vector<std::string> names_of(const ForcesFile& file) {
  std::vector<std::string> names;
  for (const ForceRigPart& part : file.plan.rigs) names.push_back(part.name);
  return names;
}

const TemplateForce& template_of(const ForceRigPart& part) {
  if (!part.is_template())
    throw Error({.element = "rig \"" + part.name + "\"",
                 .problem = "is a fitted shape, not a template",
                 .remedy = "drag or change a bump, bulge, radial or torus, or fit the shape again"});
  return part.force.front();
}

/// A sample that has strength: the nearest to the control in p.
std::size_t strong_sample(const ForcesFile& file, const ForceRigPart& part, In p) {
  const std::size_t at = sample_at(file, part, p);
  if (part.samples[at].value[0] != 0) return at;
  std::size_t best = at;
  for (std::size_t k = 0; k < part.samples.size(); ++k)
    if (part.samples[k].value[0] != 0 && (best == at || std::abs(part.samples[k].at - part.samples[at].at) <
                                                            std::abs(part.samples[best].at - part.samples[at].at)))
      best = k;
  return best;
}

/// The pose p of file.rig with the control of a rig where its sample is.
Vec at_sample(const ForcesFile& file, const ForceRigPart& part, Vec p, std::size_t sample) {
  if (p.size() == 0) p = file.rig->rest();
  const bool own = file.base.rig->find(part.control) < 0;
  if (const int c = file.rig->find(part.control); own && c >= 0) p[c] = part.samples[sample].at;
  return p;
}

void prepare_lattice(const ForceRig& rig, In p, PosedLattice& lattice) {
  std::vector<Affine> joints;
  rig.joints_at(p, joints);
  lattice.set_pose(joints);
}

/// The free controls of p, from the target.
void find_pose(const ForcesFile& file, const TriMesh& target, const RigFitOptions& options, Vec& p) {
  constexpr std::size_t kMost = 12;  // each takes two fits a step
  const ForceRig bare(file.bodies->whole(), {});
  const std::vector<int> free = controls_matching(bare.controls(), options.free);
  if (free.empty() || free.size() > kMost)
    throw Error({.code = ErrorCode::usage,
                 .element = "free controls",
                 .value = std::to_string(free.size()),
                 .problem = free.empty() ? std::string("match none of the joints' controls")
                                         : "are " + std::to_string(free.size()) + ", too many to be found with forces",
                 .remedy = "name 1 to " + std::to_string(kMost) + " controls, such as forearm.rx"});
  Vec q = bare.rest();
  for (std::size_t c = 0; c < bare.controls().size(); ++c)
    if (const int own = file.rig->find(bare.controls()[c].name); own >= 0) q[static_cast<Eigen::Index>(c)] = p[own];
  q = fit_pose_and_forces(bare, target, q, free, options.fit.fit).p;
  for (const int c : free)
    if (const int own = file.rig->find(bare.controls()[static_cast<std::size_t>(c)].name); own >= 0) p[own] = q[c];
}

}  // namespace

ForcesFile make_forces_file(Character base, std::string mesh, ForceBodyOptions options) {
  ForcesFile file;
  file.plan = {.mesh = std::move(mesh), .options = std::move(options)};
  file.base = std::move(base);
  auto body = std::make_shared<const ForceBody>(make_force_body(file.base, file.plan.options));
  file.plan.options.unit = body->options.unit;
  file.bodies = std::make_shared<const AdaptiveBody>(std::move(body));
  renew_rigs(file);
  return file;
}

void renew_rigs(ForcesFile& file) {
  auto rig = adaptive_rig(*file.bodies, file.plan.rigs, lattice_of(*file.bodies, file.plan.rigs));
  file.character = force_character(file.base, rig);
  file.rig = std::move(rig);
}

ForceRigPart template_on_bone(const ForceBody& body, ForceTemplate kind, const std::string& joint) {
  ForceRigPart part{.name = joint + "_" + std::string(name(kind))};
  part.control = part.name;
  TemplateForce force{kind, bone_guide(body, joint, kind == ForceTemplate::bump)};
  const BoneLine& line = force.guide.line;
  const double length = (line.to - line.from).norm(), radius = std::min(0.3 * length, 3 * body.cell);
  const auto shapes = static_cast<Eigen::Index>(parameters(kind).size());
  Vec g = Vec::Zero(force.parameter_count());
  g[0] = 1, g[1] = radius;
  if (kind == ForceTemplate::torus) g[1] = 0.4 * radius, g[2] = radius;
  g[shapes] = 0.5, g[shapes + 1] = kind == ForceTemplate::bump ? 0.7 * radius : 0.3 * radius;
  Vec none = g;
  none[0] = 0;
  part.force.push_back(std::move(force));
  part.samples = {{0, none}, {1, g}};
  return part;
}

ForceRigPart template_on_skin(const ForceBody& body, ForceTemplate kind, const Vec3& near, std::string name,
                              double radius) {
  if (!near.allFinite() || !std::isfinite(radius) || radius < 0)
    throw Error({.code = ErrorCode::usage,
                 .element = "template \"" + name + "\"",
                 .problem = "has a place or a radius that is not finite",
                 .remedy = "give [x, y, z] and a radius above 0, scene units"});
  ForceRigPart part{.name = name, .control = name};
  TemplateForce force{kind, skin_guide(body, near, kind == ForceTemplate::bump)};
  if (radius == 0) radius = 2.5 * body.cell;
  const auto shapes = static_cast<Eigen::Index>(parameters(kind).size());
  Vec g = Vec::Zero(force.parameter_count());
  g[0] = 1, g[1] = radius;
  if (kind == ForceTemplate::torus) g[1] = 0.4 * radius, g[2] = radius;
  g[shapes] = (kind == ForceTemplate::bump ? 0.3 : 0.6) * radius;
  Vec none = g;
  none[0] = 0;
  part.force.push_back(std::move(force));
  part.samples = {{0, none}, {1, g}};
  return part;
}

std::string free_rig_name(const ForcesFile& file, ForceTemplate kind) {
  const std::string first(name(kind));
  const auto is_free = [&](const std::string& word) {
    return file.rig->find(word) < 0 && file.base.rig->find(word) < 0 &&
           std::none_of(file.plan.rigs.begin(), file.plan.rigs.end(),
                        [&](const ForceRigPart& part) { return part.name == word; });
  };
  std::string word = first;
  for (int k = 2; !is_free(word); ++k) word = first + std::to_string(k);
  return word;
}

ForceRigPart& rig_named(ForcesFile& file, std::string_view name) {
  for (ForceRigPart& part : file.plan.rigs)
    if (part.name == name) return part;
  const std::vector<std::string> names = names_of(file);
  std::string remedy = names.empty() ? "place a template first" : "there are";
  for (std::size_t k = 0; k < names.size(); ++k) remedy += (k > 0 ? ", " : " ") + names[k];
  throw Error({.code = ErrorCode::usage,
               .element = "rig \"" + std::string(name) + "\"",
               .value = std::string(name),
               .problem = "is not there",
               .remedy = remedy});
}

std::size_t sample_at(const ForcesFile& file, const ForceRigPart& part, In p) {
  const int c = file.rig->find(part.control);
  const double at = c >= 0 && c < p.size() ? p[c] : 0;
  std::size_t best = 0;
  for (std::size_t k = 1; k < part.samples.size(); ++k)
    if (std::abs(part.samples[k].at - at) < std::abs(part.samples[best].at - at)) best = k;
  return best;
}

void set_template_number(ForcesFile& file, std::string_view name, std::size_t sample, std::string_view number,
                         double value) {
  ForceRigPart& part = rig_named(file, name);
  const auto numbers = template_of(part).parameter_names();
  const auto at = std::find(numbers.begin(), numbers.end(), number);
  if (at == numbers.end()) {
    std::string remedy = "there are";
    for (std::size_t k = 0; k < numbers.size(); ++k) remedy += (k > 0 ? ", " : " ") + std::string(numbers[k]);
    throw Error({.code = ErrorCode::usage,
                 .element = "rig \"" + std::string(name) + "\": number \"" + std::string(number) + "\"",
                 .value = std::string(number),
                 .problem = "is none of a " + std::string(rigspace::name(part.force.front().kind)) + "'s",
                 .remedy = remedy});
  }
  const std::vector<ForceRigPart::Sample> before = part.samples;
  // The guide and the radius are the same at all samples; the strength is each sample's own.
  const auto k = static_cast<Eigen::Index>(at - numbers.begin());
  for (std::size_t s = 0; s < part.samples.size(); ++s)
    if (s == sample || (k > 0 && part.samples[s].value[0] == 0)) part.samples[s].value[k] = value;
  try {
    renew_rigs(file);
  } catch (...) {
    part.samples = before;
    throw;
  }
}

RigDrag::RigDrag(const ForcesFile& file, std::string_view name, Vec p, std::vector<DragTarget> targets)
    : name_(name), sample_(0), rig_(file.rig), lattice_(rig_->body()) {
  if (p.size() == 0) p = rig_->rest();
  const auto part = std::find_if(file.plan.rigs.begin(), file.plan.rigs.end(),
                                 [&](const ForceRigPart& each) { return each.name == name; });
  if (part == file.plan.rigs.end()) {
    ForcesFile copy = file;
    rig_named(copy, name);  // the sentence
  }
  force_ = template_of(*part);
  if (targets.empty())
    throw Error({.code = ErrorCode::usage,
                 .element = "drag of rig \"" + name_ + "\"",
                 .problem = "has no points",
                 .remedy = "give at least one point of the skin and where it should go"});
  sample_ = strong_sample(file, *part, p);
  p = at_sample(file, *part, std::move(p), sample_);
  g_ = start_ = part->samples[sample_].value;
  prepare_lattice(*rig_, p, lattice_);
  others_ = Vec::Zero(3 * rig_->body().vertex_count());
  for (const ForceRigPart& each : rig_->rigs()) {
    const int c = rig_->find(each.control);
    if (each.name != name) add_rig_force(rig_->body(), each, c >= 0 ? p[c] : 0, others_);
  }
  drag_ = std::make_unique<TemplateDrag>(lattice_, force_, std::move(targets), others_);
}

DragResult RigDrag::move(std::span<const Vec3> places, const DragOptions& options) {
  drag_->move(places);
  DragResult result = drag_->solve(g_, options);
  if (!result.parameters.allFinite())
    throw Error({.code = ErrorCode::not_converged,
                 .element = "drag of rig \"" + name_ + "\"",
                 .problem = "leads to no finite numbers",
                 .remedy = "drag less far"});
  g_ = result.parameters;
  return result;
}

void RigDrag::surface(Vec& s) {
  Vec Q = others_, y;
  add_generalised_force(rig_->body(), force_, g_, 1, Q);
  lattice_.shape_of(Q, y);
  rig_->body().surface.evaluate(y, s);
}

void RigDrag::keep(ForcesFile& file) const {
  ForceRigPart& part = rig_named(file, name_);
  const std::vector<ForceRigPart::Sample> before = part.samples;
  for (std::size_t k = 0; k < part.samples.size(); ++k) {
    if (k != sample_ && part.samples[k].value[0] != 0) continue;
    const double strength = k == sample_ ? g_[0] : 0;  // where there was none, it swells in place
    part.samples[k].value = g_;
    part.samples[k].value[0] = strength;
  }
  try {
    renew_rigs(file);
  } catch (...) {
    part.samples = before;
    throw;
  }
}

RigFit fit_rig(ForcesFile& file, const TriMesh& target, const RigFitOptions& options) {
  if (options.name.empty())
    throw Error({.code = ErrorCode::usage,
                 .element = "name of the rig",
                 .problem = "is empty",
                 .remedy = "give the new rig a name, such as flex"});
  Vec p = options.p.size() > 0 ? options.p : file.rig->rest();
  if (!options.free.empty()) find_pose(file, target, options, p);
  const std::string control = options.control.empty() ? options.name : options.control;
  const int c = file.rig->find(control);
  const bool own = file.base.rig->find(control) < 0;
  const double none = c >= 0 ? file.rig->controls()[c].rest : 0, full = own ? 1 : c >= 0 ? p[c] : 1;
  if (none == full)
    throw Error({.code = ErrorCode::usage,
                 .element = "control \"" + control + "\"",
                 .problem = "rests in the pose of the target",
                 .remedy = "pose it, or leave the control away for one of its own"});
  std::vector<Affine> joints;
  file.rig->joints_at(p, joints);
  AdaptiveFit made;
  if (options.fit.tolerance > 0) {
    made = fit_adaptively(*file.bodies, joints, target, options.fit);
  } else {
    PosedLattice lattice(*file.bodies->whole());
    lattice.set_pose(joints);
    made.fit = fit_surface(lattice, target, options.fit.fit);
  }
  const std::vector<ForceRigPart> before = file.plan.rigs;
  std::erase_if(file.plan.rigs, [&](const ForceRigPart& part) { return part.name == options.name; });
  file.plan.rigs.push_back(rig_of_fit(options.name, control, none, full, made));
  try {
    renew_rigs(file);
  } catch (...) {
    file.plan.rigs = before;
    throw;
  }
  return {std::move(made.fit), p, control};
}

RigTransfer transfer_forces(const ForcesFile& from, Character to, std::string mesh, const LatticeMapOptions& options,
                            const ProgressCallback& progress) {
  RigTransfer made;
  LatticeMapOptions matched = options;
  matched.joints = match_joints(from.base, to, options.joints);
  matched.may_lack = true;
  made.map = map_lattice(*from.bodies->whole(), to, matched, progress);
  ForcesFile& file = made.file;
  const bool covers = made.map.lacking == 0;
  file.plan = {.mesh = std::move(mesh), .options = from.plan.options};
  if (covers) file.plan.lattice = made.map.lattice;
  if (!covers) file.plan.options.cover.cell = 0;
  file.plan.options.unit = 0;
  file.base = std::move(to);
  auto body = std::make_shared<const ForceBody>(make_force_body(file.base, file.plan.options, file.plan.lattice));
  file.plan.options.unit = body->options.unit;
  file.bodies = std::make_shared<const AdaptiveBody>(std::move(body));
  file.plan.rigs = covers ? transfer_rigs(*from.bodies, from.plan.rigs, *file.bodies, matched.joints)
                          : transfer_rigs(*from.bodies, from.plan.rigs, *file.bodies, matched.joints, made.map);
  renew_rigs(file);
  return made;
}

}  // namespace rigspace
