#include "research.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/io/npz_file.h"

#include <fmt/format.h>

namespace rigspace {
namespace {

void require_ending(const std::filesystem::path& path, const char* option, const char* ending) {
  if (path.empty() || path.extension() == ending) return;
  throw Error({.code = ErrorCode::usage,
               .file = path.string(),
               .element = option,
               .value = path.extension().string(),
               .problem = "cannot be written as such",
               .remedy = fmt::format("name a {} file", ending)});
}

std::string csv_of(const std::vector<PaperStep>& steps) {
  std::string text = "time_s,iterations,rig_evaluations,gradient_n,residual,halvings,converged\n";
  for (const PaperStep& step : steps)
    text += fmt::format("{},{},{},{},{},{},{}\n", step.time, step.iterations, step.rig_evaluations, step.gradient,
                        step.residual, step.halvings, step.converged ? 1 : 0);
  return text;
}

NpzFile arrays_of(const PaperRun& run) {
  NpzFile file;
  std::vector<std::string> names;
  for (const int control : run.free) names.push_back(run.body.rig->controls()[static_cast<std::size_t>(control)].name);
  file.add_names("control_names", names);
  const auto& times = run.motion.times;
  file.add_vector("times", Eigen::Map<const Vec>(times.data(), static_cast<Eigen::Index>(times.size())));
  file.add("controls", run.controls);
  file.add("deviation", run.motion.deviation);
  file.add("nodes", run.nodes);
  file.add_points("rest_nodes", run.body.mesh.points);
  std::vector<int> tets, skin;
  for (const Tet& tet : run.body.mesh.tets) tets.insert(tets.end(), tet.begin(), tet.end());
  for (int i = 0; i < run.body.node_count(); ++i)
    if (run.body.skin[static_cast<std::size_t>(i)]) skin.push_back(i);
  file.add_integers("tets", tets, 4);
  file.add_integers("skin_nodes", skin);
  file.add("jacobian", run.J);
  file.add_vector("masses", run.masses);
  // B of b = B s, row-compressed over all nodes.
  file.add_integers("carry_start", run.body.ties.start);
  file.add_integers("carry_point", run.body.ties.point);
  file.add_vector("carry_weight", Eigen::Map<const Vec>(run.body.ties.weight.data(),
                                                        static_cast<Eigen::Index>(run.body.ties.weight.size())));
  return file;
}

}  // namespace

void require_endings(const ResearchFiles& files) {
  require_ending(files.report, "--report", ".csv");
  require_ending(files.dump, "--dump", ".npz");
}

void write_research(const ResearchFiles& files, const PaperRun& run) {
  if (!files.report.empty()) write_file(files.report, csv_of(run.steps));
  if (!files.dump.empty()) arrays_of(run).write(files.dump);
}

}  // namespace rigspace
