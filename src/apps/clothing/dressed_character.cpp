#include "rigspace/apps/clothing/dressed_character.h"

#include "body_planes.h"
#include "played_rig.h"
#include "rigspace/anim/character_unit.h"
#include "rigspace/apps/clothing/garment_file.h"
#include "rigspace/base/bytes.h"
#include "rigspace/base/content_hash.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/geometry/closest_point.h"
#include "rigspace/geometry/refined.h"
#include "rigspace/geometry/surface_crossings.h"
#include "rigspace/parts/sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

/// The edge length at which a surface has about so many points: equilateral triangles of area sqrt(3)/4 e^2, two a
/// point.
double edge_for(double area, int points) { return std::sqrt(2 * area / (std::sqrt(3.0) * points)); }

[[noreturn]] void refuse_fit(const std::string& name, double value, const std::string& problem,
                             const std::string& remedy) {
  throw Error({.file = name,
               .element = "garment",
               .value = fmt::format("{:.3g}", value),
               .problem = problem,
               .remedy = remedy});
}

void check_near(const Garment& garment, const TriMesh& body, const std::string& name) {
  constexpr double kLarge = 3, kSmall = 0.02;  // of the body's diagonal
  const Box cloth = bounding_box(garment.mesh.points), around = bounding_box(body.points);
  const double size = cloth.diagonal(), own = around.diagonal();
  if (size > kLarge * own || size < kSmall * own)
    refuse_fit(name, size, fmt::format("is {:.3g} m across, and the body {:.3g} m", size, own),
               fmt::format("give its size with --scale, about {:.1g}", 0.6 * own / size));
  const Vec3 gap = (cloth.low - around.high).cwiseMax(around.low - cloth.high).cwiseMax(0);
  if (gap.norm() > own)
    refuse_fit(name, gap.norm(),
               fmt::format("is {:.3g} m away from the body, which is {:.3g} m across", gap.norm(), own),
               "move it there with --move, or give its unit with --unit");
}

/// Corners of the body's triangles that cross the garment.
std::vector<Vec3> crossed_points(const TriMesh& garment, const TriMesh& body) {
  const EdgeTable edges = edge_table(garment), body_edges = edge_table(body);
  std::vector<Vec3> corners;
  const auto add = [&](int triangle) {
    for (const int i : body.triangles[static_cast<std::size_t>(triangle)]) corners.push_back(point(body.points, i));
  };
  for (const Crossing& c : edge_crossings(garment.points, edges.edges, body, false)) add(c.triangle);
  for (const Crossing& c : edge_crossings(body.points, body_edges.edges, garment, false))
    for (const int half_edge : body_edges.uses(c.edge)) add(half_edge / 3);
  return corners;
}

/// Whether nearly all points lie on a surface: within 0.02 % of the body's size.
bool lies_on(const TriMesh& mesh, const TriMesh& surface, double size) {
  const TriangleTree tree(surface);
  int on = 0;
  for (int i = 0; i < mesh.point_count(); ++i) on += tree.closest(point(mesh.points, i), 2e-4 * size).triangle >= 0;
  return on > 0.9 * mesh.point_count();
}

}  // namespace

