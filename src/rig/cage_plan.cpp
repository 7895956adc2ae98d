#include "rigspace/rig/cage_plan.h"

#include "rigspace/base/error.h"
#include "rigspace/rig/points.h"

namespace rigspace::plan {

struct Cage::Solved {
  Vec rest;
  CageSolver solver;
};

Cage::~Cage() = default;

std::unique_ptr<rigspace::Deformer> Cage::make(const DeformerSite& site) const {
  CageDescription description{.points = {.first = site.run.first, .count = site.run.count},
                              .cage = {Vec(3 * static_cast<Eigen::Index>(points.size())), faces},
                              .transforms = true,
                              .coordinates = coordinates};
  description.points.rest = site.points_rest.segment(3 * site.run.first, 3 * site.run.count);
  for (const CagePoint& each : points)
    description.point_slots.push_back(each.node.empty() ? -1 : site.transform(each.node));
  const Vec rest = rest_slots(site.graph);
  for (int j = 0; j < static_cast<int>(points.size()); ++j) {
    const int slot = description.point_slots[j];
    point(description.cage.points, j) =
        slot < 0 ? points[j].position : Vec3(translation(transform_at(rest, site.graph.slots()[slot])));
  }
  if (!solved_ || solved_->rest != description.cage.points) {
    CageOptions options = coordinates;
    options.gradients = true;
    solved_ = std::make_shared<const Solved>(Solved{description.cage.points, CageSolver(description.cage, options)});
  }
  description.solver = {solved_, &solved_->solver};
  try {
    return make_cage(description);
  } catch (const Error& error) {
    ErrorInfo info = error.info();
    info.problem += " (of piece \"" + site.run.name + "\")";
    throw Error(info);
  }
}

void add_cage(RigPlan& plan, const std::string& name, const TriMesh& cage, const CageOptions& coordinates,
              std::vector<std::string> pieces) {
  auto own = std::make_shared<Cage>();
  own->faces = cage.triangles;
  own->coordinates = coordinates;
  const double typical = 0.05 * bounding_box(cage.points).size().maxCoeff();
  for (int j = 0; j < cage.point_count(); ++j) {
    own->points.push_back({.node = name + "_" + std::to_string(j)});
    plan.points.push_back(
        {.name = own->points.back().node, .parent = {}, .position = point(cage.points, j), .typical_length = typical});
  }
  for (const plan::Deformer& deformer : plan.deformers)
    if (deformer.name == name)
      throw Error({.code = ErrorCode::usage,
                   .element = "cage \"" + name + "\"",
                   .problem = "has the name of another deformer",
                   .remedy = "choose another"});
  plan.rules.push_back({.origin = {}, .pattern = name + "_*", .group = name});
  plan.deformers.insert(plan.deformers.begin(),
                        {.name = name, .pieces = std::move(pieces), .kind = std::shared_ptr<const OwnDeformer>(own)});
}

}  // namespace rigspace::plan
