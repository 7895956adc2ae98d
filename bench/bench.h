#pragma once
// Speed, measured as ratios within one run: machines are shared and their absolute times drift. A new suite is a file
// with a function that returns rows, and a line in suites().

#include "rigspace/base/progress.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace::bench {

/// Wall-clock seconds of one call, over repeats.
struct Timing {
  double min = 0, median = 0;
  int n = 0;
};

/// Calls `body` at least five times and for about `seconds` in all.
Timing measure(double seconds, const std::function<void()>& body);

/// A published figure to compare with.
struct Paper {
  std::string source;
  double value;
};

struct Row {
  std::string scene, method;
  nlohmann::ordered_json metrics;  ///< unit in each metric's name; Timing via timing_json
  std::optional<Paper> paper;
  std::string required;  ///< the bar, in words: "at least 200e6 vertices_per_second"; empty: none
  bool ok = true;        ///< whether the bar was met in this run
};

/// Of the program: 4 if a bar was missed, else 0. Rows are written in either case.
inline int exit_status(std::span<const Row> rows) {
  return std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.ok; }) ? 0 : 4;
}

struct BenchOptions {
  double seconds = 0.5;  ///< per figure
  bool quick = false;    ///< smaller scenes where a suite has them
  std::string only;      ///< scenes with this in their names; suites that take long make no others
  ProgressCallback progress;
};

inline bool wanted(const BenchOptions& options, std::string_view scene) {
  return scene.find(options.only) != std::string_view::npos;
}

struct Suite {
  std::string_view name, description;
  std::vector<Row> (*run)(const BenchOptions&);
};

std::span<const Suite> suites();

nlohmann::ordered_json timing_json(const Timing&);
/// The cpu, instruction set, threads, solver; matrix product and copy rates of this very run.
nlohmann::ordered_json machine_json();

std::vector<Row> bench_rigs(const BenchOptions&);
std::vector<Row> bench_step(const BenchOptions&);
std::vector<Row> bench_mesh(const BenchOptions&);
std::vector<Row> bench_rsp(const BenchOptions&);
/// The rows of RSP figures 1, 5 and 7.
void add_rsp_figures(const BenchOptions&, std::vector<Row>&);
std::vector<Row> bench_fast(const BenchOptions&);
std::vector<Row> bench_realtime(const BenchOptions&);
std::vector<Row> bench_blender(const BenchOptions&);
std::vector<Row> bench_sketch(const BenchOptions&);
/// The row of table 5.1's face in Blender; none, and one line, where Blender is absent.
void add_face_in_blender(const BenchOptions&, std::vector<Row>&);
std::vector<Row> bench_sketch_accuracy(const BenchOptions&);
std::vector<Row> bench_inverse(const BenchOptions&);
std::vector<Row> bench_cloth(const BenchOptions&);
/// The rows of table 6.1: a sweater in few directions.
void add_cloth_subspace(const BenchOptions&, std::vector<Row>&);
std::vector<Row> bench_forces(const BenchOptions&);
std::vector<Row> bench_weights(const BenchOptions&);
std::vector<Row> bench_reach(const BenchOptions&);

}  // namespace rigspace::bench
