// A mesh a file: cloth_0001.obj, cloth_0002.obj ..

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/io/point_motion.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace rigspace {
namespace {

struct Numbered {
  long number = 0;
  std::filesystem::path path;
};

/// What stands before and behind the number of a name.
std::pair<std::string, std::string> around_number(const std::string& name) {
  if (const std::size_t star = name.find('*'); star != std::string::npos)
    return {name.substr(0, star), name.substr(star + 1)};
  std::size_t end = name.rfind('.');
  const std::string behind = name.substr(end);
  std::size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(name[begin - 1]))) --begin;
  return {name.substr(0, begin), behind};
}

std::vector<Numbered> sequence(const std::filesystem::path& path) {
  const auto [before, behind] = around_number(path.filename().string());
  std::filesystem::path folder = path.parent_path();
  if (folder.empty()) folder = ".";
  std::vector<Numbered> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (name.size() <= before.size() + behind.size() || !name.starts_with(before) || !name.ends_with(behind)) continue;
    const std::string digits = name.substr(before.size(), name.size() - before.size() - behind.size());
    if (!std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c) != 0; }) || digits.size() > 9)
      continue;
    long number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    files.push_back({number, entry.path()});
  }
  std::ranges::sort(files, {}, &Numbered::number);
  if (files.empty())
    throw Error({.file = path.string(),
                 .element = "sequence",
                 .problem = "has no numbered .obj files",
                 .remedy = "name them as cloth_*.obj"});
  return files;
}

std::vector<double> vertices(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<double> values;
  int line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view row = text.substr(at, end - at);
    at = end + 1;
    if (!row.starts_with("v ") && !row.starts_with("v\t")) continue;
    const char* from = row.data() + 1;
    for (int k = 0; k < 3; ++k) {
      while (from < row.data() + row.size() && (*from == ' ' || *from == '\t')) ++from;
      double value = 0;
      const auto [next, error] = std::from_chars(from, row.data() + row.size(), value);
      if (error != std::errc())
        throw Error({.file = path.string() + ':' + std::to_string(line),
                     .element = "vertex",
                     .value = std::string(row.substr(0, 40)),
                     .problem = "has no three numbers",
                     .remedy = "export it again"});
      values.push_back(value), from = next;
    }
  }
  return values;
}

}  // namespace

PointMotion read_obj_sequence(const std::filesystem::path& path, double fps) {
  const std::vector<Numbered> files = sequence(path);
  PointMotion motion;
  motion.name = around_number(path.filename().string()).first;
  while (!motion.name.empty() && std::ispunct(static_cast<unsigned char>(motion.name.back()))) motion.name.pop_back();
  for (std::size_t k = 0; k < files.size(); ++k) {
    const std::vector<double> values = vertices(files[k].path);
    if (k == 0) motion.X.resize(static_cast<Eigen::Index>(values.size()), static_cast<Eigen::Index>(files.size()));
    if (static_cast<Eigen::Index>(values.size()) != motion.X.rows())
      throw Error({.file = files[k].path.string(),
                   .element = "mesh",
                   .value = std::to_string(values.size() / 3),
                   .problem = "has " + std::to_string(values.size() / 3) +
                              " vertices, where the first of the sequence has " + std::to_string(motion.X.rows() / 3),
                   .remedy = "export all frames of one mesh"});
    motion.X.col(static_cast<Eigen::Index>(k)) =
        Eigen::Map<const Vec>(values.data(), static_cast<Eigen::Index>(values.size()));
    motion.times.push_back(static_cast<double>(files[k].number) / fps);
  }
  return motion;
}

}  // namespace rigspace
