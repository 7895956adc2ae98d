#include "rigspace/apps/clothing/hung_sheet.h"

#include "rigspace/base/error.h"
#include "rigspace/jobs/clip_names.h"
#include "rigspace/jobs/part_claims.h"
#include "rigspace/parts/sheet.h"
#include "rigspace/rig/built_in_rig.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>

namespace rigspace {
namespace {

constexpr double kHeld = 0.06;  // of the length
constexpr double kSeam = 0.08;  // of the length
constexpr double kOfArm = 0.3;  // of a point's weight

/// The piece whose points these are, all of them; null if there is none.
const Piece* whole_piece(const Character& character, const std::vector<int>& points) {
  for (const Piece& piece : character.pieces)
    if (!points.empty() && points.front() == piece.first_point && std::ssize(points) == piece.point_count &&
        points.back() == piece.first_point + piece.point_count - 1)
      return &piece;
  return nullptr;
}

std::string offer(const Character& character, const Part& part, const std::string& file) {
  if (part.points.empty()) return {};
  const Piece* piece = whole_piece(character, part.points);
  if (piece == nullptr || file.empty()) return {};
  const std::filesystem::path out = std::filesystem::path(file).replace_extension(".cloth.glb");
  return part.name + " as cloth, which folds and does not pass through the body: rigspace cloth simulate " +
         shell_quoted(file) + " --garment " + shell_quoted(piece->name) + " -o " + shell_quoted(out.string());
}

}  // namespace

std::optional<HungSheet> hung_sheet(const Character& character, const std::string& piece) {
  const auto own =
      std::find_if(character.pieces.begin(), character.pieces.end(), [&](const Piece& p) { return p.name == piece; });
  if (own == character.pieces.end()) return {};
  std::vector<int> points;
  for (int i = 0; i < own->point_count; ++i) points.push_back(own->first_point + i);
  try {
    const Sheet sheet = measured_sheet(character, std::move(points));
    const Vec3 down = sheet.free - sheet.attached;
    if (!(down.norm() > 0)) return {};
    return HungSheet{.bone = sheet.bone, .top = sheet.attached, .down = down.normalized(), .length = sheet.length};
  } catch (const Error&) {
    return {};  // it follows several bones
  }
}

std::vector<int> held_points(const HungSheet& sheet, const TriMesh& garment, double metres) {
  std::vector<int> held;
  double first = std::numeric_limits<double>::infinity();
  const auto along = [&](int i) { return sheet.down.dot(point(garment.points, i)); };
  for (int i = 0; i < garment.point_count(); ++i) first = std::min(first, along(i));
  for (int i = 0; i < garment.point_count(); ++i)
    if (along(i) <= first + kHeld * sheet.length * metres) held.push_back(i);
  return held;
}

std::vector<char> passed_through(const Character& character, const HungSheet& sheet, const std::vector<Vec3>& held) {
  const auto& rig = dynamic_cast<const BuiltInRig&>(*character.rig);
  std::map<int, bool> arm_of_slot;
  for (const Bone& bone : character.bones) {
    const Bone* each = &bone;
    bool arm = is_arm(each->name);
    while (!arm && each->parent >= 0)
      each = &character.bones[static_cast<std::size_t>(each->parent)], arm = is_arm(each->name);
    arm_of_slot[bone.slot] = arm;
  }
  std::vector<double> on_arm(static_cast<std::size_t>(rig.point_count()), 0);
  for (const auto& deformer : rig.deformers())
    if (const SkinDescription* skin = skin_description(*deformer))
      for (std::size_t k = 0; k < skin->influences.size(); ++k)
        for (const Influence& own : skin->influences[k])
          if (arm_of_slot[skin->joint_slots[static_cast<std::size_t>(own.joint)]])
            on_arm[static_cast<std::size_t>(skin->first_point) + k] += own.weight;
  const Vec x = rest_surface(character).points;
  std::vector<char> passed(on_arm.size(), 0);
  for (std::size_t i = 0; i < passed.size(); ++i)
    passed[i] = on_arm[i] > kOfArm || std::any_of(held.begin(), held.end(), [&](const Vec3& place) {
                  return (point(x, static_cast<int>(i)) - place).norm() < kSeam * sheet.length;
                });
  return passed;
}

void register_cloth_claim() { register_part_claim({.application = "clothing", .offer = offer}); }

}  // namespace rigspace
