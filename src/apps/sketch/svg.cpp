// Lines of SVG files. A small reader of what drawing programs write for lines: elements, attributes, groups with
// transforms.

#include "rigspace/apps/sketch/stroke_file.h"
#include "rigspace/base/error.h"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

namespace rigspace {
namespace {

constexpr int kCurvePieces = 16;  // of a Bezier segment

using Plane = Eigen::Matrix<double, 2, 3>;  // an affine map of the plane

Plane times(const Plane& A, const Plane& B) {
  Plane C;
  C.leftCols<2>() = A.leftCols<2>() * B.leftCols<2>();
  C.col(2) = A.leftCols<2>() * B.col(2) + A.col(2);
  return C;
}

/// Numbers in a text, with commas, blanks or nothing but a sign or a second point between them.
class Numbers {
 public:
  explicit Numbers(std::string_view text) : text_(text) {}

  void skip() {
    while (at_ < text_.size() && (std::isspace(static_cast<unsigned char>(text_[at_])) || text_[at_] == ',')) ++at_;
  }
  bool number_next() {
    skip();
    return at_ < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-' ||
                                  text_[at_] == '+' || text_[at_] == '.');
  }
  bool end() {
    skip();
    return at_ >= text_.size();
  }
  char letter() { return text_[at_++]; }
  bool read(double& value) {
    if (!number_next()) return false;
    const std::size_t from = at_;
    bool point = false, exponent = false;
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (std::isdigit(static_cast<unsigned char>(c))) continue;
      if (c == '.' && !point && !exponent) {
        point = true;
      } else if ((c == 'e' || c == 'E') && !exponent) {
        exponent = true;
        if (at_ + 1 < text_.size() && (text_[at_ + 1] == '-' || text_[at_ + 1] == '+')) ++at_;
      } else {
        break;
      }
      if (text_[from] == '.') point = true;
    }
    value = std::strtod(std::string(text_.substr(from, at_ - from)).c_str(), nullptr);
    return true;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

class SvgReader {
 public:
  SvgReader(const std::string& text, std::string name) : text_(text), name_(std::move(name)) {}

  StrokeFile read() {
    std::vector<Plane> groups{Plane::Identity()};
    std::vector<char> hidden{0};
    std::vector<std::string> parts{""};  // of each open group
    int numbered = 0;
    bool found = false;
    for (std::size_t at = 0; (at = text_.find('<', at)) != std::string::npos;) {
      if (text_.compare(at, 4, "<!--") == 0) {
        at = text_.find("-->", at);
        if (at == std::string::npos) break;
        continue;
      }
      const std::size_t end = text_.find('>', at);
      if (end == std::string::npos) fail(at, "an element is not closed", "is the file whole?");
      const std::string tag = text_.substr(at + 1, end - at - 1);
      if (!tag.empty() && tag[0] == '/') {
        if (groups.size() > 1 && is_group(tag.substr(1))) groups.pop_back(), hidden.pop_back(), parts.pop_back();
      } else if (!tag.empty() && tag[0] != '?' && tag[0] != '!') {
        const bool alone = tag.back() == '/';
        const auto attributes = attributes_of(tag);
        const std::string kind = kind_of(tag);
        const Plane here = times(groups.back(), transform_of(attributes, at));
        if (kind == "svg" && !found) found = true, view_box(attributes, at);
        if (is_group(kind)) {
          // What a file defines for use elsewhere is not drawn.
          const bool away =
              kind == "defs" || kind == "symbol" || kind == "clipPath" || kind == "mask" || kind == "pattern";
          if (alone) {
            at = end + 1;
            continue;
          }
          groups.push_back(here), hidden.push_back(hidden.back() || away);
          const auto id = attributes.find("id");
          parts.push_back(kind != "g"              ? parts.back()
                          : id != attributes.end() ? id->second
                                                   : "group " + std::to_string(++numbered));
        } else if (!hidden.back()) {
          part_ = parts.back();
          draw(kind, attributes, here, at);
        }
      }
      at = end + 1;
    }
    if (!found) fail(0, "holds no <svg>", "give an SVG file or strokes as JSON");
    for (Stroke& stroke : file_.strokes)
      for (Vec2& z : stroke.points) z = view_from_pixels(z, file_.width, file_.height);
    return std::move(file_);
  }

 private:
  using Attributes = std::map<std::string, std::string, std::less<>>;

  [[noreturn]] void fail(std::size_t at, std::string problem, std::string remedy) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    throw Error(
        {.file = name_ + ":" + std::to_string(line), .problem = std::move(problem), .remedy = std::move(remedy)});
  }

