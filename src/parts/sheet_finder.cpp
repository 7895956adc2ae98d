#include "rigspace/base/cancel_scope.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/geometry/closest_point.h"
#include "rigspace/parts/sheet.h"
#include "rigspace/rig/built_in_rig.h"
#include "sheet_names.h"
#include "sheet_shells.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace rigspace {
namespace {

constexpr double kLeastLength = 0.12;   // of the height
constexpr double kUnnamedLength = 0.2;  // of the height, where the name is not that of a sheet
constexpr double kListedLength = 0.08;  // of the height: what is shorter is not even listed
constexpr double kThin = 0.12;          // of the length, or of the root of the area of one side
constexpr double kBroad = 4;            // times as broad as thick: a tube is 2
constexpr double kLong = 3;             // times as long as thick: a strand
constexpr double kDown = 0.35;          // least cosine between its direction and down
constexpr double kTouches = 0.05;       // of the height: how near the attached end is to the rest
constexpr double kFree = 0.05;          // of the height: how far its end hangs beyond what the same bone holds
constexpr double kUnnamedFree = 0.1;    // likewise, where the name is not that of a sheet
constexpr double kHardShare = 0.6;      // of the area in shells on one bone each: a robot, whose plates are hard
constexpr double kEnd = 0.15;           // of the length: what belongs to an end
constexpr double kOnSheet = 0.015;      // of the height: what lies this near to a sheet, all of it, belongs to it

std::string percent(double share) { return std::to_string(static_cast<int>(std::lround(100 * share))) + " %"; }

/// One shell, or shells that belong together, looked at.
class Look {
 public:
  Look(const Character& character, const Shells& shells, const TriangleTree& tree, std::vector<int> points,
       const std::vector<char>& own)
      : character_(character), shells_(shells), tree_(tree), own_(own) {
    sheet_.points = std::move(points);
    sheet_.bone = shells.bone[sheet_.points.front()];
  }

  void measure_only(const TriMesh& mesh, const Component& component) { measure(mesh, component); }

  /// False if it is too small to be listed.
  bool look(const TriMesh& mesh, const Component& component) {
    measure(mesh, component);
    if (sheet_.length < kListedLength * shells_.height) return false;
    names();
    shape();
    place();
    return true;
  }

  Sheet take() { return std::move(sheet_); }

 private:
  void yes(std::string sentence) { sheet_.reasons.push_back(std::move(sentence)); }
  void no(std::string sentence) { sheet_.against.push_back(std::move(sentence)); }

