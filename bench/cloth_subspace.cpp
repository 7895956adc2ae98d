// Table 6.1 of the Thesis: a sweater over motions, in full space and in few directions, on motions that the database
// was trained on and on others; and what the choice of directions is worth (figures 6.5 and 6.6).

#include "bench.h"
#include "cloth_quality.h"

#include "rigspace/apps/clothing/dressed_character.h"
#include "rigspace/base/parallel.h"
#include "rigspace/cast/garments.h"
#include "rigspace/geometry/triangle_overlap.h"

#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <map>

namespace rigspace::bench {
namespace cloth_table {

constexpr double kQuickSeconds = 2;          // of each motion
constexpr double kRate = 24, kTorso = 0.55;  // m: the mannequin from crotch to neck

/// Processor seconds: the machine may be busy with other things.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Motion {
  std::string clip;
  double seconds = 0;  // how much of it is played
  bool trained = true;
  double full_s = 0, total_s = 0, contact_s = 0;  // Thesis, a frame
};

// Thesis, table 6.1: full space and optimised subspace, seconds a frame, and collisions.
const Motion kMotions[] = {{"Lean Back", 2.4, true, 12.68, 0.82, 0.48}, {"Lean Forward", 2.4, true, 12.59, 1.07, 0.46},
                           {"Twist", 3.4, true, 13.20, 0.71, 0.47},     {"Plane", 6, true, 12.41, 0.90, 0.47},
                           {"Arms Up", 5, true, 16.32, 0.92, 0.45},     {"Arms Down", 5, true, 12.95, 0.89, 0.40},
                           {"Arms Bend", 5.8, true, 14.09, 0.63, 0.41}, {"Yo", 4.68, false, 0, 0.86, 0.39},
                           {"Gym", 18.8, false, 0, 0.82, 0.42}};

struct Run {
  ClothMotion motion;
  double seconds = 0;  // a frame, all of it
};

class Wardrobe {
 public:
  Wardrobe(int vertices, const BenchOptions& options)
      : options_(options),
        garment_(make_garment("sweater", {.vertices = vertices})),
        character_(make_dressed_mannequin(std::span(&garment_, 1))),
        dressed_(character_, garment_.name, {.unit = 1}),
        folds_(dressed_.garment().mesh) {}

  const DressedCharacter& dressed() const { return dressed_; }

  const Animation& clip(const std::string& name) const {
    return *std::find_if(character_.clips.begin(), character_.clips.end(),
                         [&](const Animation& each) { return each.name == name; });
  }

  Run run(const std::string& name, double seconds, std::shared_ptr<const PoseSpaceDatabase> database = {},
          const SubspaceOptions& how = {}) const {
    Run result;
    const double begin = processor_seconds();
    result.motion =
        dressed_.simulate(&clip(name), {.start = 0, .end = seconds, .rate = kRate}, {}, std::move(database), how);
    // The lead is simulated too: it counts as so many frames.
    const double frames = static_cast<double>(result.motion.frames.size()) - 1 + dressed_.options().lead * kRate;
    result.seconds = (processor_seconds() - begin) / frames;
    return result;
  }

  /// Per frame, of a run in few directions.
  double solve_seconds(const Run& run) const { return run.motion.report.solve_seconds / frames(run); }
  double contact_seconds(const Run& run) const { return run.motion.report.contact_seconds / frames(run); }
  double frames(const Run& run) const {
    return static_cast<double>(run.motion.frames.size()) - 1 + dressed_.options().lead * kRate;
  }