  static std::string kind_of(const std::string& tag) {
    std::string kind = tag.substr(0, tag.find_first_of(" \t\r\n/"));
    return kind.substr(kind.find(':') == std::string::npos ? 0 : kind.find(':') + 1);
  }
  static bool is_group(const std::string& tag) {
    const std::string kind = kind_of(tag);
    return kind == "g" || kind == "svg" || kind == "defs" || kind == "symbol" || kind == "a" || kind == "clipPath" ||
           kind == "mask" || kind == "pattern";
  }

  static Attributes attributes_of(const std::string& tag) {
    Attributes found;
    for (std::size_t equals = 0; (equals = tag.find('=', equals)) != std::string::npos;) {
      std::size_t from = equals;
      while (from > 0 && std::isspace(static_cast<unsigned char>(tag[from - 1]))) --from;
      std::size_t begin = from;
      while (begin > 0 && !std::isspace(static_cast<unsigned char>(tag[begin - 1]))) --begin;
      const std::size_t open = tag.find_first_of("\"'", equals);
      if (open == std::string::npos) break;
      const std::size_t close = tag.find(tag[open], open + 1);
      if (close == std::string::npos) break;
      found[tag.substr(begin, from - begin)] = tag.substr(open + 1, close - open - 1);
      equals = close + 1;
    }
    return found;
  }

  static double attribute(const Attributes& attributes, std::string_view key, double otherwise) {
    const auto found = attributes.find(key);
    double value = otherwise;
    if (found != attributes.end()) Numbers(found->second).read(value);
    return value;
  }

  void view_box(const Attributes& attributes, std::size_t at) {
    double box[4] = {0, 0, attribute(attributes, "width", 0), attribute(attributes, "height", 0)};
    if (const auto found = attributes.find("viewBox"); found != attributes.end()) {
      Numbers numbers(found->second);
      for (double& each : box)
        if (!numbers.read(each)) fail(at, "viewBox does not have four numbers", "give left, top, width and height");
    }
    if (!(box[2] > 0 && box[3] > 0)) fail(at, "the drawing has no size", "give a viewBox, or width and height");
    origin_ = Vec2(box[0], box[1]);
    // Whole numbers are taken as pixels; a viewBox of any other size is counted in thousandths of its height.
    const bool whole = box[2] == std::floor(box[2]) && box[3] == std::floor(box[3]) && box[2] < 1e6 && box[3] < 1e6;
    scale_ = whole ? 1 : 1000 / box[3];
    file_.height = static_cast<int>(std::lround(box[3] * scale_));
    file_.width = std::max(1, static_cast<int>(std::lround(box[2] * scale_)));
  }

  Plane transform_of(const Attributes& attributes, std::size_t at) const {
    const auto found = attributes.find("transform");
    Plane all = Plane::Identity();
    if (found == attributes.end()) return all;
    const std::string& text = found->second;
    for (std::size_t open = 0, from = 0; (open = text.find('(', from)) != std::string::npos;) {
      const std::size_t close = text.find(')', open);
      if (close == std::string::npos) fail(at, "a transform is not closed", "is the file whole?");
      std::string kind;
      for (const char c : text.substr(from, open - from))
        if (std::isalpha(static_cast<unsigned char>(c))) kind += c;
      Numbers numbers(std::string_view(text).substr(open + 1, close - open - 1));
      std::vector<double> v;
      for (double value = 0; numbers.read(value);) v.push_back(value);
      from = close + 1;
      Plane one = Plane::Identity();
      if (kind == "matrix" && v.size() == 6) {
        one << v[0], v[2], v[4], v[1], v[3], v[5];
      } else if (kind == "translate" && !v.empty()) {
        one.col(2) = Vec2(v[0], v.size() > 1 ? v[1] : 0);
      } else if (kind == "scale" && !v.empty()) {
        one(0, 0) = v[0], one(1, 1) = v.size() > 1 ? v[1] : v[0];
      } else if (kind == "rotate" && !v.empty()) {
        one.leftCols<2>() = Eigen::Rotation2Dd(v[0] * kDegree).toRotationMatrix();
        if (v.size() == 3) {
          const Vec2 centre(v[1], v[2]);
          one.col(2) = centre - one.leftCols<2>() * centre;
        }
      } else if ((kind == "skewX" || kind == "skewY") && !v.empty()) {
        one(kind == "skewX" ? 0 : 1, kind == "skewX" ? 1 : 0) = std::tan(v[0] * kDegree);
      } else {
        fail(at, "the transform \"" + kind + "\" is not known", "use matrix, translate, scale, rotate or skew");
      }
      all = times(all, one);
    }
    return all;
  }

