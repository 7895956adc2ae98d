#include "rigspace/apps/forces/adaptive_body.h"

#include "lattice_weights.h"

#include "rigspace/base/error.h"
#include "rigspace/geometry/lattice_samples.h"

#include <algorithm>
#include <cassert>

namespace rigspace {
namespace {

constexpr int kLeastPerEdge = 2;  // samples along an edge of the smallest cells

/// The mean of rows of influences.
std::vector<Influence> mean_row(const std::vector<std::vector<Influence>>& rows, std::span<const int> of) {
  std::map<int, double> sum;
  for (const int i : of)
    for (const Influence& each : rows[i]) sum[each.joint] += each.weight / static_cast<double>(of.size());
  std::vector<Influence> row;
  for (const auto& [joint, weight] : sum) row.push_back({joint, weight});
  return row;
}

/// New vertices of a split body: held where one bone holds all their parents.
void add_vertices(const SplitLattice& lattice, const LatticeLevels& levels, ForceBody& body) {
  std::vector<int> holder(lattice.vertex_count(), -1);
  for (const HeldVertex& each : body.held) holder[each.vertex] = each.bone;
  for (int i = static_cast<int>(body.vertex_rows.size()); i < lattice.vertex_count(); ++i) {
    const auto parents = lattice.parents(i);
    body.vertex_rows.push_back(mean_row(body.vertex_rows, parents));
    const int bone = holder[parents[0]];
    if (bone >= 0 && std::all_of(parents.begin(), parents.end(), [&](int j) { return holder[j] == bone; }))
      holder[i] = bone;
  }
  for (const HangingVertex& each : levels.hanging) holder[each.vertex] = -1;  // it follows held ones
  body.held.clear();
  for (int i = 0; i < lattice.vertex_count(); ++i)
    if (holder[i] >= 0) body.held.push_back({i, holder[i]});
}

/// Samples of cells that are not split, which have none yet.
void copy_whole_cells(const LatticeElements& whole, const std::vector<int>& numbers, LatticeElements& elements) {
  std::vector<LatticeElements::Sample> samples;
  std::vector<int> first{0};
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const bool is_whole = numbers[k] < whole.cell_count();
    const auto from = is_whole ? whole.samples_of(numbers[k]) : elements.samples_of(static_cast<int>(k));
    samples.insert(samples.end(), from.begin(), from.end());
    first.push_back(static_cast<int>(samples.size()));
  }
  elements.samples = std::move(samples), elements.first = std::move(first);
}

/// Forces on the functions of one split lattice, as forces on those of another.
Vec moved_forces(In Q, const std::vector<int>& numbers, int vertices) {
  Vec moved = Vec::Zero(3 * static_cast<Eigen::Index>(vertices));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] >= 0) point(moved, numbers[i]) = point(Q, static_cast<int>(i));
  return moved;
}

}  // namespace

AdaptiveBody::AdaptiveBody(std::shared_ptr<const ForceBody> whole)
    : whole_(std::move(whole)), winding_(winding_of({.points = whole_->points_rest, .triangles = whole_->triangles})) {
  assert(whole_->levels.empty());
  const HexTree tree(whole_->elements.lattice);
  for (int i = 0; i < whole_->surface.count(); ++i) places_.push_back(tree.find(point(whole_->points_rest, i)));
}

SplitLattice AdaptiveBody::split(std::span<const int> cells, std::string_view what) const {
  SplitLattice made = lattice();
  for (const int k : cells) {
    if (k < 0 || k >= made.cell_count() || made.cell(k).first_child >= 0)
      throw Error({.element = std::string(what),
                   .value = std::to_string(k),
                   .problem = "splits cell " + std::to_string(k) + ", which is " +
                              (k >= 0 && k < made.cell_count() ? "split already" : "not there"),
                   .remedy = "fit it again for this lattice"});
    made.split(k);
  }
  return made;
}

// Smaller cells have fewer samples along an edge, so that these stay as far apart.
void AdaptiveBody::integrate(const HexLattice& leaves, const std::vector<int>& numbers, const SplitLattice& lattice,
                             std::vector<LatticeSample>& samples) const {
  const auto inside = [&](const Vec3& x) { return winding_(x) > 0.5; };
  for (int k = 0; k < leaves.cell_count(); ++k) {
    const int level = lattice.cell(numbers[k]).level;
    if (level == 0) continue;
    SampleOptions options = whole_->options.samples;
    options.per_edge = std::max(std::min(options.per_edge, kLeastPerEdge), options.per_edge >> level);
    HexLattice alone;
    for (int c = 0; c < 8; ++c) alone.vertices.push_back(leaves.vertices[leaves.cells[k][c]]);
    alone.cells.push_back({0, 1, 2, 3, 4, 5, 6, 7});
    for (LatticeSample sample : lattice_samples(alone, inside, options)) {
      sample.cell = k;
      samples.push_back(sample);
    }
  }
}

std::shared_ptr<const ForceBody> AdaptiveBody::body(const SplitLattice& lattice) const {
  if (lattice.splits().empty()) return whole_;
  auto made = std::make_shared<ForceBody>(*whole_);
  made->levels = LatticeLevels(lattice);
  add_vertices(lattice, made->levels, *made);
  const HexLattice leaves = lattice.leaf_lattice();
  made->cell_rows = rows_of_cells(leaves, made->vertex_rows);
  const std::vector<int> numbers = lattice.leaves();
  std::vector<LatticeSample> samples;
  integrate(leaves, numbers, lattice, samples);
  made->elements = LatticeElements(leaves, samples);
  copy_whole_cells(whole_->elements, numbers, made->elements);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const HexPlace place = lattice.leaf_at(places_[i]);
    made->surface.corners[i] = lattice.cell(place.cell).corners;
    made->surface.weights[i] = trilinear(place.u);
  }
  for (Belt& belt : made->belts) belt = make_belt(*made, belt.plan);
  check_belts(*made);
  return made;
}

SplitLattice lattice_of(const AdaptiveBody& bodies, std::span<const ForceRigPart> parts,
                        const std::vector<char>& active) {
  SplitLattice all = bodies.lattice();
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (!parts[k].splits.empty() && (active.empty() || active[k] != 0))
      all.include(bodies.split(parts[k].splits, "rig \"" + parts[k].name + "\""));
  return all;
}

std::shared_ptr<const ForceRig> adaptive_rig(const AdaptiveBody& bodies, std::span<const ForceRigPart> parts,
                                             const SplitLattice& lattice) {
  std::vector<ForceRigPart> made(parts.begin(), parts.end());
  for (ForceRigPart& part : made) {
    if (part.is_template()) continue;
    const std::string what = "rig \"" + part.name + "\"";
    const SplitLattice own = bodies.split(part.splits, what);
    check_rig_part(*bodies.body(own), part);
    const std::vector<int> numbers = lattice.vertices_of(own);
    for (auto& sample : part.samples) sample.value = moved_forces(sample.value, numbers, lattice.vertex_count());
    part.splits.clear();
  }
  return std::make_shared<const ForceRig>(bodies.body(lattice), std::move(made));
}

}  // namespace rigspace
