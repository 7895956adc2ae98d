#include "rigspace/io/npz_file.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace rigspace::npz_file_test {
namespace {

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

NpzFile example() {
  NpzFile file;
  Mat J(2, 3);
  J << 1, 2, 3, 4, 5, 6;
  file.add("J", J);
  file.add_vector("mass", Vec::LinSpaced(4, 0, 3));
  file.add_points("points", Vec::LinSpaced(6, 0, 5));
  const std::vector<int> tets = {0, 1, 2, 3, 1, 2, 3, 4};
  file.add_integers("tets", tets, 4);
  const std::vector<std::string> names = {"tail.rx", "b\xc3\xa4r"};
  file.add_names("controls", names);
  return file;
}

TEST(NpzFile, HoldsRowsInCOrder) {
  const std::string text = text_of(example().bytes());
  const std::size_t header = text.find("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, ), }");
  ASSERT_NE(header, std::string::npos);
  double values[6];
  std::memcpy(values, text.data() + text.find('\n', header) + 1, sizeof values);
  for (int k = 0; k < 6; ++k) EXPECT_EQ(values[k], k + 1);
}

TEST(NpzFile, IsTheSameForTheSameArrays) { EXPECT_EQ(example().bytes(), example().bytes()); }

TEST(NpzFile, RefusesANameTwice) {
  NpzFile file = example();
  EXPECT_THROW(file.add_vector("mass", Vec::Zero(1)), Error);
}

// Python's own zip reader checks headers, sizes and checksums of every member, and is always there where Python is.
TEST(NpzFile, IsAZipThatOthersAccept) {
  const auto path = std::filesystem::temp_directory_path() / ("rigspace_npz_" + std::to_string(getpid()) + ".npz");
  example().write(path);
  const std::string check =
      "python3 -c \"import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); "
      "sys.exit(0 if z.testzip() is None and z.namelist() == "
      "['J.npy', 'mass.npy', 'points.npy', 'tets.npy', 'controls.npy'] else 7)\" '" +
      path.string() + "' 2>/dev/null";
  const int python = std::system("python3 -c pass 2>/dev/null");
  const int result = python == 0 ? std::system(check.c_str()) : 0;
  std::filesystem::remove(path);
  if (python != 0) GTEST_SKIP() << "there is no python3";
  EXPECT_EQ(result, 0);
}

}  // namespace
}  // namespace rigspace::npz_file_test