  /// Ends along the longest axis, which points downward; extents; thickness.
  void measure(const TriMesh& mesh, const Component& component) {
    Vec3 mean = Vec3::Zero();
    for (int i = 0; i < mesh.point_count(); ++i) mean += point(mesh.points, i) / mesh.point_count();
    Mat spread = Mat::Zero(3, 3);
    for (int i = 0; i < mesh.point_count(); ++i) {
      const Vec3 d = point(mesh.points, i) - mean;
      spread += d * d.transpose();
    }
    const Mat axes = symmetric_eigen(spread).vectors;  // the longest last
    direction_ = axes.col(2);
    // A broad cape hangs across its longest axis.
    const Vec3 second = axes.col(1);
    if (std::abs(direction_.y()) < 0.5 && std::abs(second.y()) > 0.7) direction_ = second;
    if (direction_.y() > 0) direction_ = -direction_;
    low_ = std::numeric_limits<double>::infinity();
    double high = -low_;
    for (int i = 0; i < mesh.point_count(); ++i) {
      const double along = direction_.dot(point(mesh.points, i));
      low_ = std::min(low_, along), high = std::max(high, along);
    }
    sheet_.length = high - low_;
    Vec3 sums[2] = {Vec3::Zero(), Vec3::Zero()};
    int counts[2] = {0, 0};
    near_[0] = near_[1] = std::numeric_limits<double>::infinity();
    const auto other = [&](int triangle) { return own_[triangle] == 0; };
    for (int i = 0; i < mesh.point_count(); ++i) {
      const Vec3 x = point(mesh.points, i);
      const double along = (direction_.dot(x) - low_) / std::max(1e-12, sheet_.length);
      if (along > kEnd && along < 1 - kEnd) continue;
      const int end = along <= kEnd ? 0 : 1;
      sums[end] += x, ++counts[end];
      poll_cancel();
      near_[end] = std::min(near_[end], tree_.closest(x, shells_.height, other).distance);
    }
    sheet_.attached = sums[0] / std::max(1, counts[0]), sheet_.free = sums[1] / std::max(1, counts[1]);
    // What lies level is held where it is nearer to the rest.
    if (direction_.y() > -kDown && near_[1] < near_[0]) {
      std::swap(sheet_.attached, sheet_.free), std::swap(near_[0], near_[1]);
      direction_ = -direction_;
    }
    const Vec3 across = direction_.cross(Vec3(axes.col(0))).normalized();
    double left = std::numeric_limits<double>::infinity(), right = -left;
    for (int i = 0; i < mesh.point_count(); ++i) {
      const double side = across.dot(point(mesh.points, i));
      left = std::min(left, side), right = std::max(right, side);
    }
    sheet_.width = right - left;
    // The rim of an open sheet runs from end to end; of a tube it lies at its ends.
    const EdgeTable edges = edge_table(mesh);
    std::vector<char> bins(8, 0);
    for (int e = 0; e < edges.count(); ++e) {
      if (edges.uses(e).size() != 1) continue;
      const Vec3 middle = 0.5 * (point(mesh.points, edges.edges[e][0]) + point(mesh.points, edges.edges[e][1]));
      const double along = std::abs(direction_.dot(middle - sheet_.attached)) / std::max(1e-12, sheet_.length);
      bins[std::clamp(static_cast<int>(8 * along), 0, 7)] = 1;
    }
    rims_ = static_cast<int>(std::count(bins.begin(), bins.end(), 1));
    sheet_.open = rims_ >= 5;
    side_area_ = component.area / (sheet_.open ? 1 : 2);
    sheet_.thickness = sheet_.open ? 0 : 2 * std::abs(component.volume) / std::max(1e-300, component.area);
  }

  void names() {
    std::set<std::string> said;
    const auto add_words_of = [&](const std::string& name, const std::string& what) {
      if (name.empty() || !said.insert(what + name).second) return;
      if (const std::string_view word = sheet_word(name); !word.empty()) {
        if (word_.empty()) word_ = word;
        yes(what + " \"" + name + "\" says " + std::string(word));
      } else if (const std::string_view hard = hard_word(name); !hard.empty()) {
        no(what + " \"" + name + "\" says " + std::string(hard));
      }
    };
    for (const int i : sheet_.points) {
      const Piece& piece = character_.pieces[shells_.piece[i]];
      if (sheet_.piece.empty()) sheet_.piece = piece.name;
      add_words_of(piece.name, "mesh");
      if (piece.material >= 0) add_words_of(character_.materials[piece.material].name, "material");
    }
    const std::string& bone = character_.bones[sheet_.bone].name;
    const bool own_node = bone == sheet_.piece;  // where every mesh node counts as a bone (with_all_bones)
    if (const std::string_view limb = limb_word(bone); !limb.empty())
      no("it follows \"" + bone + "\", a limb");
    else if (!sheet_word(bone).empty() && !own_node)
      no("it follows \"" + bone + "\", a joint of its own");
    else
      yes("all of it follows \"" + bone + "\"");
    sheet_.name = word_.empty() ? "sheet" : std::string(word_);
    sheet_.preset = is_hair_word(word_) ? "hair" : "cape";
  }

  void shape() {
    const double size = std::sqrt(std::max(1e-300, side_area_));
    const bool thin = sheet_.open || (sheet_.thickness < kThin * std::min(sheet_.length, size) &&
                                      sheet_.width > kBroad * sheet_.thickness);
    const bool strand = !word_.empty() && sheet_.length > kLong * sheet_.thickness && is_hair_word(word_);
    if (sheet_.open)
      yes("an open sheet");
    else if (thin)
      yes("two skins " + percent(sheet_.thickness / sheet_.length) + " of its length apart");
    else if (strand)
      yes("a strand");
    else
      no("it is " + percent(sheet_.thickness / sheet_.length) + " of its length thick");
  }

