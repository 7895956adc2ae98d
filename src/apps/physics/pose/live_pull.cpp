#include "rigspace/apps/physics/live_pull.h"

#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace rigspace {
namespace {

constexpr double kCellShare = 0.05;
constexpr int kNodes = 450;          // of a stout body, about
constexpr double kTolerance = 1e-3;  // relative force out of balance: far below what `settled` leaves
constexpr double kStiffening = 10;

PoserOptions poser_options(const LivePullOptions& options) {
  return {.strength = options.strength,
          .stiffening = kStiffening,
          .reach = options.reach,
          .keep_limits = options.keep_limits,
          .tolerance = kTolerance,
          .settled = options.settled,
          .max_iterations = options.iterations,
          .curved = false,
          .max_halvings = 0,
          .longest_walk = options.longest_walk,
          .step = options.time_step,
          .material = options.material,
          .mass_damping = options.mass_damping,
          .metres_per_unit = options.metres_per_unit};
}

}  // namespace

void LivePullOptions::validate() const {
  require_option(iterations >= 1, "iterations of a call", iterations, "expected at least 1");
  require_option(max_steps >= 1, "steps of a call", max_steps, "expected at least 1");
  require_option(time_step > 0 && time_step <= 0.1, "time step", time_step, "expected seconds above 0, up to 0.1");
  require_option(settled >= 0 && settled < 1, "settled", settled, "expected a share of the size below 1");
  poser_options(*this).validate();
}

struct LivePull::Data {
  Data(const Character& character, const LivePullOptions& asked, const ProgressCallback& progress)
      : options(asked),
        body(character, {.cell = asked.cell, .share = kCellShare, .nodes = kNodes, .use_cache = asked.use_cache},
             progress) {}

  Poser& posing() const {
    require_pull(poser != nullptr);
    return *poser;
  }
  void require_pull(bool there) const {
    if (there) return;
    throw Error({.code = ErrorCode::usage,
                 .file = body.character().name,
                 .problem = "has no point that is pulled",
                 .remedy = "call LivePull::begin first"});
  }

  LivePullOptions options;
  PullBody body;
  std::unique_ptr<Poser> poser;
  std::vector<Vec3> last;  // targets of the last call, for pulls that were let go
  bool pulling = false;
  double phase = 0;  // s since the last step
};

LivePull::LivePull(const Character& character, const LivePullOptions& options, const ProgressCallback& progress) {
  options.validate();
  data_ = std::make_unique<Data>(character, options, progress);
}

LivePull::~LivePull() = default;
LivePull::LivePull(LivePull&&) noexcept = default;
LivePull& LivePull::operator=(LivePull&&) noexcept = default;

void LivePull::begin(In p, std::vector<int> pulled, std::vector<int> held) {
  PoserOptions options = poser_options(data_->options);
  options.pulled = std::move(pulled), options.held = std::move(held);
  auto poser = std::make_unique<Poser>(data_->body, p, options);
  data_->poser = std::move(poser);
  data_->last.clear();
  for (int k = 0; k < static_cast<int>(options.pulled.size()); ++k) data_->last.push_back(data_->poser->position(k));
  data_->pulling = true, data_->phase = 0;
}

bool LivePull::begun() const { return data_->poser != nullptr; }

PoseReport LivePull::move(std::span<const Vec3> targets, const ProgressCallback& progress) {
  Poser& poser = data_->posing();
  data_->require_pull(data_->pulling);
  const PoseReport report = poser.approach(targets, progress);
  data_->last.assign(targets.begin(), targets.end());
  return report;
}

PoseReport LivePull::step(double dt, std::span<const Vec3> targets) {
  Poser& poser = data_->posing();
  if (!std::isfinite(dt) || dt < 0)
    throw Error({.code = ErrorCode::usage,
                 .element = "time step",
                 .value = std::to_string(dt),
                 .problem = "is " + std::to_string(dt) + " s",
                 .remedy = "expected zero or more"});
  const double h = data_->options.time_step;
  constexpr double kRounding = 1e-9;  // of a step
  const double total = data_->phase + std::min(dt, data_->options.max_steps * h);
  const int count = std::min(data_->options.max_steps, static_cast<int>(std::floor(total / h + kRounding)));
  const std::span<const Vec3> toward = data_->pulling ? targets : std::span<const Vec3>(data_->last);
  PoseReport report;
  if (count == 0) poser.require_targets(toward);
  for (int k = 0; k < count; ++k) {
    PoseReport each = poser.step(toward);
    each.converged = each.converged && report.converged;
    each.solves += report.solves, each.iterations += report.iterations;
    report = std::move(each);
  }
  data_->phase = std::clamp(total - count * h, 0.0, h);
  if (data_->pulling) data_->last.assign(targets.begin(), targets.end());
  return report;
}

void LivePull::let_go() {
  data_->posing().let_go();
  data_->pulling = false;
}

void LivePull::set_key(In p) { data_->posing().set_key(p); }
const Vec& LivePull::controls() const { return data_->posing().controls(); }
const std::vector<int>& LivePull::free() const { return data_->posing().free(); }
double LivePull::size() const { return data_->posing().size(); }
const LivePullOptions& LivePull::options() const { return data_->options; }

}  // namespace rigspace