void DressOptions::validate() const {
  cloth.validate();
  require_option(unit >= 0, "metres per unit", unit, "expected more than zero");
  require_option(std::isfinite(attach), "band that is attached", attach, "expected zero or more metres");
  require_option(std::isfinite(refine), "longest edge", refine, "expected zero or more metres");
  require_option(scale > 0 && std::isfinite(scale), "scale of the garment", scale, "expected more than zero");
  require_option(move.allFinite(), "move of the garment", move.norm(), "expected three numbers");
  require_option(clearance >= 0, "clearance", clearance, "expected zero or more metres");
  require_option(lead >= 0, "lead", lead, "expected zero or more seconds");
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
    for (int i = 0; i < garment_.mesh.point_count(); ++i)
      point(garment_.mesh.points, i) = options.scale * point(garment_.mesh.points, i) + options.move;
  } else {
    PieceGarment piece = garment_of(character, garment, nullptr, 0);
    garment_.mesh = std::move(piece.mesh), weld_ = std::move(piece.weld), triangles_ = std::move(piece.triangles);
    without_ = {garment};
    piece_ = &*std::find_if(character.pieces.begin(), character.pieces.end(),
                            [&](const Piece& each) { return each.name == garment; });
    sheet_ = hung_sheet(character, garment);
  }
  leave_out_pieces();
  garment_.mesh.points *= unit_;
  const double edge = options.refine >= 0 ? options.refine
                      : sheet_            ? edge_for(area(garment_.mesh), DressOptions::kSheetPoints)
                                          : 0;
  // The triangles that are drawn are larger than those that are simulated, and cut corners over a round body: farther
  // off, by a share of their edges, they do not.
  constexpr double kCutCorners = 0.06;
  if (sheet_ && edge > 0 && options.refine < 0) {
    double& distance = options_.cloth.contact.distance;
    distance = std::max(distance,
                        std::min(kCutCorners * edge_for(area(garment_.mesh), garment_.mesh.point_count()), 0.3 * edge));
  }
  if (edge > 0) garment_.mesh = refined(garment_.mesh, 1.3 * edge);
  if (options.attach < 0 && sheet_) hold_sheet();
  TriMesh at_rest = body(nullptr, 0).mesh;
  check_near(garment_, at_rest, garment);
  if (options.relax) {
    const double clearance = options.clearance > 0 ? options.clearance : 1.5 * options_.cloth.contact.distance;
    constexpr int kMostCuts = 4;
    const Vec given_points = garment_.mesh.points;
    for (int cut = 0;; ++cut) {
      freed_ = relax_garment(garment_, at_rest, options.cloth.material, {.clearance = clearance}, progress);
      // A sheet that is fastened inside the body crosses it wherever it comes out: there it passes through.
      if (freed_.free() || !sheet_ || cut == kMostCuts) break;
      pass_through(crossed_points(garment_.mesh, at_rest));
      at_rest = body(nullptr, 0).mesh;
      garment_.mesh.points = given_points, garment_.rest = {};
    }
    if (freed_.own_crossings > 0) options_.cloth.contact.self = false;
    options_.cloth.start_crossing = !freed_.free();
  }
  if (options.attach < 0 && sheet_) hold_on_passed();
  if (garment_.rest.size() == 0) garment_.rest = garment_.mesh.points;
  if (options.attach > 0) attach_top(garment_, at_rest, options.attach);
}

void DressedCharacter::pass_through(const std::vector<Vec3>& places) {
  const Vec x = rest_surface(character_).points;
  passed_.resize(static_cast<std::size_t>(x.size() / 3), 0);
  const double same = 1e-5 * bounding_box(x).diagonal();
  for (std::size_t i = 0; i < passed_.size(); ++i)
    for (const Vec3& place : places)
      if ((point(x, static_cast<int>(i)) - place / unit_).norm() < same) passed_[i] = 1;
}

void DressedCharacter::hold_sheet() {
  std::vector<Vec3> places;
  for (const int i : held_points(*sheet_, garment_.mesh, unit_)) {
    garment_.pins.push_back({.point = i});
    places.push_back(point(garment_.mesh.points, i) / unit_);
  }
  passed_ = passed_through(character_, *sheet_, places);
}

