#include "rigspace/io/tet_file.h"

#include "number_reader.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace rigspace {
namespace {

constexpr int kGmshTet = 4;
constexpr std::int64_t kMostNodes = std::int64_t{1} << 29;

/// Points of the elements of Gmsh's types, from its manual (section "MSH file format"); 0: not known.
int points_of_type(std::int64_t type) {
  constexpr std::array<int, 32> kPoints{0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                                        8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56};
  return type > 0 && type < 32 ? kPoints[static_cast<std::size_t>(type)] : 0;
}

/// Gathers points under the numbers that a file gives them, and tetrahedra between those numbers.
class Gathered {
 public:
  explicit Gathered(const NumberReader& in) : in_(in) {}

  void add_point(std::int64_t tag, const Vec3& x) {
    if (!number_.emplace(tag, static_cast<int>(number_.size())).second)
      in_.fail("node " + std::to_string(tag), "is there twice", "numbers of nodes must differ");
    points_.insert(points_.end(), {x[0], x[1], x[2]});
  }
  void add_tet(const std::array<std::int64_t, 4>& tags) { tets_.push_back(tags); }

  TetMesh mesh() const {
    if (number_.size() > static_cast<std::size_t>(kMostNodes)) in_.fail("mesh", "has too many nodes", "at most 2^29");
    TetMesh mesh;
    mesh.points = Eigen::Map<const Vec>(points_.data(), static_cast<Eigen::Index>(points_.size()));
    mesh.tets.reserve(tets_.size());
    for (const auto& tags : tets_) {
      Tet tet;
      for (std::size_t k = 0; k < 4; ++k) {
        const auto found = number_.find(tags[k]);
        if (found == number_.end())
          in_.fail("tetrahedron " + std::to_string(mesh.tets.size()), "has a corner at node " + std::to_string(tags[k]),
                   "there is no such node");
        tet[k] = found->second;
      }
      mesh.tets.push_back(tet);
    }
    return mesh;
  }

 private:
  const NumberReader& in_;
  std::unordered_map<std::int64_t, int> number_;
  std::vector<double> points_;
  std::vector<std::array<std::int64_t, 4>> tets_;
};

class MshReader {
 public:
  MshReader(std::span<const std::byte> bytes, const std::string& name) : in_(bytes, name), gathered_(in_) {}

  TetFile read() {
    bool format = false;
    for (std::string_view section = next_section(); !section.empty(); section = next_section()) {
      if (section == "$MeshFormat") {
        read_format();
        format = true;
      } else if (!format) {
        in_.fail("section " + std::string(section.substr(0, 24)), "comes first", "expected $MeshFormat");
      } else if (section == "$Nodes") {
        version_2_ ? read_nodes_2() : read_nodes_4();
      } else if (section == "$Elements") {
        version_2_ ? read_elements_2() : read_elements_4();
      }
      if (!in_.skip_past("$End" + std::string(section.substr(1))))
        in_.fail("section " + std::string(section.substr(0, 24)), "has no end", "is the file whole?");
    }
    if (!format) in_.fail("$MeshFormat", "is missing", "expected a Gmsh file of version 2.2 or 4.1");
    return {gathered_.mesh(), 0, others_};
  }

 private:
  std::string_view next_section() {
    const std::string_view word = in_.word();
    if (!word.empty() && (word.front() != '$' || word.size() > 60))
      in_.fail("the beginning of a section", "is missing", "expected a word like $Nodes");
    return word;
  }

  void read_format() {
    const std::string version(in_.word().substr(0, 16));
    const std::int64_t is_binary = in_.text_integer("file type"), data_size = in_.text_integer("data size");
    if (version != "2.2" && version != "4.1")
      in_.fail("version", "is " + version, "expected 2.2 or 4.1: `gmsh FILE -save -format msh41` converts");
    if (data_size != 8) in_.fail("data size", "is " + std::to_string(data_size), "expected 8");
    version_2_ = version == "2.2";
    if (is_binary == 0) return;
    in_.next_line();
    in_.binary = true;
    if (in_.integer("byte order mark") != 1) in_.fail("byte order", "is not that of this machine", "save it as text");
  }

  /// A binary section begins after the end of the line of its name.
  void enter_section() {
    if (in_.binary) in_.next_line();
  }
  Vec3 read_position() {
    Vec3 x;
    for (int k = 0; k < 3; ++k) x[k] = in_.real("coordinate");
    return x;
  }

  void read_nodes_2() {
    const std::int64_t count = in_.count(in_.text_integer("number of nodes"), "number of nodes", in_.binary ? 28 : 8);
    enter_section();
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t tag = in_.integer("number of a node");
      gathered_.add_point(tag, read_position());
    }
  }

