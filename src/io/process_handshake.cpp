#include "process_handshake.h"

#include "rigspace/anim/bound_skin.h"
#include "rigspace/base/error.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/io/gltf.h"
#include "uri.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace rigspace {
namespace {

using SortedJson = nlohmann::json;

constexpr int kDeepestHandshake = 16;
constexpr double kMostControls = 1e6, kMostRigPoints = 2e7;

/// How many objects and lists stand inside each other at most. (A callback of the parser would know it too, but for
/// every object that ends the library then looks through all of the list it is in.)
int depth_of(std::string_view json) {
  int depth = 0, deepest = 0;
  bool in_text = false;
  for (std::size_t k = 0; k < json.size(); ++k) {
    const char c = json[k];
    if (in_text) {
      if (c == '\\') ++k;
      in_text = c != '"';
      continue;
    }
    in_text = c == '"';
    if (c == '{' || c == '[') deepest = std::max(deepest, ++depth);
    if (c == '}' || c == ']') --depth;
  }
  return deepest;
}

std::string shown_reply(const SortedJson& value) {
  const std::string text = value.dump(-1, ' ', false, SortedJson::error_handler_t::replace);
  return text.size() > 60 ? text.substr(0, 60) + ".." : text;
}

std::string shown_whole(const SortedJson& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, SortedJson::error_handler_t::replace);
}

/// Reads a handshake field by field; whatever is wrong names the element.
class HandshakeReader {
 public:
  explicit HandshakeReader(const std::string& source) : source_(source) {}

  [[noreturn]] void fail(std::string element, std::string problem, std::string remedy) const {
    throw Error({.code = ErrorCode::external_process,
                 .file = source_,
                 .element = "handshake: " + std::move(element),
                 .problem = std::move(problem),
                 .remedy = std::move(remedy)});
  }

  /// The member, or nullptr if it is absent or null.
  static const SortedJson* find(const SortedJson& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
  }

  double number(const SortedJson& object, const char* key, double otherwise, const std::string& element) const {
    const SortedJson* value = find(object, key);
    if (value == nullptr) return otherwise;
    if (!value->is_number() || !std::isfinite(value->get<double>()))
      fail(element, std::string("has ") + shown_reply(*value) + " as its " + key, "give a number, or leave it out");
    return value->get<double>();
  }

  int whole(const SortedJson& value, double most, const std::string& element) const {
    const double number = value.is_number() ? value.get<double>() : -1;
    if (!(number >= 0 && number == std::floor(number)))
      fail(element, "is " + shown_reply(value), "give a whole number from 0");
    if (number > most)
      fail(element, "is " + shown_reply(value), "at most " + std::to_string(static_cast<long>(most)) + " are taken");
    return static_cast<int>(number);
  }

  std::string text(const SortedJson& object, const char* key, const std::string& element) const {
    const SortedJson* value = find(object, key);
    if (value == nullptr) return {};
    if (!value->is_string())
      fail(element, std::string("has ") + shown_reply(*value) + " as its " + key, "give a string");
    return value->get<std::string>();
  }

  const SortedJson& list(const SortedJson& value, const std::string& element, double most = kMostRigPoints * 4) const {
    if (!value.is_array()) fail(element, "is " + shown_reply(value), "give a list");
    if (static_cast<double>(value.size()) > most)
      fail(element, "has " + std::to_string(value.size()) + " entries", "that is too many");
    return value;
  }

  Unit unit(const SortedJson& object, const std::string& element) const {
    const std::string given = text(object, "unit", element);
    for (const Unit each : {Unit::scalar, Unit::length, Unit::angle, Unit::scale, Unit::quaternion})
      if (given == name(each)) return each;
    if (!given.empty())
      fail(element, "has the unit \"" + given + "\"", "give scalar, length, angle, scale, quaternion");
    return Unit::scalar;
  }

