#include "rigspace/apps/physics/body_cells.h"

#include "flesh_region.h"
#include "rigspace/apps/physics/flesh.h"
#include "rigspace/base/affine.h"
#include "rigspace/body/point_ties.h"
#include "rigspace/rig/built_in_rig.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace rigspace {
namespace {

using Face = std::array<int, 3>;

/// Faces that belong to one tetrahedron.
std::vector<Face> outer_faces(const TetMesh& mesh) {
  constexpr int kFaces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  std::map<Face, int> seen;
  for (const Tet& tet : mesh.tets)
    for (const auto& corners : kFaces) {
      Face face{tet[corners[0]], tet[corners[1]], tet[corners[2]]};
      std::sort(face.begin(), face.end());
      ++seen[face];
    }
  std::vector<Face> outer;
  for (const auto& [face, times] : seen)
    if (times == 1) outer.push_back(face);
  return outer;
}

}  // namespace

struct BodyCells::Data {
  /// A node that follows bones: x = sum w A(p) X.
  struct Held {
    int node = 0;
    std::vector<std::pair<int, Vec3>> bones = {};  // slot, and the place in the bone's own space
    std::vector<double> weights = {};
  };

  std::vector<std::array<int, 2>> edges;
  PointTies ties;  // one row a node; none for those that follow bones
  std::vector<Held> held;
  std::unique_ptr<Rig> rig;  // of the points that are tied
  std::unique_ptr<Workspace> workspace, slots_workspace;
  const BuiltInRig* whole = nullptr;
  Vec s, u;
  int nodes = 0;
};

BodyCells::BodyCells(const Character& character, std::span<const Part> parts) : data_(std::make_unique<Data>()) {
  Data& data = *data_;
  data.whole = dynamic_cast<const BuiltInRig*>(character.rig.get());
  Vec u;
  if (data.whole != nullptr) {
    data.slots_workspace = data.whole->make_workspace();
    data.whole->evaluate_slots(*data.slots_workspace, data.whole->rest(), u);
  }
  std::vector<std::vector<std::pair<int, double>>> ties;
  std::vector<int> needed;
  for (const Part& part : parts) {
    if (!part.flesh) continue;
    const Flesh& flesh = *part.flesh;
    std::map<int, int> numbers;
    std::set<std::array<int, 2>> edges;
    for (const Face& face : outer_faces(flesh.mesh))
      for (int k = 0; k < 3; ++k) {
        numbers.emplace(face[k], 0);
        edges.insert({std::min(face[k], face[(k + 1) % 3]), std::max(face[k], face[(k + 1) % 3])});
      }
    for (auto& [node, number] : numbers) {
      number = data.nodes++;
      const auto& tied = ties.emplace_back(flesh.on_surface[static_cast<std::size_t>(node)]);
      for (const auto& [point, weight] : tied) needed.push_back(point);
      if (!tied.empty() || data.whole == nullptr) continue;
      Data::Held& held = data.held.emplace_back(Data::Held{.node = number});
      for (const auto& [bone, weight] : flesh.bones[static_cast<std::size_t>(node)]) {
        const int slot = character.bones[static_cast<std::size_t>(bone)].slot;
        const Affine at_rest = transform_at(u, data.whole->graph().slots()[static_cast<std::size_t>(slot)]);
        held.bones.emplace_back(slot, apply(inverse(at_rest), point(flesh.mesh.points, node)));
        held.weights.push_back(weight);
      }
    }
    for (const auto& [a, b] : edges) data.edges.push_back({numbers.at(a), numbers.at(b)});
  }
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  for (const auto& row : ties) {
    for (const auto& [point, weight] : row)
      data.ties.add(static_cast<int>(std::lower_bound(needed.begin(), needed.end(), point) - needed.begin()), weight);
    data.ties.end_row();
  }
  data.rig = character.rig->restricted(needed);
  data.workspace = data.rig->make_workspace();
}

BodyCells::~BodyCells() = default;
int BodyCells::node_count() const { return data_->nodes; }
const std::vector<std::array<int, 2>>& BodyCells::edges() const { return data_->edges; }

void BodyCells::place(In p, Vec& x) {
  Data& data = *data_;
  data.rig->evaluate(*data.workspace, p, data.s);
  x.resize(3 * static_cast<Eigen::Index>(data.nodes));
  for (int i = 0; i < data.nodes; ++i) point(x, i) = data.ties.row(i, data.s);
  if (data.held.empty()) return;
  data.whole->evaluate_slots(*data.slots_workspace, p, data.u);
  for (const Data::Held& held : data.held) {
    Vec3 place = Vec3::Zero();
    for (std::size_t k = 0; k < held.bones.size(); ++k)
      place += held.weights[k] *
               apply(transform_at(data.u, data.whole->graph().slots()[static_cast<std::size_t>(held.bones[k].first)]),
                     held.bones[k].second);
    point(x, held.node) = place;
  }
}

Vec stiffness_on_skin(const Character& character, std::span<const Part> parts) {
  Vec rest;
  character.rig->evaluate(*character.rig->make_workspace(), character.rig->rest(), rest);
  Vec factors = Vec::Zero(character.rig->point_count());
  for (const Part& part : parts) {
    if (!part.flesh) continue;
    const Flesh& flesh = *part.flesh;
    std::vector<int> controls = flesh.controls;
    if (controls.empty())
      for (const int joint : flesh.joints)
        for (const char* channel : {".tx", ".ty", ".tz"})
          if (const int c = character.rig->find(character.bones[static_cast<std::size_t>(joint)].name + channel);
              c >= 0)
            controls.push_back(c);
    std::sort(controls.begin(), controls.end());
    const Vec motion = motion_of(character, controls);
    std::vector<Vec3> middles;
    for (const Tet& tet : flesh.mesh.tets) {
      Vec3& middle = middles.emplace_back(Vec3::Zero());
      for (const int corner : tet) middle += 0.25 * point(flesh.mesh.points, corner);
    }
    constexpr double kMoves = 0.02;  // of the most that the part moves a point
    for (int i = 0; i < character.rig->point_count(); ++i) {
      if (motion[i] < kMoves) continue;
      factors[i] = 1;
      double nearest = std::numeric_limits<double>::infinity();
      for (std::size_t t = 0; t < flesh.factors.size(); ++t) {
        const double distance = (middles[t] - point(rest, i)).squaredNorm();
        if (distance < nearest) nearest = distance, factors[i] = flesh.factors[t];
      }
    }
  }
  return factors;
}

}  // namespace rigspace
