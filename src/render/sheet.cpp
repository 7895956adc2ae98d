#include "rigspace/render/sheet.h"

#include "rigspace/base/error.h"

#include <cmath>
#include <cstdio>

namespace rigspace {
namespace {

constexpr Color8 kPage{250, 250, 250};

[[noreturn]] void fail_usage(const char* element, int value, const char* remedy) {
  throw Error({.code = ErrorCode::usage,
               .element = element,
               .value = std::to_string(value),
               .problem = "is " + std::to_string(value),
               .remedy = remedy});
}

std::string number(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

/// Where things stand on the page.
class Layout {
 public:
  Layout(int cells, const SheetOptions& options, const std::string& title)
      : options_(options), columns_(options.columns) {
    if (columns_ == 0) columns_ = best_columns(cells);
    columns_ = std::min(columns_, cells);
    rows_ = (cells + columns_ - 1) / columns_;
    if (options.labels && !title.empty()) title_.height = std::clamp(page_width() / 50.0, 9.0, 22.0);
    header_ = options.labels && !title.empty() ? static_cast<int>(std::lround(2.2 * title_.height)) : 0;
  }

  int page_width() const { return columns_ * (options_.cell.width + options_.gap) + options_.gap; }
  int page_height() const { return header_ + rows_ * (options_.cell.height + options_.gap) + options_.gap; }
  int x(int cell) const { return options_.gap + cell % columns_ * (options_.cell.width + options_.gap); }
  int y(int cell) const { return options_.gap + header_ + cell / columns_ * (options_.cell.height + options_.gap); }

  Picture page(const std::string& title) const {
    Picture page(page_width(), page_height(), kPage);
    if (header_ > 0) {
      TextStyle style = title_;
      const double room = page_width() - 2.0 * (options_.gap + 2), width = text_width(title, style);
      if (width > room) style.height *= room / width;
      draw_text(page, options_.gap + 2, options_.gap + 0.5 * header_ + 0.45 * style.height, title, style);
    }
    return page;
  }

 private:
  int best_columns(int cells) const {
    int best = 1;
    double best_cost = 1e300;
    for (int columns = 1; columns <= cells; ++columns) {
      const int rows = (cells + columns - 1) / columns;
      const double shape = static_cast<double>(columns * options_.cell.width) / (rows * options_.cell.height);
      const double empty = static_cast<double>(rows * columns - cells) / cells;
      const double cost = std::abs(std::log(shape / 1.6)) + 2 * empty;
      if (cost < best_cost) best = columns, best_cost = cost;
    }
    return best;
  }

  const SheetOptions& options_;
  int columns_, rows_ = 0, header_ = 0;
  TextStyle title_;
};

// With a pale rim, to stay readable over the character.
void draw_label(Picture& cell, const std::string& label) {
  const TextStyle ink{.height = std::clamp(cell.height() / 28.0, 7.0, 20.0), .color = {80, 83, 89}};
  const TextStyle rim{.height = ink.height, .weight = 4 * ink.weight, .color = {232, 233, 235}};
  const double x = 1.1 * ink.height, y = cell.height() - 1.1 * ink.height;
  draw_text(cell, x, y, label, rim);
  draw_text(cell, x, y, label, ink);
}

template <class Draw>
Picture fill_sheet(int cells, const std::string& title, const SheetOptions& options, const ProgressCallback& progress,
                   Draw&& draw) {
  const Layout layout(cells, options, title);
  Picture page = layout.page(title);  // first: too large a page fails before the work
  for (int k = 0; k < cells; ++k) {
    report(progress, "rendering", static_cast<double>(k) / cells);
    std::string label;
    Picture cell = draw(k, label);
    if (options.labels) draw_label(cell, label);
    paste(page, cell, layout.x(k), layout.y(k));
  }
  report(progress, "rendering", 1);
  return page;
}

}  // namespace

void SheetOptions::validate() const {
  cell.validate();
  framing.validate();
  if (columns < 0 || columns > 1000) fail_usage("number of columns", columns, "expected 0 to 1000");
  if (gap < 0 || gap > 1000) fail_usage("gap", gap, "expected 0 to 1000 pixels");
}

Picture contact_sheet(const Renderer& renderer, const Motion& motion, const SheetOptions& options,
                      const ProgressCallback& progress) {
  options.validate();
  const int cells = static_cast<int>(motion.times.size());
  const MotionView view = frame_motion(motion, static_cast<double>(options.cell.width) / options.cell.height,
                                       options.framing, options.follow);
  RenderOptions look = options.cell;
  if (!look.ground_height) look.ground_height = view.ground_height;
  return fill_sheet(cells, motion.title, options, progress, [&](int k, std::string& label) {
    label = number(motion.times[k], 2) + " s";
    const Camera camera = options.camera ? options.camera(motion.times[k]) : view.camera_at(k);
    return renderer.render(motion.at(motion.times[k]), camera, look);
  });
}

std::vector<Camera> turntable(In points, int views, double aspect, const FramingOptions& options) {
  if (views < 1) fail_usage("number of views", views, "expected 1 or more");
  Vec3 low = Vec3::Constant(1e300), high = -low;
  for (int i = 0; i < points.size() / 3; ++i)
    low = low.cwiseMin(point(points, i)), high = high.cwiseMax(point(points, i));
  const Vec3 centre = 0.5 * (low + high);
  Framing framing(options, aspect);
  framing.add_turned(points, centre);
  std::vector<Camera> cameras;
  for (int k = 0; k < views; ++k) cameras.push_back(framing.camera().turned(2 * std::numbers::pi * k / views, centre));
  return cameras;
}

Picture turntable_sheet(const Renderer& renderer, const Snapshot& snapshot, int views, const SheetOptions& options,
                        const ProgressCallback& progress) {
  options.validate();
  const auto cameras =
      turntable(snapshot.points, views, static_cast<double>(options.cell.width) / options.cell.height, options.framing);
  return fill_sheet(views, renderer.character().name, options, progress, [&](int k, std::string& label) {
    label = number(360.0 * k / views, 0) + " deg";
    return renderer.render(snapshot, cameras[k], options.cell);
  });
}

}  // namespace rigspace
