#include "rigspace/io/tet_file.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "support/assets.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <random>

namespace rigspace::tet_file_test {
namespace {

/// A box of 3 x 2 x 2 cells, six tetrahedra each, at uneven places.
TetMesh small_body() {
  const int n[3] = {3, 2, 2};
  TetMesh mesh;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> shift(-0.1, 0.1);
  const auto at = [&](int x, int y, int z) { return (z * (n[1] + 1) + y) * (n[0] + 1) + x; };
  mesh.points.resize(3 * (n[0] + 1) * (n[1] + 1) * (n[2] + 1));
  for (int z = 0; z <= n[2]; ++z)
    for (int y = 0; y <= n[1]; ++y)
      for (int x = 0; x <= n[0]; ++x)
        point(mesh.points, at(x, y, z)) = Vec3(x + shift(random), y + shift(random), z + shift(random));
  const int paths[6][2] = {{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}};
  for (int z = 0; z < n[2]; ++z)
    for (int y = 0; y < n[1]; ++y)
      for (int x = 0; x < n[0]; ++x)
        for (const auto& path : paths) {
          const auto corner = [&](int c) { return at(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2 & 1)); };
          Tet t{corner(0), corner(path[0]), corner(path[1]), corner(7)};
          if (tet_volume(point(mesh.points, t[0]), point(mesh.points, t[1]), point(mesh.points, t[2]),
                         point(mesh.points, t[3])) < 0)
            std::swap(t[1], t[2]);
          mesh.tets.push_back(t);
        }
  return mesh;
}

TetFile read(const std::string& text, const std::string& name) {
  return read_tets(std::as_bytes(std::span(text.data(), text.size())), name);
}

std::string refusal(const std::string& text, const std::string& name) {
  try {
    read(text, name);
  } catch (const Error& error) {
    EXPECT_FALSE(error.info().remedy.empty()) << error.what();
    return error.what();
  }
  return "";
}

/// Every form that is written, with a name of its extension.
std::vector<std::pair<std::string, std::string>> all_forms(const TetMesh& mesh) {
  return {{to_msh(mesh), "a.msh"},
          {to_msh(mesh, {.binary = true}), "b.msh"},
          {to_msh(mesh, {.version_2 = true}), "c.msh"},
          {to_msh(mesh, {.version_2 = true, .binary = true}), "d.msh"},
          {to_medit(mesh), "e.mesh"}};
}

TEST(TetFile, RoundTripsToTheBit) {
  const TetMesh mesh = small_body();
  for (const auto& [text, name] : all_forms(mesh)) {
    const TetFile file = read(text, name);
    EXPECT_TRUE(file.mesh.points == mesh.points) << name;
    EXPECT_TRUE(file.mesh.tets == mesh.tets) << name;
    EXPECT_EQ(file.turned, 0) << name;
  }
}

TEST(TetFile, IsWrittenByItsExtension) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir());
  const TetMesh mesh = small_body();
  for (const char* name : {"rigspace_body.msh", "rigspace_body.mesh"}) {
    write_tets(folder / name, mesh);
    EXPECT_TRUE(read_tets(folder / name).mesh.tets == mesh.tets);
    std::filesystem::remove(folder / name);
  }
  EXPECT_THROW(write_tets(folder / "body.xyz", mesh), Error);
}

TEST(TetFile, NodesMayBeNumberedAnyhowAndSectionsBePassedOver) {
  const TetFile file = read(
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"body\"\n$EndPhysicalNames\n"
      "$Nodes\n4\n70 0 0 0\n9 1 0 0\n1000000007 0 +1 0\n5 0 0 1e0\n$EndNodes\n"
      "$Elements\n2\n1 2 2 0 1 70 9 5\n2 4 3 0 1 2 70 9 1000000007 5\n$EndElements\n",
      "x.msh");
  EXPECT_EQ(file.mesh.tets, (std::vector<Tet>{{0, 1, 2, 3}}));
  EXPECT_EQ(file.other_elements, 1);
}

TEST(TetFile, TetrahedraInsideOutAreTurned) {
  const TetFile file = read(
      "MeshVersionFormatted 1\n# comment\nDimension 3\nVertices 4\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\n"
      "Corners 2\n1 2\nTetrahedra\n1\n1 3 2 4 0\nEnd\n",
      "x.mesh");
  EXPECT_EQ(file.turned, 1);
  EXPECT_GT(volume(file.mesh), 0);
}