  /// Distances to full space, stretch, folds and crossings; whether all are as good as is asked for.
  bool judge(Row& row, const std::string& name, const Run& run, const Run& full) const {
    ClothReduction skin = dressed_.reduction(&clip(name), 0);
    const ClothBody body = dressed_.body(&clip(name), 0);
    const TriMesh rest{dressed_.garment().rest, dressed_.garment().mesh.triangles};
    std::vector<Affine> C;
    Vec skinned, surface;
    double distance = 0, without = 0, largest = 0, largest_full = 0, most = 0, most_full = 0;
    std::array<double, kOctaves> folds{}, folds_full{};
    int crossings = 0;
    const std::size_t count = run.motion.frames.size();
    for (std::size_t k = 0; k < count; ++k) {
      const Vec &x = run.motion.frames[k], &wanted = full.motion.frames[k];
      skin.joints(run.motion.times[k], C);
      skin.reference.set_pose(C);
      skin.reference.transform(skin.reference.rest(), skinned);
      distance += mean_distance(x, wanted) / double(count), without += mean_distance(skinned, wanted) / double(count);
      const EdgeStretch stretch = edge_stretch(rest, x), stretch_full = edge_stretch(rest, wanted);
      largest = std::max(largest, stretch.largest), largest_full = std::max(largest_full, stretch_full.largest);
      most += stretch.thousandth / double(count), most_full += stretch_full.thousandth / double(count);
      const auto spectrum = folds_.of(x), spectrum_full = folds_.of(wanted);
      for (std::size_t o = 0; o < kOctaves; ++o) folds[o] += spectrum[o], folds_full[o] += spectrum_full[o];
      body.points(run.motion.times[k], surface);
      const TriMesh cloth{x, rest.triangles};
      crossings += count_crossings(cloth, {surface, body.mesh.triangles}).crossing() + self_crossings(cloth).crossing();
    }
    row.metrics["mean_distance_mm"] = 1e3 * distance;
    row.metrics["skinned_mean_distance_mm"] = 1e3 * without;
    row.metrics["share_of_skinned"] = distance / without;
    row.metrics["largest_stretch_percent"] = 100 * largest;
    row.metrics["largest_stretch_full_percent"] = 100 * largest_full;
    row.metrics["thousandth_stretch_percent"] = 100 * most;
    row.metrics["thousandth_stretch_full_percent"] = 100 * most_full;
    bool alike = true;
    for (std::size_t o = 0; o < kOctaves; ++o) {
      const double ratio = folds[o] / folds_full[o];
      row.metrics[fmt::format("folds_octave_{}_of_full", o + 1)] = ratio;
      alike = alike && ratio >= 0.5 && ratio <= 2;
    }
    row.metrics["crossings_of_all_frames"] = crossings;
    return distance <= 0.5 * without && distance < 0.01 * kTorso && most <= 1.5 * most_full + 0.01 && alike &&
           crossings == 0;
  }

  /// What the runs in full space say, by pose.
  std::shared_ptr<const PoseSpaceDatabase> learn(const std::map<std::string, Run>& runs,
                                                 const DatabaseOptions& how) const {
    std::vector<TrainedClip> clips;
    for (const auto& [name, run] : runs)
      clips.push_back({&clip(name), static_cast<int>(run.motion.frames.size()), [&run](int frame, Vec& x) {
                         x = run.motion.frames[static_cast<std::size_t>(frame)];
                         return run.motion.times[static_cast<std::size_t>(frame)];
                       }});
    return std::make_shared<PoseSpaceDatabase>(make_cloth_database(dressed_, clips, {.fps = kRate, .database = how}));
  }