  Control control(const SortedJson& value, std::size_t index) const {
    std::string element = "control " + std::to_string(index);
    if (!value.is_object()) fail(element, "is " + shown_reply(value), "give an object with a name");
    Control control;
    control.name = text(value, "name", element);
    if (control.name.empty()) fail(element, "has no name", "name it, such as \"tail.rx\"");
    element = "control \"" + control.name + "\"";
    control.node = text(value, "node", element);
    control.group = text(value, "group", element);
    control.unit = unit(value, element);
    control.rest = number(value, "rest", control.unit == Unit::scale ? 1 : 0, element);
    control.min = number(value, "min", control.min, element);
    control.max = number(value, "max", control.max, element);
    control.typical = number(value, "typical", control.unit == Unit::angle ? 0.5 : 1, element);
    if (!(control.typical > 0))
      fail(element, "has a typical change of " + shown_reply(value["typical"]), "give a positive one");
    if (!(control.min <= control.rest && control.rest <= control.max))
      fail(element, "rests outside its limits", "widen the limits or move the rest value");
    return control;
  }

  std::vector<Triangle> triangles(const SortedJson& value, const Piece& piece, const std::string& element) const {
    std::vector<Triangle> result;
    for (const SortedJson& corners : list(value, element + "triangles")) {
      const std::string each = element + "triangle " + std::to_string(result.size());
      if (list(corners, each).size() != 3) fail(each, "is " + shown_reply(corners), "give three points");
      Triangle triangle;
      for (int k = 0; k < 3; ++k) {
        triangle[k] = whole(corners[k], kMostRigPoints, each);
        if (triangle[k] < piece.first_point || triangle[k] >= piece.first_point + piece.point_count)
          fail(each, "has the point " + std::to_string(triangle[k]),
               "points of this piece are " + std::to_string(piece.first_point) + " to " +
                   std::to_string(piece.first_point + piece.point_count - 1));
      }
      result.push_back(triangle);
    }
    return result;
  }

  void piece(const SortedJson& value, ProcessHandshake& rig) const {
    const std::string number_of_piece = "piece " + std::to_string(rig.pieces.size());
    if (!value.is_object())
      fail(number_of_piece, "is " + shown_reply(value), "give an object with points and triangles");
    Piece piece;
    piece.name = text(value, "name", number_of_piece);
    if (piece.name.empty()) piece.name = number_of_piece;
    const std::string element = "piece \"" + piece.name + "\"";
    if (!rig.pieces.empty()) piece.first_point = rig.pieces.back().first_point + rig.pieces.back().point_count;
    const SortedJson* points = find(value, "points");
    if (points == nullptr) fail(element, "does not say how many points it has", "give \"points\", a whole number");
    piece.point_count = whole(*points, kMostRigPoints, element + ", points");
    if (piece.point_count > rig.point_count - piece.first_point)
      fail(element, "reaches beyond the rig's " + std::to_string(rig.point_count) + " points",
           "the points of all pieces must add up to those of the rig");
    if (const SortedJson* triangle_list = find(value, "triangles"))
      piece.triangles = triangles(*triangle_list, piece, element + ", ");
    if (const SortedJson* color = find(value, "color")) piece.material = material(*color, piece.name, rig);
    rig.pieces.push_back(std::move(piece));
  }

  /// The last points are those of joints, four each.
  void joints(const SortedJson& given, ProcessHandshake& rig) const {
    const int count = static_cast<int>(list(given, "joints", kMostRigPoints / 4).size());
    if (4 * count > rig.point_count)
      fail("joints", "are " + std::to_string(count), "four of the rig's points belong to each");
    std::unordered_set<std::string> names;
    for (const SortedJson& each : given) {
      const std::string element = "joint " + std::to_string(rig.joints.size());
      if (!each.is_object()) fail(element, "is " + shown_reply(each), "give an object with a name");
      Bone bone{.name = text(each, "name", element)};
      if (bone.name.empty() || !names.insert(bone.name).second)
        fail(element, "has no name of its own", "name each, such as \"spine.001\"");
      const double parent = number(each, "parent", -1, element);
      if (!(parent >= -1 && parent < static_cast<double>(rig.joints.size())) || parent != std::floor(parent))
        fail(element, "has the parent " + shown_reply(each["parent"]), "give the number of a joint before it, or -1");
      bone.parent = static_cast<int>(parent);
      rig.joints.push_back(std::move(bone));
    }
  }