  void add(Stroke stroke, const Plane& map, const Attributes& attributes) {
    if (const auto id = attributes.find("id"); id != attributes.end()) stroke.name = id->second;
    stroke.part = part_;
    for (Vec2& z : stroke.points) z = scale_ * (map.leftCols<2>() * z + map.col(2) - origin_);
    file_.strokes.push_back(std::move(stroke));
  }

  void draw(const std::string& kind, const Attributes& attributes, const Plane& map, std::size_t at) {
    if (kind == "path") {
      const auto d = attributes.find("d");
      if (d != attributes.end()) path(d->second, attributes, map, at);
    } else if (kind == "polyline" || kind == "polygon") {
      Stroke stroke{.closed = kind == "polygon"};
      const auto list = attributes.find("points");
      Numbers numbers(list != attributes.end() ? std::string_view(list->second) : std::string_view());
      for (Vec2 z; numbers.read(z.x()) && numbers.read(z.y());) stroke.points.push_back(z);
      add(std::move(stroke), map, attributes);
    } else if (kind == "line") {
      add({.points = {Vec2(attribute(attributes, "x1", 0), attribute(attributes, "y1", 0)),
                      Vec2(attribute(attributes, "x2", 0), attribute(attributes, "y2", 0))}},
          map, attributes);
    }
  }

  void path(const std::string& d, const Attributes& attributes, const Plane& map, std::size_t where) {
    Numbers numbers(d);
    Stroke stroke;
    Vec2 at = Vec2::Zero(), begin = Vec2::Zero(), handle = Vec2::Zero();
    char command = 0, before = 0;
    const auto flush = [&] {
      if (!stroke.points.empty()) add(std::exchange(stroke, {}), map, attributes);
    };
    const auto next = [&](bool relative) {
      Vec2 z;
      if (!numbers.read(z.x()) || !numbers.read(z.y()))
        fail(where, "a path ends within a segment", "is the file whole?");
      return relative ? Vec2(z + at) : z;
    };
    const auto bezier = [&](const Vec2& b, const Vec2& c, const Vec2& to) {
      const Vec2 from = at;
      for (int k = 1; k <= kCurvePieces; ++k) {
        const double t = static_cast<double>(k) / kCurvePieces, u = 1 - t;
        stroke.points.push_back(u * u * u * from + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * to);
      }
      at = to;
    };
    while (!numbers.end()) {
      if (!numbers.number_next())
        command = numbers.letter();
      else if (command == 0)
        fail(where, "a path does not begin with M", "is the file whole?");
      const bool relative = std::islower(static_cast<unsigned char>(command)) != 0;
      const char kind = static_cast<char>(std::toupper(static_cast<unsigned char>(command)));
      if (kind != 'M' && kind != 'Z' && stroke.points.empty()) stroke.points.push_back(at);
      if (kind == 'M') {
        flush();
        begin = at = next(relative);
        stroke.points.push_back(at);
        command = relative ? 'l' : 'L';
      } else if (kind == 'L') {
        at = next(relative), stroke.points.push_back(at);
      } else if (kind == 'H' || kind == 'V') {
        double value = 0;
        if (!numbers.read(value)) fail(where, "a path ends within a segment", "is the file whole?");
        (kind == 'H' ? at.x() : at.y()) = value + (relative ? (kind == 'H' ? at.x() : at.y()) : 0);
        stroke.points.push_back(at);
      } else if (kind == 'C' || kind == 'S') {
        const Vec2 b = kind == 'C' ? next(relative) : before == 'C' ? Vec2(2 * at - handle) : at;
        const Vec2 c = next(relative), to = next(relative);
        handle = c;
        bezier(b, c, to);
        before = 'C';
        continue;
      } else if (kind == 'Q' || kind == 'T') {
        const Vec2 b = kind == 'Q' ? next(relative) : before == 'Q' ? Vec2(2 * at - handle) : at;
        const Vec2 to = next(relative);
        handle = b;
        bezier(at + 2.0 / 3 * (b - at), to + 2.0 / 3 * (b - to), to);
        before = 'Q';
        continue;
      } else if (kind == 'Z') {
        stroke.closed = true;
        flush();
        at = begin;
        before = kind;
        command = 'L';
        continue;
      } else {
        fail(where, std::string("the path command ") + command + " is not read here",
             "use M, L, H, V, C, S, Q, T and Z");
      }
      before = kind;
    }
    flush();
  }

  const std::string& text_;
  std::string name_, part_;
  StrokeFile file_;
  Vec2 origin_ = Vec2::Zero();
  double scale_ = 1;
};

}  // namespace

StrokeFile parse_svg_strokes(const std::string& text, const std::string& name) { return SvgReader(text, name).read(); }

}  // namespace rigspace
