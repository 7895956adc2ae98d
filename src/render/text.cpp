// Letters as strokes of even width with round ends, drawn by their distance to each pixel: crisp at any size.
#include "rigspace/render/drawable_text.h"
#include "rigspace/render/picture.h"

#include <cmath>
#include <limits>

namespace rigspace {
namespace {

using Point = Eigen::Vector2d;
using Stroke = std::vector<Point>;

// Strokes are separated by blanks. A stroke is a kind (l: straight lines, c: an open curve, o: a closed curve) and its
// control points, two characters each: x in 0..8, y in 0..g (16). Baseline 4, small letters up to c (12), capitals up
// to g (16), descenders down to 0.
constexpr std::string_view kGlyphs[95] = {
    "",                                           // space
    "l0g08 l04",                                  // !
    "l0g0d l2g2d",                                // "
    "l2g14 l6g54 l0c7c l0878",                    // #
    "c8e8g4g0g0a4a8a84440406 l4g42",              // $
    "o0g1g2g2e2c1c0c0e l7g04 o5868787674645456",  // %
    "c841d1g5g5d08045479",                        // &
    "l0g0d",                                      // '
    "c3g0d0a0733",                                // (
    "c0g3d3a3703",                                // )
    "l3g3a l0f6b l6f0b",                          // *
    "l0969 l3c36",                                // +
    "l1402",                                      // ,
    "l0949",                                      // -
    "l04",                                        // .
    "l036g",                                      // /
    "o0g3g6g6a6434040a",                          // 0
    "l0d3g34",                                    // 1
    "c0d0g3g6g6b3804 l0464",                      // 2
    "c0e0g3g6g6a3a2a c2a3a6a64340406",            // 3
    "l5g0878 l5g54",                              // 4
    "l6g1g0a c0a3b6b64340406",                    // 5
    "c5g2g0b07 o0b3b6b6764340407",                // 6
    "l0g6g24",                                    // 7
    "o0g3g6g6d6a3a0a0d o0a3a6a6764340407",        // 8
    "o0g3g6g6d6939090d c1444696d",                // 9
    "l04 l0b",                                    // :
    "l1b l1402",                                  // ;
    "l5c0956",                                    // <
    "l0b6b l0767",                                // =
    "l0c5906",                                    // >
    "c0d0g3g6g6b3a37 l34",                        // ?
    "o0g4g8g8a8444040a o2c4c6c6a6848282a",        // @
    "l044g84 l1878",                              // A
    "l040g c0g4g7g7a4a0a c0a4a8a844404",          // B
    "c8e8g4g0g0a04448486",                        // C
    "l040g c0g4g8g8a844404",                      // D
    "l8g0g0484 l0a6a",                            // E
    "l8g0g04 l0a6a",                              // F
    "c8e8g4g0g0a0444848a l5a8a",                  // G
    "l040g l848g l0a8a",                          // H
    "l040g",                                      // I
    "c6g6a64340407",                              // J
    "l040g l8g09 l3b84",                          // K
    "l0g0484",                                    // L
    "l040g4a8g84",                                // M
    "l040g848g",                                  // N
    "o0g4g8g8a8444040a",                          // O
    "l040g c0g4g8g894909",                        // P
    "o0g4g8g8a8444040a l5783",                    // Q
    "l040g c0g4g8g894909 l4984",                  // R
    "c8e8g4g0g0a4a8a84440406",                    // S
    "l0g8g l4g44",                                // T
    "c0g0a0444848a8g",                            // U
    "l0g448g",                                    // V
    "l0g244c648g",                                // W
    "l0g84 l8g04",                                // X
    "l0g4a8g l4a44",                              // Y
    "l0g8g0484",                                  // Z
    "l2g0g0323",                                  // [
    "l0g63",                                      // backslash
    "l0g2g2303",                                  // ]
    "l0d3g6d",                                    // ^
    "l0262",                                      // _
    "l0g2d",                                      // `
    "o0c3c6c6864340408 l6c64",                    // a
    "l0g04 o0c3c6c6864340408",                    // b
    "c6a6c3c0c0804346466",                        // c
    "o0c3c6c6864340408 l6g64",                    // d
    "l0868 c686c3c0c0804346465",                  // e
    "c5g2g2c24 l0c5c",                            // f
    "o0c3c6c6864340408 c6c6460300001",            // g
    "l0g04 c080c3c6c6864",                        // h
    "l0c04 l0f",                                  // i
    "c3c343000 l3f",                              // j
    "l0g04 l6c08 l2964",                          // k
    "c0g0a0424",                                  // l
    "l0c04 c080c2c4c4844 c484c6c8c8884",          // m
    "l0c04 c080c3c6c6864",                        // n
    "o0c3c6c6864340408",                          // o
    "l0c00 o0c3c6c6864340408",                    // p
    "l6c60 o0c3c6c6864340408",                    // q
    "l0c04 c080c2c4c",                            // r
    "c6b6c3c0c08386864340405",                    // s
    "c2g2a2454 l0c5c",                            // t
    "c0c0804346468 l6c64",                        // u
    "l0c346c",                                    // v
    "l0c244b648c",                                // w
    "l0c64 l6c04",                                // x
    "l0c34 l6c3420",                              // y
    "l0c6c0464",                                  // z
    "c3g1g1a0a c0a1a1333",                        // {
    "l0g02",                                      // |
    "c0g2g2a3a c3a2a2303",                        // }
    "c082c466a",                                  // ~
};
constexpr double kCap = 12, kBaseline = 4, kBlank = 5, kGap = 3.2;  // in units of the glyphs

std::string_view glyph(char letter) {
  const int code = static_cast<unsigned char>(letter);
  return code >= 32 && code < 127 ? kGlyphs[code - 32] : std::string_view();
}

double coordinate(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

// Chaikin's corner cutting: in the limit the uniform quadratic B-spline; open ends stay where they are.
Stroke cut_corners(const Stroke& control, bool closed) {
  Stroke cut;
  const std::size_t n = control.size(), edges = closed ? n : n - 1;
  if (!closed) cut.push_back(control.front());
  for (std::size_t i = 0; i < edges; ++i) {
    const Point& a = control[i];
    const Point& b = control[(i + 1) % n];
    if (closed || i > 0) cut.push_back(0.75 * a + 0.25 * b);
    if (closed || i + 1 < edges) cut.push_back(0.25 * a + 0.75 * b);
  }
  if (!closed) cut.push_back(control.back());
  return cut;
}

Stroke outline(std::string_view text) {
  Stroke stroke;
  for (std::size_t i = 1; i + 1 < text.size(); i += 2)
    stroke.emplace_back(coordinate(text[i]), coordinate(text[i + 1]));
  const bool closed = text[0] == 'o';
  if (text[0] != 'l')
    for (int round = 0; round < 3; ++round) stroke = cut_corners(stroke, closed);
  if (closed) stroke.push_back(stroke.front());
  return stroke;
}

std::vector<Stroke> outlines(std::string_view text) {
  std::vector<Stroke> strokes;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    strokes.push_back(outline(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return strokes;
}

double advance(char letter) {
  if (letter == ' ') return kBlank;
  double width = 0;
  for (const Stroke& stroke : outlines(glyph(letter)))
    for (const Point& x : stroke) width = std::max(width, x.x());
  return width + kGap;
}

double distance_to_segment(const Point& x, const Point& a, const Point& b) {
  const Point along = b - a;
  const double length2 = along.squaredNorm();
  const double t = length2 > 0 ? std::clamp((x - a).dot(along) / length2, 0.0, 1.0) : 0;
  return (x - a - t * along).norm();
}

// One coverage per pixel over all strokes of a letter, so that crossings are not darker.
void draw_strokes(Picture& onto, const std::vector<Stroke>& strokes, double radius, Color8 color) {
  Point low = Point::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const Stroke& stroke : strokes)
    for (const Point& x : stroke) low = low.cwiseMin(x), high = high.cwiseMax(x);
  if (!(low.x() <= high.x())) return;
  const int x0 = std::max(0, static_cast<int>(std::floor(low.x() - radius - 1)));
  const int y0 = std::max(0, static_cast<int>(std::floor(low.y() - radius - 1)));
  const int x1 = std::min(onto.width() - 1, static_cast<int>(std::ceil(high.x() + radius + 1)));
  const int y1 = std::min(onto.height() - 1, static_cast<int>(std::ceil(high.y() + radius + 1)));
  for (int y = y0; y <= y1; ++y)
    for (int x = x0; x <= x1; ++x) {
      double distance = std::numeric_limits<double>::infinity();
      const Point centre(x + 0.5, y + 0.5);
      for (const Stroke& stroke : strokes) {
        if (stroke.size() == 1) distance = std::min(distance, (centre - stroke[0]).norm() - 0.3 * radius);  // a dot
        for (std::size_t i = 0; i + 1 < stroke.size(); ++i)
          distance = std::min(distance, distance_to_segment(centre, stroke[i], stroke[i + 1]));
      }
      onto.blend(x, y, color, static_cast<float>(std::clamp(radius - distance + 0.5, 0.0, 1.0)));
    }
}

}  // namespace

double text_width(std::string_view text, const TextStyle& style) {
  double width = 0;
  for (const char letter : drawable_text(text)) width += advance(letter);
  return text.empty() ? 0 : (width - kGap) * style.height / kCap;
}

void draw_text(Picture& onto, double x, double y, std::string_view text, const TextStyle& style) {
  const double scale = style.height / kCap;
  for (const char letter : drawable_text(text)) {
    std::vector<Stroke> strokes = outlines(glyph(letter));
    for (Stroke& stroke : strokes)
      for (Point& p : stroke) p = Point(x + scale * p.x(), y - scale * (p.y() - kBaseline));
    draw_strokes(onto, strokes, 0.5 * style.weight * style.height, style.color);
    x += scale * advance(letter);
  }
}

}  // namespace rigspace