  /// A glTF and the joints of it that the rig turns by itself.
  std::shared_ptr<const BoundSkin> skin(const SortedJson& given) const {
    if (!given.is_object()) fail("skin", "is " + shown_reply(given), "give an object with a glb in base64");
    const auto bytes = decode_base64(text(given, "glb", "skin"));
    if (!bytes) fail("skin, glb", "is no base64", "give the bytes of a .glb in base64");
    auto result = std::make_shared<BoundSkin>();
    try {
      result->character = std::make_shared<const Character>(GltfFile(*bytes, "skin").character());
    } catch (const Error& error) {
      fail("skin, glb", "cannot be read: " + std::string(error.what()), "give a .glb with joints and one skin");
    }
    if (const SortedJson* held = find(given, "held"); held != nullptr && held->is_object())
      for (const auto& [joint, why] : held->items())
        if (why.is_string()) result->held[joint] = why.get<std::string>();
    return result;
  }

  int material(const SortedJson& color, const std::string& piece, ProcessHandshake& rig) const {
    const std::string element = "piece \"" + piece + "\", color";
    SurfaceMaterial material{.name = piece};
    if (list(color, element).size() != 3) fail(element, "is " + shown_reply(color), "give red, green and blue");
    for (int k = 0; k < 3; ++k) {
      const double part = color[k].is_number() ? color[k].get<double>() : -1;
      if (!(part >= 0 && part <= 1)) fail(element, "is " + shown_reply(color), "give three numbers from 0 to 1");
      material.base_color[k] = static_cast<float>(part);
    }
    rig.materials.push_back(std::move(material));
    return static_cast<int>(rig.materials.size()) - 1;
  }

  void shape(const SortedJson& json, ProcessHandshake& rig) const {
    if (const SortedJson* given = find(json, "joints")) joints(*given, rig);
    const int of_pieces = rig.point_count - 4 * static_cast<int>(rig.joints.size());
    const SortedJson* pieces = find(json, "pieces");
    if (pieces == nullptr) {
      SortedJson all = {{"name", rig.name}, {"points", of_pieces}};
      for (const char* key : {"triangles", "color"})
        if (const SortedJson* value = find(json, key)) all[key] = *value;
      return piece(all, rig);
    }
    for (const SortedJson& each : list(*pieces, "pieces")) piece(each, rig);
    const int given = rig.pieces.empty() ? 0 : rig.pieces.back().first_point + rig.pieces.back().point_count;
    if (given != of_pieces)
      fail("pieces", "have " + std::to_string(given) + " points together",
           "the rig has " + std::to_string(of_pieces) + (rig.joints.empty() ? "" : " beside those of its joints"));
  }

  /// In the format of a .rigspace.json, docs/curves.md.
  std::vector<Animation> clips(const SortedJson& given, std::span<const Control> controls) const {
    const SortedJson file = {{"kind", "rigspace curves"}, {"schema", 1}, {"clips", given}};
    try {
      CurveFile curves = parse_curves(file.dump(-1, ' ', false, SortedJson::error_handler_t::replace), "clips");
      check_units(curves, controls);
      return std::move(curves.clips);
    } catch (const Error& error) {
      fail("clips", "are wrong: " + std::string(error.what()), "give them as in docs/curves.md");
    }
  }

  /// The process reports that it cannot be this rig.
  [[noreturn]] void complain(const SortedJson& given) const {
    if (given.is_string()) throw Error({.file = source_, .problem = given.get<std::string>()});
    throw Error({.file = source_,
                 .element = text(given, "element", "error"),
                 .value = text(given, "value", "error"),
                 .problem = text(given, "problem", "error"),
                 .remedy = text(given, "remedy", "error")});
  }