// Where the upper part of a sheet lies on what it passes through, or is sunk in it, its bone holds it as its artist
// laid it: nothing else would keep it there from sinking in.
void DressedCharacter::hold_on_passed() {
  constexpr double kUpper = 0.35, kOver = 0.06;  // of the length
  TriMesh passed{unit_ * rest_surface(character_).points, {}};
  for (const Piece& piece : character_.pieces)
    if (piece.drawn && std::find(without_.begin(), without_.end(), piece.name) == without_.end())
      for (const Triangle& t : piece.triangles)
        if (std::any_of(t.begin(), t.end(), [&](int i) { return passed_[static_cast<std::size_t>(i)] != 0; }))
          passed.triangles.push_back(t);
  if (passed.triangles.empty()) return;
  const TriangleTree tree(passed);
  std::vector<char> held(static_cast<std::size_t>(garment_.mesh.point_count()), 0);
  for (const ClothPin& pin : garment_.pins) held[static_cast<std::size_t>(pin.point)] = 1;
  const auto along = [&](int i) { return sheet_->down.dot(point(garment_.mesh.points, i)); };
  const double length = sheet_->length * unit_;
  double top = std::numeric_limits<double>::infinity();
  for (int i = 0; i < garment_.mesh.point_count(); ++i) top = std::min(top, along(i));
  for (int i = 0; i < garment_.mesh.point_count(); ++i)
    if (!held[static_cast<std::size_t>(i)] && along(i) < top + kUpper * length &&
        tree.closest(point(garment_.mesh.points, i), kOver * length).triangle >= 0)
      garment_.pins.push_back({.point = i});
}

// What patterns name, and a piece that is the garment itself, which came from a file; and of a sheet on one bone things
// that an arm carries, such as swords and shields, which often are all in the file at one place.
void DressedCharacter::leave_out_pieces() {
  const double size = bounding_box(rest_surface(character_).points).diagonal();
  for (const Piece& piece : character_.pieces) {
    bool out = std::any_of(options_.without.begin(), options_.without.end(),
                           [&](const std::string& pattern) { return matches_pattern(piece.name, pattern); });
    if (!out && sheet_ && &piece != piece_)
      if (const auto carried = hung_sheet(character_, piece.name))
        for (int b = carried->bone; b >= 0 && !out; b = character_.bones[static_cast<std::size_t>(b)].parent)
          out = is_arm(character_.bones[static_cast<std::size_t>(b)].name);
    if (!out && piece_ == nullptr && piece.drawn && character_.pieces.size() > 1)
      if (lies_on(garment_.mesh, garment_of(character_, piece.name, nullptr, 0).mesh, size))
        out = true, replaced_ = &piece;
    if (out && &piece != piece_) without_.push_back(piece.name);
  }
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
  ClothBody body = body_of(character_, without_,
                           {.clip = clip, .start = from, .lead = options_.lead, .unit = unit_, .absent = passed_});
  body.worn = triangles_near(garment_.mesh, body.mesh.points, body.mesh.triangles);
  return body;
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

Vec DressedCharacter::as_given(In frame) const {
  Vec points(3 * std::ssize(weld_));
  for (std::size_t i = 0; i < weld_.size(); ++i)
    point(points, static_cast<int>(i)) = frame.segment<3>(3 * weld_[i]) / unit_;
  return points;
}

WornPiece DressedCharacter::worn_piece(const std::string& name) const {
  WornPiece piece;
  if (piece_ != nullptr) piece.look = *piece_;
  if (replaced_ != nullptr) piece.look.material = replaced_->material;
  piece.look.name = name;
  piece.look.triangles = triangles_;
  // A file's rest pose may lie inside the body: what was freed is better. A piece's is what its artist made.
  piece.rest = as_given(piece_ != nullptr ? garment_.rest : garment_.mesh.points);
  if (sheet_) {
    piece.influences.assign(weld_.size(), {{sheet_->bone, 1.0}});
    return piece;
  }
  const KinematicReference& skinned = reference();
  for (const int i : weld_) {
    piece.influences.emplace_back();
    for (const Influence& each : skinned.weights()[static_cast<std::size_t>(i)])
      piece.influences.back().push_back({skin_->bone(each.joint), each.weight});
  }
  return piece;
}

}  // namespace rigspace