  void read_nodes_4() {
    enter_section();
    const std::int64_t blocks = in_.count(in_.size("number of blocks"), "number of blocks", 8);
    for (int k = 0; k < 3; ++k) in_.size("number of nodes");
    std::vector<std::int64_t> tags;
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::int64_t dimension = in_.integer("dimension");
      in_.integer("entity");
      const bool parametric = in_.integer("parametric flag") != 0;
      if (dimension < 0 || dimension > 3) in_.fail("dimension", "is " + std::to_string(dimension), "expected 0 to 3");
      const std::int64_t count = in_.count(in_.size("number of nodes"), "number of nodes", in_.binary ? 32 : 8);
      tags.clear();
      for (std::int64_t i = 0; i < count; ++i) tags.push_back(in_.size("number of a node"));
      for (const std::int64_t tag : tags) {
        gathered_.add_point(tag, read_position());
        for (std::int64_t k = 0; parametric && k < dimension; ++k) in_.real("parametric coordinate");
      }
    }
  }

  int points_of(std::int64_t type) const {
    const int points = points_of_type(type);
    if (points == 0) in_.fail("element type", std::to_string(type) + " is not known", "export linear tetrahedra");
    if (type == 11 || type >= 29) in_.fail("mesh", "has tetrahedra of higher order", "export it with linear elements");
    return points;
  }

  void read_element(std::int64_t type, int points, bool wide) {
    std::array<std::int64_t, 4> corners{};
    for (int k = 0; k < points; ++k) {
      const std::int64_t tag = wide ? in_.size("corner") : in_.integer("corner");
      if (k < 4) corners[static_cast<std::size_t>(k)] = tag;
    }
    if (type == kGmshTet)
      gathered_.add_tet(corners);
    else
      ++others_;
  }

  void read_elements_2() {
    const std::int64_t count =
        in_.count(in_.text_integer("number of elements"), "number of elements", in_.binary ? 8 : 6);
    enter_section();
    for (std::int64_t i = 0; i < count;) {
      // Text gives type and number of tags with each element, binary with each run of them.
      if (!in_.binary) in_.integer("number of an element");
      const std::int64_t type = in_.integer("element type");
      const int points = points_of(type);
      const std::int64_t run = in_.binary ? in_.integer("number of elements in a run") : 1;
      if (run < 1 || run > count - i) in_.fail("a run of elements", "has " + std::to_string(run), "expected fewer");
      const std::int64_t tags = in_.integer("number of tags");
      in_.count(tags, "number of tags", in_.binary ? 4 : 2);
      for (std::int64_t k = 0; k < run; ++k) {
        if (in_.binary) in_.integer("number of an element");
        for (std::int64_t tag = 0; tag < tags; ++tag) in_.integer("tag");
        read_element(type, points, false);
      }
      i += run;
    }
  }

  void read_elements_4() {
    enter_section();
    const std::int64_t blocks = in_.count(in_.size("number of blocks"), "number of blocks", 8);
    for (int k = 0; k < 3; ++k) in_.size("number of elements");
    for (std::int64_t b = 0; b < blocks; ++b) {
      in_.integer("dimension");
      in_.integer("entity");
      const std::int64_t type = in_.integer("element type");
      const int points = points_of(type);
      const std::int64_t count = in_.count(in_.size("number of elements"), "number of elements", in_.binary ? 16 : 4);
      for (std::int64_t i = 0; i < count; ++i) {
        in_.size("number of an element");
        read_element(type, points, true);
      }
    }
  }

  NumberReader in_;
  Gathered gathered_;
  bool version_2_ = false;
  int others_ = 0;
};

TetFile read_medit(std::span<const std::byte> bytes, const std::string& name) {
  NumberReader in(bytes, name);
  Gathered gathered(in);
  if (in.word() != "MeshVersionFormatted")
    in.fail("the first word", "is not MeshVersionFormatted", "expected a MEDIT mesh as text");
  in.integer("version");
  std::int64_t points = 0;
  const auto is_word = [](std::string_view text) {
    return !text.empty() &&
           ((text.front() >= 'A' && text.front() <= 'Z') || (text.front() >= 'a' && text.front() <= 'z'));
  };
  for (std::string_view section = in.word(); !section.empty() && section != "End"; section = in.word()) {
    if (section == "Dimension") {
      if (in.integer("dimension") != 3) in.fail("dimension", "is not 3", "expected a mesh in space");
    } else if (section == "Vertices") {
      const std::int64_t count = in.count(in.integer("number of vertices"), "number of vertices", 8);
      for (std::int64_t i = 0; i < count; ++i) {
        Vec3 x;
        for (int k = 0; k < 3; ++k) x[k] = in.real("coordinate");
        gathered.add_point(++points, x);
        in.integer("reference");
      }
    } else if (section == "Tetrahedra") {
      const std::int64_t count = in.count(in.integer("number of tetrahedra"), "number of tetrahedra", 10);
      for (std::int64_t i = 0; i < count; ++i) {
        std::array<std::int64_t, 4> corners;
        for (auto& corner : corners) corner = in.integer("corner");
        gathered.add_tet(corners);
        in.integer("reference");
      }
    } else if (!is_word(section)) {
      in.fail("the beginning of a section", "is missing", "expected a word like Vertices");
    } else {
      while (!in.peek().empty() && !is_word(in.peek())) in.word();
    }
  }
  return {gathered.mesh(), 0, 0};
}

}  // namespace

TetFile read_tets(const std::filesystem::path& path) { return read_tets(read_file(path), path.string()); }

TetFile read_tets(std::span<const std::byte> bytes, const std::string& name) {
  const std::string extension = std::filesystem::path(name).extension().string();
  if (extension != ".msh" && extension != ".mesh")
    throw Error(
        {.file = name, .problem = "is no tetrahedral mesh that can be read", .remedy = "expected .msh or .mesh"});
  TetFile file = extension == ".msh" ? MshReader(bytes, name).read() : read_medit(bytes, name);
  TetMesh& mesh = file.mesh;
  if (mesh.tets.empty())
    throw Error({.file = name, .problem = "has no tetrahedra", .remedy = "is it a mesh of a surface?"});
  const Vec v = volumes(mesh);
  for (int t = 0; t < mesh.tet_count(); ++t)
    if (v[t] < 0) std::swap(mesh.tets[t][2], mesh.tets[t][3]), ++file.turned;
  return file;
}

}  // namespace rigspace
