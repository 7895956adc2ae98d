// Garments that follow several bones: dresses, skirts, capes that are skinned down the spine; and skirts on one bone
// that go all around and so are no sheets.

#include "rigspace/anim/character_unit.h"
#include "rigspace/geometry/closest_point.h"
#include "rigspace/parts/sheet.h"
#include "sheet_names.h"
#include "sheet_shells.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

namespace rigspace {
namespace {

constexpr double kLeastHeight = 0.12;  // of the character's height
constexpr double kHem = 0.15;          // of its own height: the lowest part of it
constexpr double kLoose = 0.02;        // of the height: how far half of the hem is from all else
constexpr double kCarries = 0.1;       // of the weights of its points: a bone that it hangs on
constexpr double kMostOfAll = 0.6;     // of the surface: what is more is the body itself
constexpr double kAround = 0.6;        // as deep as broad: on one bone what goes around the body
constexpr double kBand = 0.06;         // of its own height: held at the top

/// Bones by their share of the weights of the points, largest first, those below kCarries left out.
std::vector<int> carrying_bones(const Character& character, const BuiltInRig& rig, const Piece& piece) {
  std::map<int, double> shares;
  for (const auto& deformer : rig.deformers()) {
    const SkinDescription* skin = skin_description(*deformer);
    if (skin == nullptr) continue;
    for (int i = 0; i < piece.point_count; ++i) {
      const int k = piece.first_point + i - skin->first_point;
      if (k < 0 || k >= static_cast<int>(skin->influences.size())) continue;
      for (const Influence& influence : skin->influences[static_cast<std::size_t>(k)]) {
        const int slot = skin->joint_slots[static_cast<std::size_t>(influence.joint)];
        const auto bone = std::find_if(character.bones.begin(), character.bones.end(),
                                       [&](const Bone& each) { return each.slot == slot; });
        if (bone != character.bones.end())
          shares[static_cast<int>(bone - character.bones.begin())] += influence.weight / piece.point_count;
      }
    }
  }
  std::vector<std::pair<double, int>> sorted;
  for (const auto& [bone, share] : shares)
    if (share >= kCarries) sorted.emplace_back(-share, bone);
  std::sort(sorted.begin(), sorted.end());
  std::vector<int> bones;
  for (const auto& [share, bone] : sorted) bones.push_back(bone);
  return bones;
}

std::string_view word_of(const Character& character, const Piece& piece) {
  if (const std::string_view word = drape_word(piece.name); !word.empty()) return word;
  return piece.material < 0 ? std::string_view()
                            : drape_word(character.materials[static_cast<std::size_t>(piece.material)].name);
}

/// The triangles of the welded surface by piece; whether a piece shares a point with another one.
struct OwnTriangles {
  OwnTriangles(const Shells& shells, int which) : own(static_cast<std::size_t>(shells.mesh.triangle_count()), 0) {
    std::vector<char> mine(static_cast<std::size_t>(shells.mesh.point_count()), 0), others = mine;
    for (std::size_t i = 0; i < shells.welded.size(); ++i)
      (shells.piece[i] == which ? mine : others)[static_cast<std::size_t>(shells.welded[i])] = 1;
    for (std::size_t i = 0; i < mine.size(); ++i) sewn = sewn || (mine[i] != 0 && others[i] != 0);
    for (std::size_t t = 0; t < own.size(); ++t) {
      own[t] = mine[static_cast<std::size_t>(shells.mesh.triangles[t][0])];
      if (own[t]) mesh.triangles.push_back(shells.mesh.triangles[t]);
    }
    mesh.points = shells.mesh.points;
    mesh = without_unused_points(mesh);
  }
  std::vector<char> own;
  TriMesh mesh;
  bool sewn = false;
};

/// Of the lowest points, the middle distance to all else; the part must hang free of the body.
double hem_distance(const TriMesh& mesh, const Box& box, const TriangleTree& all, const std::vector<char>& own) {
  std::vector<double> distances;
  for (int i = 0; i < mesh.point_count(); ++i) {
    const Vec3 x = point(mesh.points, i);
    if (x.y() > box.low.y() + kHem * box.size().y()) continue;
    const auto other = [&](int triangle) { return own[static_cast<std::size_t>(triangle)] == 0; };
    distances.push_back(all.closest(x, std::numeric_limits<double>::infinity(), other).distance);
  }
  const auto middle = distances.begin() + std::ssize(distances) / 2;
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

}  // namespace

std::vector<Drape> find_drapes(const Character& character) {
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  std::vector<Drape> drapes;
  if (rig == nullptr || character.bones.empty()) return drapes;
  const auto named = [&](const Piece& piece) { return !word_of(character, piece).empty(); };
  if (std::none_of(character.pieces.begin(), character.pieces.end(), named)) return drapes;
  const Shells shells = shells_of(character, *rig);
  if (!(shells.height > 0)) return drapes;
  const TriangleTree tree(shells.mesh);
  for (int k = 0; k < static_cast<int>(character.pieces.size()); ++k) {
    const Piece& piece = character.pieces[static_cast<std::size_t>(k)];
    if (!named(piece)) continue;
    Drape drape{.name = std::string(word_of(character, piece)), .piece = piece.name};
    drape.bones = carrying_bones(character, *rig, piece);
    if (drape.bones.empty() || (drape.bones.size() < 2 && is_hair_word(drape.name))) continue;
    const OwnTriangles mine(shells, k);
    if (mine.sewn || mine.mesh.triangles.empty() || area(mine.mesh) > kMostOfAll * area(shells.mesh)) continue;
    const EdgeTable edges = edge_table(mine.mesh);
    bool open = false;
    for (int e = 0; e < edges.count(); ++e) open = open || edges.uses(e).size() == 1;
    const Box box = bounding_box(mine.mesh.points);
    drape.height = box.size().y();
    if (!open || drape.height < kLeastHeight * shells.height) continue;
    const double across = std::min(box.size().x(), box.size().z()), along = std::max(box.size().x(), box.size().z());
    if (drape.bones.size() < 2 && across < kAround * along) continue;  // flat: a sheet
    if (hem_distance(mine.mesh, box, tree, mine.own) < kLoose * shells.height) continue;
    drapes.push_back(std::move(drape));
  }
  return drapes;
}

std::string sentence_of(const Character& character, const Drape& drape) {
  std::string bones, quoted = "'";
  for (const int bone : drape.bones)
    bones += (bones.empty() ? "" : ", ") + character.bones[static_cast<std::size_t>(bone)].name;
  for (const char c : drape.piece) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  char band[32];
  std::snprintf(band, sizeof band, "%.2g", kBand * drape.height * guess_unit(character).metres);
  const std::size_t count = drape.bones.size();
  return drape.piece + " hangs on " + (count == 1 ? "one bone (" : std::to_string(count) + " bones (") + bones +
         ") and gets no joints of its own; as cloth it moves: rigspace cloth simulate, with --garment " + quoted +
         "' --attach " + band;
}

}  // namespace rigspace