  SortedJson parse(std::string_view line) const {
    const bool looks_like_json =
        line.find_first_not_of(" \t\r") != line.npos && line[line.find_first_not_of(" \t\r")] == '{';
    if (!looks_like_json)
      fail("standard output", "begins with " + quoted_line(line) + " where one line of JSON was expected",
           "print everything but the protocol to standard error");
    if (depth_of(line) > kDeepestHandshake)
      fail("it", "nests deeper than " + std::to_string(kDeepestHandshake) + " levels", "it need not");
    try {
      return SortedJson::parse(line);
    } catch (const SortedJson::parse_error& error) {
      fail("line 1", "is not valid JSON at byte " + std::to_string(error.byte) + ": " + quoted_line(line),
           "write it on one line; numbers without limit are null, not Infinity");
    } catch (const SortedJson::exception&) {
      fail("line 1", "has a number beyond all range", "numbers without limit are null");
    }
  }

  /// The line as JSON of our version that is no complaint.
  SortedJson open(std::string_view line) const {
    SortedJson json = parse(line);
    const SortedJson* version = find(json, "rigspace");
    if (version == nullptr || *version != kProcessProtocol)
      fail("\"rigspace\"", version == nullptr ? "is absent" : "is " + shown_reply(*version),
           "this program speaks version " + std::to_string(kProcessProtocol) + " of the protocol");
    if (const SortedJson* error = find(json, "error")) complain(*error);
    return json;
  }

  std::vector<std::string> warnings(const SortedJson& json) const {
    std::vector<std::string> sentences;
    if (const SortedJson* given = find(json, "warnings"))
      for (const SortedJson& each : list(*given, "warnings", 1000)) sentences.push_back(shown_whole(each));
    return sentences;
  }

 private:
  const std::string& source_;
};

}  // namespace

std::string quoted_line(std::string_view text) {
  text = text.substr(0, std::min(text.find('\n'), text.size()));
  std::string result(1, '"');
  result += text.substr(0, 60);
  for (char& c : result)
    if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) >= 127) c = '?';
  return result + (text.size() > 60 ? "..\"" : "\"");
}

std::vector<std::string> parse_notes(std::string_view line, const std::string& source) {
  const HandshakeReader reader(source);
  return reader.warnings(reader.open(line));
}

ProcessHandshake parse_handshake(std::string_view line, const std::string& source) {
  const HandshakeReader reader(source);
  const SortedJson json = reader.open(line);
  ProcessHandshake rig;
  rig.name = reader.text(json, "name", "it");
  if (rig.name.empty()) rig.name = "rig";

  const SortedJson* controls = HandshakeReader::find(json, "controls");
  if (controls == nullptr) reader.fail("\"controls\"", "is absent", "give a list, which may be empty");
  std::unordered_set<std::string> names;
  for (const SortedJson& each : reader.list(*controls, "controls", kMostControls)) {
    rig.controls.push_back(reader.control(each, rig.controls.size()));
    if (!names.insert(rig.controls.back().name).second)
      reader.fail("control \"" + rig.controls.back().name + "\"", "is there twice", "give each its own name");
  }
  const SortedJson* points = HandshakeReader::find(json, "points");
  if (points == nullptr) reader.fail("\"points\"", "is absent", "give their number");
  rig.point_count = reader.whole(*points, kMostRigPoints, "points");
  rig.noise = reader.number(json, "noise", -1, "it");
  if (HandshakeReader::find(json, "noise") != nullptr && rig.noise < 0)
    reader.fail("noise", "is negative", "give a length, or leave it out to have it measured");
  const auto flag = [&](const char* key) {
    const SortedJson* value = HandshakeReader::find(json, key);
    if (value != nullptr && !value->is_boolean()) reader.fail(key, "is " + shown_reply(*value), "give true or false");
    return value != nullptr && value->get<bool>();
  };
  rig.jacobian = flag("jacobian");
  rig.some_points = flag("some_points");
  reader.shape(json, rig);
  if (const SortedJson* clips = HandshakeReader::find(json, "clips")) rig.clips = reader.clips(*clips, rig.controls);
  rig.warnings = reader.warnings(json);
  if (const SortedJson* skin = HandshakeReader::find(json, "skin")) rig.skin = reader.skin(*skin);
  if (const SortedJson* plain = HandshakeReader::find(json, "plain"))
    rig.plain = plain->dump(-1, ' ', false, SortedJson::error_handler_t::replace);
  return rig;
}

}  // namespace rigspace
