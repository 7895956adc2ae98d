// An application of one's own, outside apps/physics: a character walks past a bar that hangs too low, and its head
// ducks. An energy on a few points, minimised through the rig for each frame of a clip (ControlSolver), run over all
// clips with progress, checkpoints and a recipe by `jobs`. The result is ordinary curves on the artist's controls.
#include "rigspace/anim/bake.h"
#include "rigspace/base/files.h"
#include "rigspace/base/version.h"
#include "rigspace/body/control_solver.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/jobs/clip_run.h"
#include "rigspace/jobs/recipe_envelope.h"

#include <nlohmann/json.hpp>

#include <cstdio>

using namespace rigspace;

namespace {

/// E = sum over points of  max(0, y - height)^2 / (2 size^2): nothing may be above the bar.
class Bar final : public Energy {
 public:
  Bar(double height, double size) : height_(height), weight_(1 / (size * size)) {}
  double value(const State&, In x) const override {
    double E = 0;
    for (int i = 0; i < x.size() / 3; ++i) E += 0.5 * weight_ * above(x, i) * above(x, i);
    return E;
  }
  void add_gradient(const State&, In x, double w, Vec& g) const override {
    for (int i = 0; i < x.size() / 3; ++i) g[3 * i + 1] += w * weight_ * above(x, i);
  }
  void add_hessian(const State&, In x, double w, HessianMode, BlockSink& sink) const override {
    for (int i = 0; i < x.size() / 3; ++i) {
      if (above(x, i) == 0) continue;
      Mat3 H = Mat3::Zero();
      H(1, 1) = w * weight_;
      sink.add({&i, 1}, H.data());
    }
  }

 private:
  double above(In x, int i) const { return std::max(0.0, x[3 * i + 1] - height_); }
  double height_, weight_;
};

/// The application: how one clip is made, and how it is kept as text.
class Ducking final : public ClipWork {
 public:
  Ducking(const Character& character, std::vector<int> free, std::vector<int> points, double height)
      : character_(character),
        free_(free),
        solver_(character.rig, character.rig->rest(),
                {.points = points, .free = free, .prior = 1e-5, .strengthening = 1}),
        bar_(height, solver_.size()),
        made_(character.clips.size()),
        targets_(points.size()) {
    solver_.add("bar", bar_, 1e3);
  }
  std::size_t count() const override { return made_.size(); }
  std::string name(std::size_t k) const override { return character_.clips[k].name; }
  double duration(std::size_t k) const override { return character_.clips[k].duration; }

  void make(std::size_t k, const ClipCheckpoints&, const ProgressCallback& progress) override {
    const std::vector<double> times = frame_times(duration(k), 24);
    Mat P(static_cast<Eigen::Index>(character_.rig->controls().size()), static_cast<Eigen::Index>(times.size()));
    for (std::size_t f = 0; f < times.size(); ++f) {
      report(progress, "ducking", static_cast<double>(f) / static_cast<double>(times.size()));  // throws Cancelled
      const Vec keyed = pose_at(character_, &character_.clips[k], times[f]);
      solver_.set_prior(keyed);
      solver_.restart(keyed);
      for (std::size_t i = 0; i < targets_.size(); ++i) targets_[i] = solver_.position(static_cast<int>(i));
      solver_.solve(targets_);  // points stay where the artist has them, but below the bar
      P.col(static_cast<Eigen::Index>(f)) = solver_.controls();
    }
    made_[k] = keys_from_poses(character_.rig->controls(), free_, times, P);
    made_[k].name = name(k) + "_ducked";
  }
  std::string finished(std::size_t k) const override { return to_curves_json(curve_file(character_, {&made_[k], 1})); }
  bool restore(std::size_t k, const std::string& text) override {
    made_[k] = parse_curves(text, "partial result").clips.at(0);
    return true;
  }
  const std::vector<Animation>& clips() const { return made_; }

 private:
  const Character& character_;
  std::vector<int> free_;
  ControlSolver solver_;
  Bar bar_;
  std::vector<Animation> made_;
  std::vector<Vec3> targets_;
};

double highest(const Character& character, const Animation& keyed, const Animation* added, double time) {
  Vec p = pose_at(character, &keyed, time), s;
  if (added != nullptr) Sampler(*added, character.rig->controls()).sample(time, p);
  character.rig->evaluate(*character.rig->make_workspace(), p, s);
  return Eigen::Map<const Eigen::Matrix3Xd>(s.data(), 3, s.size() / 3).row(1).maxCoeff();
}

}  // namespace

int main() {
  Character character = make_character("bobbin");
  character.clips.resize(1);
  const Rig& rig = *character.rig;
  std::vector<int> free, points;
  for (const Control& control : rig.controls())
    if (control.unit == Unit::angle && (control.node.starts_with("spine") || control.node.starts_with("neck")))
      free.push_back(rig.find(control.name));
  Vec s;
  rig.evaluate(*rig.make_workspace(), rig.rest(), s);
  const double top = Eigen::Map<const Eigen::Matrix3Xd>(s.data(), 3, s.size() / 3).row(1).maxCoeff();
  for (int i = 0; i < rig.point_count(); i += 7)
    if (s[3 * i + 1] > 0.9 * top) points.push_back(i);

  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "rigspace_example_06";
  std::filesystem::create_directories(folder);
  Ducking work(character, free, points, 0.95 * top);
  run_clips(work, {.partial = folder / "ducked.partial", .key = "bobbin 0.95"});
  write_file(folder / "ducked.rigspace.json", to_curves_json(curve_file(character, work.clips())));
  nlohmann::ordered_json recipe = envelope_json({.version = version(), .format = ".rigspace.json"}, "ducking");
  recipe["height"] = 0.95;
  write_file(folder / "ducked.json", recipe_json_text(recipe));

  const double before = highest(character, character.clips[0], nullptr, 0.3),
               after = highest(character, character.clips[0], &work.clips()[0], 0.3);
  std::printf("highest point %.3f m, ducked %.3f m, the bar at %.3f m\n", before, after, 0.95 * top);
  std::filesystem::remove_all(folder);
  return after < before - 0.2 * (before - 0.95 * top) && after > 0.8 * top ? 0 : 1;
}