 private:
  const BenchOptions& options_;
  CastGarment garment_;
  Character character_;
  DressedCharacter dressed_;
  FoldSpectrum folds_;
};

constexpr const char* kQuality =
    "at most half of the skinned reference's distance, 1 % of the torso; stretch and folds as in full space; no "
    "crossing";

/// One row of a run in few directions against full space.
Row row_of(const Wardrobe& wardrobe, const std::string& scene, const Motion& motion, const std::string& method,
           const Run& run, const Run& full, bool required) {
  Row row{.scene = scene, .method = method};
  const double solve = wardrobe.solve_seconds(run), contact = wardrobe.contact_seconds(run);
  row.metrics["seconds_per_frame"] = run.seconds;
  row.metrics["collision_seconds_per_frame"] = contact;
  row.metrics["solve_seconds_per_frame"] = solve;
  row.metrics["times_faster"] = full.seconds / run.seconds;
  row.metrics["times_faster_solve_alone"] = std::max(0.0, full.seconds - contact) / solve;
  const SubspaceReport& report = run.motion.report.subspace;
  row.metrics["iterations_per_solve"] = static_cast<double>(report.iterations) / report.solves;
  row.metrics["hessians_per_solve"] = static_cast<double>(report.hessians) / report.solves;
  const bool good = wardrobe.judge(row, motion.clip, run, full);
  if (required) row.required = kQuality, row.ok = good;
  if (motion.full_s > 0) row.paper = Paper{"Thesis, table 6.1: total speed-up", motion.full_s / motion.total_s};
  return row;
}

void add_ablations(const Wardrobe& wardrobe, const std::string& scene, const Motion& motion,
                   const std::map<std::string, Run>& trained, const Run& full, bool quick, std::vector<Row>& rows) {
  constexpr double kSeconds = 1;
  const auto add = [&](const std::string& method, const SubspaceOptions& how, const DatabaseOptions& learned = {}) {
    const Run run = wardrobe.run(motion.clip, kSeconds, wardrobe.learn(trained, learned), how);
    rows.push_back(row_of(wardrobe, scene, motion, method, run, full, false));
  };
  add("as printed: gradient, undo", {.smoothing = 1});
  add("gradient alone", {.basis = {.size = 0, .undo = false}, .smoothing = 1});
  add("fixed 100 vectors", {.basis = {.size = 100, .adaptive = false}, .smoothing = 1});
  if (quick) return;
  add("without the gradient", {.smoothing = 0});
  for (const int size : {6, 40}) add(fmt::format("{} vectors", size), {.basis = {.size = size}});
  for (const double threshold : {0.1, 0.001})
    add(fmt::format("PCA threshold {}", threshold), {}, {.threshold = threshold, .most_vectors = 40});
  add("no vectors, 8 steps of conjugate gradients", {.basis = {.size = 0, .undo = false}, .smoothing = 8});
}

void add_rows(const BenchOptions& options, std::vector<Row>& rows) {
  const int vertices = options.quick ? 1500 : 5000;
  const std::string garment = fmt::format("sweater of {}", vertices);
  if (!wanted(options, garment) && options.only.find(garment) == std::string::npos) return;
  const ThreadCountScope one(1);
  const Wardrobe wardrobe(vertices, options);
  std::map<std::string, Run> full;
  std::map<std::string, Run> trained;
  std::vector<Motion> motions;
  for (const Motion& each : kMotions) {
    motions.push_back(each);
    double& seconds = motions.back().seconds;
    if (options.quick || !each.trained) seconds = std::min(seconds, options.quick ? kQuickSeconds : 4.0);
  }
  for (const Motion& each : motions) {
    report(options.progress, garment + ": full space, " + each.clip, full.size() / double(motions.size()));
    full[each.clip] = wardrobe.run(each.clip, each.seconds);
    if (each.trained) trained[each.clip] = full[each.clip];
  }
  const DatabaseOptions learned{.sites = static_cast<int>(std::lround(2.5 * double(trained.size())))};
  const auto database = wardrobe.learn(trained, learned);
  for (const Motion& each : motions) {
    const std::string scene = garment + ": " + each.clip + (each.trained ? "" : " (not trained)");
    report(options.progress, scene, 1);
    Row row{.scene = scene, .method = "full space"};
    row.metrics["seconds_per_frame"] = full[each.clip].seconds;
    if (each.full_s > 0) row.paper = Paper{"Thesis, table 6.1: seconds a frame at 29 510 vertices", each.full_s};
    rows.push_back(std::move(row));
    if (!options.quick || &each == motions.data()) {
      const Run naive = wardrobe.run(each.clip, each.seconds, database, {.keep_hessian = false});
      rows.push_back(row_of(wardrobe, scene, each, "naive subspace", naive, full[each.clip], false));
    }
    const Run fast = wardrobe.run(each.clip, each.seconds, database);
    rows.push_back(row_of(wardrobe, scene, each, "optimised subspace", fast, full[each.clip], each.trained));
  }
  add_ablations(wardrobe, garment + ": " + motions.front().clip, motions.front(), trained, full[motions.front().clip],
                options.quick, rows);
}

}  // namespace cloth_table

void add_cloth_subspace(const BenchOptions& options, std::vector<Row>& rows) { cloth_table::add_rows(options, rows); }

}  // namespace rigspace::bench
