#include "pose_words.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/base/suggestion.h"
#include "rigspace/jobs/arguments.h"
#include "rigspace/rig/built_in_rig.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

namespace rigspace {
namespace {

/// "x,y,z" as a position; `what` stands in messages.
Vec3 parse_place(std::string_view text, const std::string& what) {
  Vec3 place;
  for (int k = 0; k < 3; ++k) {
    const auto comma = text.find(',');
    if ((comma == std::string_view::npos) != (k == 2))
      throw Error({.code = ErrorCode::usage,
                   .element = what,
                   .value = std::string(text),
                   .problem = "is no place",
                   .remedy = "write three numbers, x,y,z"});
    place[k] = parse_number(text.substr(0, comma), what);
    text.remove_prefix(k < 2 ? comma + 1 : text.size());
  }
  return place;
}

std::string_view trimmed(std::string_view text) {
  const auto space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return text;
}

/// The four finite numbers of a line "a,b,c,d"; nothing if it is anything else.
std::optional<std::array<double, 4>> four_numbers(std::string_view text) {
  std::array<double, 4> numbers{};
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const auto comma = text.find(',');
    if ((comma == std::string_view::npos) != (k + 1 == numbers.size())) return std::nullopt;
    const std::string_view field = trimmed(text.substr(0, comma));
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), numbers[k]);
    if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(numbers[k])) return std::nullopt;
    if (comma != std::string_view::npos) text.remove_prefix(comma + 1);
  }
  return numbers;
}

/// A path from a file with lines of time,x,y,z. A first line that begins with a letter is a heading; lines that begin
/// with # are comments.
PullPath read_path(const std::string& file) {
  const std::vector<std::byte> bytes = read_file(file);
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<double> times;
  std::vector<Vec3> places;
  for (int line = 1; !rest.empty(); ++line) {
    const auto end = rest.find('\n');
    const std::string_view text = trimmed(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    const bool heading = times.empty() && !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0;
    if (text.empty() || text.front() == '#' || heading) continue;
    const auto refuse = [&](const char* problem, const char* remedy) {
      throw Error({.file = fmt::format("{}:{}", file, line), .problem = problem, .remedy = remedy});
    };
    const auto numbers = four_numbers(text);
    if (!numbers) refuse("is no line of four finite numbers", "expected time,x,y,z");
    if ((*numbers)[0] < 0) refuse("has a time below zero", "motions begin at 0");
    if (!times.empty() && (*numbers)[0] <= times.back())
      refuse("is not later than the one before", "sort them by time");
    times.push_back((*numbers)[0]);
    places.emplace_back((*numbers)[1], (*numbers)[2], (*numbers)[3]);
  }
  if (times.empty()) throw Error({.file = file, .problem = "has no line of time,x,y,z", .remedy = "give one at least"});
  return PullPath(std::move(times), places);
}

/// Controls that a pattern matches by their own names, their nodes or their groups. Throws Error if there is none.
std::vector<int> controls_named(const Rig& rig, const std::string& pattern, const char* option) {
  std::vector<int> found;
  for (int c = 0; c < static_cast<int>(rig.controls().size()); ++c) {
    const Control& control = rig.controls()[c];
    if (control.unit != Unit::quaternion && (matches(control, pattern) || matches_pattern(control.group, pattern)))
      found.push_back(c);
  }
  if (found.empty())
    throw Error({.code = ErrorCode::usage,
                 .element = fmt::format("{} \"{}\"", option, pattern),
                 .problem = "meets no control",
                 .remedy = "`rigspace info --controls` lists them"});
  return found;
}

}  // namespace

VertexFinder::VertexFinder(const Character& character, std::string name, In p)
    : character_(character), name_(std::move(name)), p_(p) {
  const auto workspace = character.rig->make_workspace();
  character.rig->evaluate(*workspace, p, points_);
  if (const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get())) {
    Vec u;
    rig->evaluate_slots(*workspace, p, u);
    for (const Bone& bone : character.bones)
      joints_.push_back(translation(transform_at(u, rig->graph().slots()[bone.slot])));
  }
}

