// Landmarks by name in a table.

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/io/point_motion.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace rigspace {
namespace {

std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : row) {
    if (c == '"')
      quoted = !quoted;
    else if ((c == ',' || c == ';') && !quoted)
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  }
  for (std::string& cell : cells) {
    while (!cell.empty() && cell.front() == ' ') cell.erase(cell.begin());
    while (!cell.empty() && cell.back() == ' ') cell.pop_back();
  }
  return cells;
}

struct Table {
  const std::filesystem::path& path;
  int line = 0;

  [[noreturn]] void refuse(const std::string& element, const std::string& value, const std::string& problem) const {
    throw Error({.file = path.string() + ':' + std::to_string(line),
                 .element = element,
                 .value = value,
                 .problem = problem,
                 .remedy = "expected columns time, then name.x, name.y, name.z of each landmark; or time,name,x,y,z"});
  }
  double number(const std::string& cell, const std::string& column) const {
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size())
      refuse("column \"" + column + "\"", cell, "has \"" + cell + "\", which is no number");
    return value;
  }
};

}  // namespace

PointMotion read_landmarks(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  Table table{path};
  std::vector<std::string> head;
  std::map<std::string, std::size_t> row_of;  // name to landmark
  PointMotion motion;
  std::vector<std::vector<std::optional<double>>> frames;
  bool by_line = false;
  std::vector<int> row_of_column;  // into a frame; -1: none
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::vector<std::string> cells = cells_of(std::string_view(text).substr(at, end - at));
    at = end + 1, ++table.line;
    if (cells.size() == 1 && cells[0].empty()) continue;
    const auto landmark = [&](const std::string& name) {
      const auto [place, is_new] = row_of.emplace(name, motion.names.size());
      if (is_new) motion.names.push_back(name);
      return place->second;
    };
    if (head.empty()) {
      head = cells;
      if (head[0] != "time" || head.size() < 4) table.refuse("first column", head[0], "is no table of landmarks");
      by_line = head.size() == 5 && head[1] == "name";
      for (std::size_t c = 1; c < head.size() && !by_line; ++c) {
        const std::string& name = head[c];
        const std::size_t axis = name.size() > 2 ? std::string_view("xyz").find(name.back()) : std::string_view::npos;
        if (axis == std::string_view::npos || (name[name.size() - 2] != '.' && name[name.size() - 2] != '_'))
          table.refuse("column \"" + name + "\"", name, "is no coordinate of a landmark");
        row_of_column.push_back(static_cast<int>(3 * landmark(name.substr(0, name.size() - 2)) + axis));
      }
      continue;
    }
    if (cells.size() != head.size())
      table.refuse("line", std::to_string(cells.size()),
                   "has " + std::to_string(cells.size()) + " cells, the first line has " + std::to_string(head.size()));
    const double time = table.number(cells[0], "time");
    if (motion.times.empty() || time != motion.times.back() || !by_line)
      motion.times.push_back(time), frames.emplace_back();
    auto& frame = frames.back();
    const auto set = [&](std::size_t row, double value) {
      if (frame.size() <= row) frame.resize(row + 1);
      frame[row] = value;
    };
    if (by_line)
      for (std::size_t k = 0; k < 3; ++k) set(3 * landmark(cells[1]) + k, table.number(cells[2 + k], head[2 + k]));
    else
      for (std::size_t c = 1; c < cells.size(); ++c)
        set(static_cast<std::size_t>(row_of_column[c - 1]), table.number(cells[c], head[c]));
  }
  motion.X.resize(static_cast<Eigen::Index>(3 * motion.names.size()), static_cast<Eigen::Index>(frames.size()));
  for (std::size_t k = 0; k < frames.size(); ++k)
    for (std::size_t i = 0; i < 3 * motion.names.size(); ++i) {
      if (i >= frames[k].size() || !frames[k][i])
        throw Error({.file = path.string(),
                     .element = "landmark \"" + motion.names[i / 3] + "\"",
                     .value = std::to_string(motion.times[k]),
                     .problem = "is missing at time " + std::to_string(motion.times[k]),
                     .remedy = "give all landmarks in all frames"});
      motion.X(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = *frames[k][i];
    }
  return motion;
}

}  // namespace rigspace