TEST(TetFile, WrongFilesGetOneClearSentence) {
  const std::string good = to_msh(small_body(), {.version_2 = true});
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  EXPECT_EQ(refusal(changed("2.2 0 8", "1.0 0 8"), "a.msh"),
            "a.msh:2: version is 1.0; expected 2.2 or 4.1: `gmsh FILE -save -format msh41` converts");
  EXPECT_EQ(refusal(changed("$Nodes\n36", "$Nodes\n3600000"), "a.msh"),
            "a.msh:5: number of nodes is 3600000; there is not as much in the file");
  EXPECT_EQ(refusal(changed("$Nodes\n36\n1 ", "$Nodes\n36\n1 x"), "a.msh").substr(0, 23), "a.msh:6: coordinate is ");
  EXPECT_NE(refusal(changed(" 4 2 1 1", " 4 2 1 1 99"), "a.msh").find("99"), std::string::npos);
  EXPECT_NE(refusal(changed(" 4 2 1 1", " 11 2 1 1"), "a.msh").find("higher order"), std::string::npos);
  EXPECT_NE(refusal(good.substr(0, good.size() / 2), "a.msh").find("is it whole"), std::string::npos);
  EXPECT_NE(refusal("", "a.msh").find("$MeshFormat"), std::string::npos);
  EXPECT_NE(refusal("", "a.mesh").find("MeshVersionFormatted"), std::string::npos);
  EXPECT_NE(refusal(good, "a.obj").find("expected .msh or .mesh"), std::string::npos);
  EXPECT_NE(refusal("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n", "a.msh").find("has no tetrahedra"), std::string::npos);
}

// Bytes changed, numbers replaced, ends cut off: a valid mesh or an Error, never anything else. RIGSPACE_FUZZ sets how
// many (default 200).
TEST(TetFile, MutatedFilesAreReadOrRefused) {
  const char* text_count = std::getenv("RIGSPACE_FUZZ");
  const int count = text_count ? std::atoi(text_count) : 200;
  const auto forms = all_forms(small_body());
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  int refused = 0;
  for (int k = 0; k < count; ++k) {
    auto [text, name] = forms[static_cast<std::size_t>(k) % forms.size()];
    const std::size_t header = std::min<std::size_t>(text.size(), 200);
    switch (below(4)) {
      case 0:
        for (std::size_t i = below(4) + 1; i-- > 0;) text[below(text.size())] = static_cast<char>(below(256));
        break;
      case 1: text[below(header)] = static_cast<char>(below(256)); break;
      case 2: text.resize(below(text.size())); break;
      default: {
        const char* values[] = {"-1", "99999999999", "nan", "1e400", "0", "$Nodes", ""};
        text.replace(below(text.size()), below(6), values[below(7)]);
      }
    }
    try {
      const TetFile file = read(text, name);
      file.mesh.validate("mutated mesh");
    } catch (const Error& error) {
      ++refused;
      EXPECT_FALSE(error.info().problem.empty());
      EXPECT_FALSE(error.info().remedy.empty());
    }
  }
  EXPECT_GT(refused, count / 4);  // the mutations reach the checks
}

TEST(TetFileAssets, DolphinIsReadAsItIs) {
  RIGSPACE_ASSET_OR_SKIP(path, "polyfem_dolphin/dolphin.msh");
  const TetFile file = read_tets(path);
  EXPECT_EQ(file.mesh.point_count(), 8111);
  EXPECT_EQ(file.mesh.tet_count(), 36304);
  EXPECT_EQ(boundary_triangles(file.mesh).size(), 10000u);
  EXPECT_EQ(quality(file.mesh).inverted, 0);
}

TEST(TetFileAssets, FishAndSphereAreReadAsTheyAre) {
  RIGSPACE_ASSET_OR_SKIP(fish, "cd_fish/fish.mesh");
  RIGSPACE_ASSET_OR_SKIP(sphere, "cd_sphere/sphere.mesh");
  const TetFile of_fish = read_tets(fish), of_sphere = read_tets(sphere);
  EXPECT_EQ(of_fish.mesh.point_count(), 6142);
  EXPECT_EQ(of_fish.mesh.tet_count(), 21708);
  EXPECT_EQ(of_sphere.mesh.point_count(), 67);
  EXPECT_EQ(of_sphere.mesh.tet_count(), 181);
  EXPECT_EQ(boundary_triangles(of_sphere.mesh).size(), 112u);
  EXPECT_EQ(connected_components(of_fish.mesh).tets.size(), 1u);
}

}  // namespace
}  // namespace rigspace::tet_file_test
