#include "sketch_ink.h"

#include <algorithm>

namespace rigspace::tools {

void draw_stroke(Picture& onto, const std::vector<Vec2>& points, bool closed, const Ink& ink) {
  const std::size_t pieces = points.size() < 2 ? 0 : points.size() - (closed ? 0 : 1);
  // One pass over the pixels near each piece, so that overlaps of pieces are not drawn twice: the best cover counts.
  std::vector<float> cover(static_cast<std::size_t>(onto.width()) * static_cast<std::size_t>(onto.height()), 0);
  for (std::size_t k = 0; k < pieces; ++k) {
    const Vec2 a = pixels_from_view(points[k], onto.width(), onto.height());
    const Vec2 b = pixels_from_view(points[(k + 1) % points.size()], onto.width(), onto.height());
    const double reach = 0.5 * ink.width + 1;
    const Vec2 low = a.cwiseMin(b).array() - reach, high = a.cwiseMax(b).array() + reach;
    for (int y = std::max(0, static_cast<int>(low.y())); y <= std::min<double>(onto.height() - 1, high.y()); ++y)
      for (int x = std::max(0, static_cast<int>(low.x())); x <= std::min<double>(onto.width() - 1, high.x()); ++x) {
        const Vec2 at(x + 0.5, y + 0.5), d = b - a;
        const double t = d.squaredNorm() > 0 ? std::clamp(d.dot(at - a) / d.squaredNorm(), 0.0, 1.0) : 0;
        const double edge = 0.5 * ink.width + 0.5 - (a + t * d - at).norm();
        float& most =
            cover[static_cast<std::size_t>(y) * static_cast<std::size_t>(onto.width()) + static_cast<std::size_t>(x)];
        most = std::max(most, static_cast<float>(std::clamp(edge, 0.0, 1.0)));
      }
  }
  for (int y = 0; y < onto.height(); ++y)
    for (int x = 0; x < onto.width(); ++x)
      if (const float most =
              cover[static_cast<std::size_t>(y) * static_cast<std::size_t>(onto.width()) + static_cast<std::size_t>(x)];
          most > 0)
        onto.blend(x, y, ink.color, most);
}

}  // namespace rigspace::tools