  void place() {
    const double height = shells_.height;
    const double least = word_.empty() ? kUnnamedLength : kLeastLength;
    const Vec3 hang = sheet_.free - sheet_.attached;
    const double down = -hang.normalized().y();
    const std::string length = "it is " + percent(sheet_.length / height) + " of the height long";
    sheet_.length >= least* height ? yes(length) : no(length);
    if (down < (is_hair_word(word_) ? -kDown : kDown))
      no("it does not hang");
    else
      yes("it hangs down");
    // A face, a helmet, a breastplate lie on what their bone holds to the end; what hangs leaves it.
    const double off = free_distance();
    if (off < (word_.empty() ? kUnnamedFree : kFree) * height)
      no("its end lies on what \"" + character_.bones[sheet_.bone].name + "\" holds");
    if (word_.empty() && shells_.hard_share > kHardShare) no("most of the character is hard, and no name says cloth");
    if (near_[0] > kTouches * height) no("its upper end is " + percent(near_[0] / height) + " of the height off");
  }

  /// Of the free end's points, the middle distance to what else its bone holds; infinite where it holds nothing.
  double free_distance() const {
    std::vector<double> distances;
    for (const int i : sheet_.points) {
      const Vec3 x = point(shells_.mesh.points, shells_.welded[i]);
      if (direction_.dot(x - sheet_.attached) < (1 - 1.5 * kEnd) * direction_.dot(sheet_.free - sheet_.attached))
        continue;
      poll_cancel();
      distances.push_back(
          tree_
              .closest(x, std::numeric_limits<double>::infinity(),
                       [&](int t) { return own_[t] == 0 && shells_.bone_of_triangle[t] == sheet_.bone; })
              .distance);
    }
    if (distances.empty()) return 0;
    std::nth_element(distances.begin(), distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2),
                     distances.end());
    return distances[distances.size() / 2];
  }

  const Character& character_;
  const Shells& shells_;
  const TriangleTree& tree_;
  const std::vector<char>& own_;
  Sheet sheet_;
  std::string_view word_;
  Vec3 direction_ = Vec3::Zero();  // from the attached end to the free one
  double low_ = 0, near_[2] = {0, 0}, side_area_ = 0;
  int rims_ = 0;
};

/// Shells of the same bone that lie on a sheet everywhere: its lining, hems, buckles.
void add_what_lies_on(Sheet& sheet, int shell, const Shells& shells, const std::map<int, std::vector<int>>& rigid) {
  std::vector<char> own(static_cast<std::size_t>(shells.mesh.triangle_count()));
  for (int t = 0; t < shells.mesh.triangle_count(); ++t) own[t] = shells.components.of_triangle[t] == shell;
  const TriangleTree tree(extract(shells.mesh, shells.components, shell));
  const double within = kOnSheet * shells.height;
  for (const auto& [other, points] : rigid) {
    if (other == shell || shells.bone[points.front()] != sheet.bone) continue;
    const bool on = std::all_of(points.begin(), points.end(), [&](int i) {
      return tree.closest(point(shells.mesh.points, shells.welded[i]), within).triangle >= 0;
    });
    if (on) sheet.points.insert(sheet.points.end(), points.begin(), points.end());
  }
  std::sort(sheet.points.begin(), sheet.points.end());
  sheet.points.erase(std::unique(sheet.points.begin(), sheet.points.end()), sheet.points.end());
}

}  // namespace