int VertexFinder::nearest(const Vec3& place, const std::string& node) const {
  std::vector<int> turning;  // rotations of the joint
  for (int c = 0; c < static_cast<int>(character_.rig->controls().size()); ++c) {
    const Control& control = character_.rig->controls()[c];
    if (!node.empty() && control.node == node && control.unit == Unit::angle) turning.push_back(c);
  }
  std::set<int> moved;
  if (!turning.empty()) {
    BlockJacobian J;
    character_.rig->jacobian(*character_.rig->make_workspace(), p_, turning, J);
    for (int i = 0; i < J.points(); ++i)
      for (int e = J.start[i]; e < J.start[i + 1]; ++e)
        if (J.value.col(e).norm() > 0) moved.insert(i);
  }
  int best = -1;
  double distance = std::numeric_limits<double>::infinity();
  for (const Piece& piece : character_.pieces) {
    if (!piece.drawn) continue;
    for (int i = piece.first_point; i < piece.first_point + piece.point_count; ++i) {
      const double d = (position(i) - place).norm() + (moved.empty() || moved.contains(i) ? 0.0 : 1e100);
      if (d < distance) best = i, distance = d;
    }
  }
  if (best < 0)
    throw Error({.file = name_, .problem = "has no drawn surface", .remedy = "points of a surface are pulled"});
  return best;
}

int VertexFinder::find(const std::string& text) const {
  constexpr std::string_view kNearest = "nearest:";
  if (text.starts_with(kNearest))
    return nearest(parse_place(std::string_view(text).substr(kNearest.size()), "vertex \"" + text + "\""), {});
  int index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (end == text.data() + text.size() && !text.empty() && error != std::errc::invalid_argument) {
    const int count = character_.rig->point_count();
    if (error == std::errc() && index >= 0 && index < count) return index;
    throw Error({.code = ErrorCode::usage,
                 .file = name_,
                 .element = "vertex " + text,
                 .value = text,
                 .problem = "is not there",
                 .remedy = count == 0 ? std::string("the file has no mesh")
                                      : fmt::format("there are {}, 0 to {}", count, count - 1)});
  }
  std::vector<std::string> names;
  for (std::size_t b = 0; b < character_.bones.size(); ++b) {
    names.push_back(character_.bones[b].name);
    if (names.back() == text && b < joints_.size()) return nearest(joints_[b], text);
  }
  throw Error({.code = ErrorCode::usage,
               .file = name_,
               .element = "vertex \"" + text + "\"",
               .value = text,
               .problem = "is neither a number nor a joint",
               .remedy = suggestion(text, names, "write a number, nearest:x,y,z or the name of a joint")});
}

PullPath path_of(const PoseTarget& target, const Vec3& start) {
  if (target.target.empty()) return PullPath(target.times, target.points);
  if (target.moves()) return read_path(target.target);
  const bool relative = target.target.front() == '+';
  const Vec3 place = parse_place(std::string_view(target.target).substr(relative ? 1 : 0),
                                 fmt::format("--pull \"{}={}\"", target.vertex, target.target));
  return PullPath(relative ? Vec3(start + place) : place);
}

std::vector<int> free_controls(const Character& character, In p, const PosePatterns& patterns,
                               const PosedPoints& points) {
  std::vector<char> free(character.rig->controls().size(), 0);
  const auto mark = [&](const std::vector<int>& controls, char value) {
    for (const int c : controls) free[c] = value;
  };
  std::vector<int> chained = points.pulled;
  chained.insert(chained.end(), points.held.begin(), points.held.end());
  if (points.swing) chained.clear();
  if (patterns.free.empty()) mark(posable_controls(character, p, !points.held.empty(), chained), 1);
  for (const std::string& pattern : patterns.free) mark(controls_named(*character.rig, pattern, "--free"), 1);
  for (const std::string& pattern : patterns.also) mark(controls_named(*character.rig, pattern, "--also"), 1);
  for (const std::string& pattern : patterns.keep) mark(controls_named(*character.rig, pattern, "--keep"), 0);
  std::vector<int> result;
  for (int c = 0; c < static_cast<int>(free.size()); ++c)
    if (free[c]) result.push_back(c);
  if (result.empty())
    throw Error(
        {.code = ErrorCode::usage, .element = "--keep", .problem = "leaves no control free", .remedy = "keep fewer"});
  return result;
}

}  // namespace rigspace
