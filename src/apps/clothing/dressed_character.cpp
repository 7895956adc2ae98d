#include "rigspace/apps/clothing/dressed_character.h"

#include "played_rig.h"
#include "rigspace/anim/character_unit.h"
#include "rigspace/apps/clothing/garment_file.h"
#include "rigspace/base/bytes.h"
#include "rigspace/base/content_hash.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/geometry/closest_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

/// Pins the points within `band` metres of the garment's top to their nearest places on the body.
void attach_top(Garment& garment, const TriMesh& body, double band) {
  const TriangleTree tree(body);
  const double top = bounding_box(garment.mesh.points).high.y();
  for (int i = 0; i < garment.mesh.point_count(); ++i) {
    const Vec3 x = point(garment.mesh.points, i);
    if (x.y() < top - band) continue;
    const SurfacePoint near = tree.closest(x);
    garment.pins.push_back({.point = i,
                            .triangle = near.triangle,
                            .barycentric = near.barycentric,
                            .offset = (x - near.position).dot(tree.normal(near.triangle))});
  }
}

void check_near(const Garment& garment, const TriMesh& body, const std::string& name) {
  const Box cloth = bounding_box(garment.mesh.points), around = bounding_box(body.points);
  const Vec3 gap = (cloth.low - around.high).cwiseMax(around.low - cloth.high).cwiseMax(0);
  if (gap.norm() <= around.diagonal()) return;
  throw Error({.file = name,
               .element = "garment",
               .value = fmt::format("{:.3g}", gap.norm()),
               .problem = fmt::format("is {:.3g} m away from the body, which is {:.3g} m across", gap.norm(),
                                      around.diagonal()),
               .remedy = "move it there, or give its unit with --unit"});
}

}  // namespace

void DressOptions::validate() const {
  cloth.validate();
  require_option(unit >= 0, "metres per unit", unit, "expected more than zero");
  require_option(attach >= 0, "band that is attached", attach, "expected zero or more metres");
  require_option(clearance >= 0, "clearance", clearance, "expected zero or more metres");
  require_option(lead > 0, "lead", lead, "expected more than zero seconds");
}

DressedCharacter::DressedCharacter(const Character& character, const std::string& garment, const DressOptions& options,
                                   const ProgressCallback& progress)
    : character_(character), options_(options), name_(garment) {
  options.validate();
  unit_ = options.unit > 0 ? options.unit : guess_unit(character).metres;
  if (std::filesystem::path(garment).extension() == ".obj") {
    const TriMesh given = read_obj_mesh(garment);
    Weld welded = weld(given);
    garment_.mesh = std::move(welded.mesh), weld_ = std::move(welded.point), triangles_ = given.triangles;
  } else {
    PieceGarment piece = garment_of(character, garment, nullptr, 0);
    garment_.mesh = std::move(piece.mesh), weld_ = std::move(piece.weld), triangles_ = std::move(piece.triangles);
    without_ = garment;
  }
  garment_.mesh.points *= unit_;
  const TriMesh at_rest = body(nullptr, 0).mesh;
  check_near(garment_, at_rest, garment);
  if (options.relax) {
    const double clearance = options.clearance > 0 ? options.clearance : 1.5 * options.cloth.contact.distance;
    freed_ = relax_garment(garment_, at_rest, options.cloth.material, {.clearance = clearance}, progress);
    if (freed_.own_crossings > 0) options_.cloth.contact.self = false;
  }
  if (garment_.rest.size() == 0) garment_.rest = garment_.mesh.points;
  if (options.attach > 0) attach_top(garment_, at_rest, options.attach);
}

std::string DressedCharacter::garment_hash() const {
  ByteWriter bytes;
  const ClothMaterial& m = options_.cloth.material;
  bytes.values(garment_.mesh.points);
  bytes.values(garment_.rest);
  for (const Triangle& t : garment_.mesh.triangles) bytes.integers(t);
  for (const double each : {m.warp, m.weft, m.shear, m.bending, m.density, m.damping, m.limit, m.limit_gain})
    bytes.number(each);
  return content_hash(bytes.bytes());
}

ClothBody DressedCharacter::body(const Animation* clip, double from) const {
  // Without a clip it rests, and so it does at the start of the lead: the same weld of points.
  return body_of(character_, without_, {.clip = clip, .start = from, .lead = options_.lead, .unit = unit_});
}

const KinematicReference& DressedCharacter::reference() const {
  if (!reference_) {
    skin_ = std::make_shared<WornSkin>(character_);
    TriMesh garment = garment_.mesh;
    garment.points /= unit_;
    TransferredWeights weights = transfer_weights({skin_->surface(), skin_->influences()}, garment);
    reference_.emplace(garment_.mesh.points, std::move(weights.influences), skin_->joint_count());
  }
  return *reference_;
}

ClothReduction DressedCharacter::reduction(const Animation* clip, double from) const {
  const KinematicReference& skinned = reference();
  auto played = std::make_shared<PlayedRig>(character_, clip, from, options_.lead);
  return {.reference = skinned,
          .joints =
              [played, skin = skin_, unit = unit_](double time, std::vector<Affine>& C) {
                skin->transforms(played->workspace(), played->controls(time), C);
                for (Affine& each : C) translation(each) *= unit;
              },
          .root = skin_->common_joint(skinned.weights())};
}

ClothMotion DressedCharacter::simulate(const Animation* clip, const ClothClip& times, const ProgressCallback& progress,
                                       std::shared_ptr<const PoseSpaceDatabase> database,
                                       const SubspaceOptions& subspace) const {
  std::shared_ptr<ClothReduction> reduced;
  if (database) {
    reduced = std::make_shared<ClothReduction>(reduction(clip, times.start));
    reduced->database = std::move(database), reduced->options = subspace;
  }
  const double lead = clip != nullptr ? options_.lead : 0;
  const double share = lead / std::max(1e-9, lead + times.end - times.start);
  ClothSimulation simulation(garment_, body(clip, times.start), options_.cloth, times.start - lead, reduced);
  if (lead > 0) simulation.advance(times.start, part_of_progress(progress, 0, share, "dressing"));
  ClothMotion motion{.times = {times.start}, .frames = {simulation.points()}};
  const int frames = static_cast<int>(std::ceil((times.end - times.start) * times.rate - 1e-9));
  for (int k = 1; k <= frames; ++k) {
    const double time = times.start + k / times.rate;
    simulation.advance(time, part_of_progress(progress, share + (1 - share) * (k - 1) / frames,
                                              share + (1 - share) * k / frames, "simulating cloth"));
    motion.times.push_back(time);
    motion.frames.push_back(simulation.points());
  }
  motion.report = simulation.report();
  return motion;
}

Vec DressedCharacter::as_given(In frame) const {
  Vec points(3 * std::ssize(weld_));
  for (std::size_t i = 0; i < weld_.size(); ++i)
    point(points, static_cast<int>(i)) = frame.segment<3>(3 * weld_[i]) / unit_;
  return points;
}

WornPiece DressedCharacter::worn_piece(const std::string& name) const {
  const KinematicReference& skinned = reference();
  WornPiece piece;
  piece.look.name = name;
  piece.look.triangles = triangles_;
  piece.rest = as_given(garment_.mesh.points);
  for (const int i : weld_) {
    piece.influences.emplace_back();
    for (const Influence& each : skinned.weights()[static_cast<std::size_t>(i)])
      piece.influences.back().push_back({skin_->bone(each.joint), each.weight});
  }
  return piece;
}

}  // namespace rigspace