std::vector<Sheet> sheet_candidates(const Character& character) {
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (rig == nullptr || character.bones.empty()) return {};
  Shells shells = shells_of(character, *rig);
  if (!(shells.height > 0)) return {};
  const TriangleTree tree(shells.mesh);
  const auto rigid = rigid_shells(shells);
  double all = 0, hard = 0;
  for (int shell = 0; shell < static_cast<int>(shells.components.parts.size()); ++shell) {
    all += shells.components.parts[shell].area;
    if (rigid.contains(shell)) hard += shells.components.parts[shell].area;
  }
  shells.hard_share = all > 0 ? hard / all : 0;
  std::vector<Sheet> found;
  for (const auto& [shell, points] : rigid) {
    poll_cancel();
    const Component& component = shells.components.parts[shell];
    if (component.box.diagonal() < kListedLength * shells.height) continue;
    std::vector<char> own(static_cast<std::size_t>(shells.mesh.triangle_count()));
    for (int t = 0; t < shells.mesh.triangle_count(); ++t) own[t] = shells.components.of_triangle[t] == shell;
    Look look(character, shells, tree, points, own);
    if (!look.look(extract(shells.mesh, shells.components, shell), component)) continue;
    found.push_back(look.take());
    if (found.back().accepted()) add_what_lies_on(found.back(), shell, shells, rigid);
  }
  // What lies on another sheet belongs to that alone.
  std::stable_sort(found.begin(), found.end(), [](const Sheet& a, const Sheet& b) { return a.length > b.length; });
  std::set<int> taken;
  for (Sheet& sheet : found) {
    if (!sheet.accepted()) continue;
    if (std::any_of(sheet.points.begin(), sheet.points.end(), [&](int i) { return taken.contains(i); }))
      sheet.against.push_back("it belongs to another sheet");
    else
      taken.insert(sheet.points.begin(), sheet.points.end());
  }
  return found;
}

Sheet measured_sheet(const Character& character, std::vector<int> points) {
  const auto refuse = [&](const std::string& problem) {
    throw Error({.file = character.name,
                 .element = "sheet of " + std::to_string(points.size()) + " points",
                 .problem = problem,
                 .remedy = "name a mesh that follows one bone: `rigspace info` lists them"});
  };
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (rig == nullptr || character.bones.empty()) refuse("has no bone to hang on");
  if (points.empty() || points.front() < 0 || points.back() >= rig->point_count())
    refuse("names points that are not there");
  const Shells shells = shells_of(character, *rig);
  std::vector<char> chosen(static_cast<std::size_t>(shells.mesh.point_count()), 0);
  for (const int i : points) {
    if (!shells.rigid[i] || shells.bone[i] < 0 || shells.bone[i] != shells.bone[points.front()])
      refuse("does not follow one bone");
    chosen[shells.welded[i]] = 1;
  }
  TriMesh mesh{.points = shells.mesh.points};
  std::vector<char> own(static_cast<std::size_t>(shells.mesh.triangle_count()), 0);
  for (int t = 0; t < shells.mesh.triangle_count(); ++t) {
    const Triangle& triangle = shells.mesh.triangles[t];
    own[t] = std::all_of(triangle.begin(), triangle.end(), [&](int i) { return chosen[i] != 0; });
    if (own[t]) mesh.triangles.push_back(triangle);
  }
  if (mesh.triangles.empty()) refuse("has no triangles");
  mesh = without_unused_points(mesh);
  Component all;
  for (const Component& part : connected_components(mesh).parts) all.area += part.area, all.volume += part.volume;
  const TriangleTree tree(shells.mesh);
  Look look(character, shells, tree, std::move(points), own);
  look.measure_only(mesh, all);
  return look.take();
}

Part sheet_part(const Sheet& sheet) {
  const Preset& preset = preset_named(sheet.preset);
  Part part{.name = sheet.name, .preset = std::string(preset.name), .bones = {sheet.bone}};
  part.settings.lag = preset.lag;
  part.settings.limit = preset_named("cape").limit;
  part.settings.settle = 0;  // from the preset's damping ratio once the rate is known
  part.points = sheet.points;
  return part;
}

std::vector<Part> sheet_parts_from_pattern(const Character& character, std::string_view pattern,
                                           std::string_view preset) {
  std::vector<Part> parts;
  for (const Piece& piece : character.pieces) {
    if (!matches_pattern(piece.name, pattern)) continue;
    std::vector<int> points;
    for (int i = 0; i < piece.point_count; ++i) points.push_back(piece.first_point + i);
    Sheet sheet = measured_sheet(character, std::move(points));
    const std::string_view word = sheet_word(piece.name);
    sheet.name = word.empty() ? "sheet" : std::string(word);
    sheet.preset = preset;
    parts.push_back(sheet_part(sheet));
  }
  return parts;
}

std::vector<Sheet> find_sheets(const Character& character) {
  std::vector<Sheet> sheets = sheet_candidates(character);
  std::erase_if(sheets, [](const Sheet& sheet) { return !sheet.accepted(); });
  return sheets;
}

}  // namespace rigspace
