#include "rigspace/apps/clothing/subspace_solver.h"

#include "rigspace/base/require.h"
#include "rigspace/optimize/sparse_system.h"
#include "subspace_system.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
void SubspaceOptions::validate() const {
  basis.validate();
  require_option(smoothing >= 0, "SubspaceOptions.smoothing", smoothing, "expected none or more");
  require_option(max_iterations > 0, "SubspaceOptions.max_iterations", max_iterations, "expected one or more");
  require_option(decrease >= 0, "SubspaceOptions.decrease", decrease, "expected zero or more joules");
  require_option(shortest >= 0 && shortest <= 1, "SubspaceOptions.shortest", shortest, "expected 0 to 1");
  require_option(poor_share > 0, "SubspaceOptions.poor_share", poor_share, "expected more than zero");
}

struct SubspaceSolver::Data {
  const PoseSpaceDatabase& database;
  const KinematicReference& reference;
  SubspaceOptions options;
  SubspaceReport report;
  SubspaceSystem system;
  std::unique_ptr<SparseSystem> assembly;
  ObjectiveState state;
  std::unique_ptr<State> local_state;
  std::uint64_t identity = 0;  // of the objective that the state is of
  PointBlocks blocks;
  std::vector<Mat3> B;
  std::vector<Eigen::VectorXf> others;
  Eigen::VectorXf p;
  Vec q, g, y, pulled, dx, trial;

  /// Objective and local energy in one: what a solve lowers.
  struct Sum {
    const Objective& objective;
    const Energy* local;
  };

  double value(const Sum& f, In x) const {
    return f.objective.value(state, x, x).value + (f.local != nullptr ? f.local->value(*local_state, x) : 0);
  }

  void gradient(const Sum& f, In x) {
    f.objective.gradient(state, x, x, g);
    if (f.local != nullptr) f.local->add_gradient(*local_state, x, 1, g);
    reference.pull(g, pulled);
    p = pulled.cast<float>();
  }

  void make_hessian(const Sum& f, In x) {
    if (!assembly) assembly = std::make_unique<SparseSystem>(static_cast<int>(x.size()));
    f.objective.assemble(state, x, x, HessianMode::projected, false, *assembly);
    system.set(assembly->assembly(), reference);
    set_local(f, x);
    ++report.hessians;
  }

  void set_local(const Sum& f, In x) {
    blocks.clear();
    if (f.local != nullptr) f.local->add_hessian(*local_state, x, 1, HessianMode::projected, blocks);
    system.set_local(blocks, reference);
  }

  /// The step by the kept Hessian, into dx; what it promises to lower the objective by, at first order (negative).
  double direction(const ClothBasis& basis) {
    const Eigen::VectorXf& dy = system.direction(basis.vectors, others, p, options.smoothing);
    reference.push(dy.cast<double>(), dx);
    return dx.allFinite() ? g.dot(dx) : 0;
  }

  /// The longest of 1, 1/2, 1/4 .. steps that lowers the objective as its slope promises; 0: none. `value` becomes the
  /// objective there.
  double search(const Sum& f, const Vec& x, double slope, double& now) {
    trial = x + dx;
    double t = slope < 0 ? std::min(1.0, f.objective.max_step(state, x, x, trial, trial)) : 0;
    for (int halving = 0; halving < 12 && t > 0; ++halving, t *= 0.5) {
      trial = x + t * dx;
      const double there = value(f, trial);
      if (there > now + 1e-4 * t * slope) continue;
      now = there;
      return t;
    }
    return 0;
  }

  void start(const Sum& f, Vec& x);
  void solve(const Sum& f, In place, Vec& x);
};

void SubspaceSolver::Data::start(const Sum& f, Vec& x) {
  if (identity != f.objective.identity()) {
    state = f.objective.make_state(), identity = f.objective.identity();
    assembly.reset(), system.clear();
  }
  if (f.local != nullptr) local_state = f.local->make_state();
  ++report.solves;
  B.resize(static_cast<std::size_t>(reference.point_count()));
  for (std::size_t i = 0; i < B.size(); ++i) B[i] = reference.matrix(static_cast<int>(i));
  q = x;
  f.objective.refresh(state, q, x, Phase::step);
}

void SubspaceSolver::Data::solve(const Sum& f, In place, Vec& x) {
  start(f, x);
  const ClothBasisPool pool(database, place, B, options.basis);
  report.far += pool.far(), report.distance = pool.nearest();
  double now = value(f, x), first = 0;
  bool fresh = false;
  gradient(f, x);
  for (int iteration = 0; iteration < options.max_iterations; ++iteration) {
    if (system.empty() || !options.keep_hessian)
      make_hessian(f, x), fresh = true;
    else
      set_local(f, x);
    if (iteration == 0) first = system.size_of(p);
    reference.untransform(x, y);
    others.clear();
    if (options.basis.undo && (y - reference.rest()).squaredNorm() > 0)
      others.push_back((y - reference.rest()).normalized().cast<float>());
    const ClothBasis basis = pool.choose(p);
    ++report.iterations;
    double slope = direction(basis);
    if (-slope <= options.decrease && (fresh || iteration > 0)) break;  // one step is always made
    const double before = now;
    double t = search(f, x, slope, now);
    if (t < options.shortest && !fresh) {  // the kept Hessian is too old for this step
      now = before;
      make_hessian(f, x), fresh = true;
      slope = direction(basis);
      t = search(f, x, slope, now);
    }
    if (t == 0) break;
    x = trial, q = x;
    if (f.objective.refresh(state, q, x, Phase::iteration) != Change::none) now = value(f, x);
    gradient(f, x);
    const double promised = -(t - 0.5 * t * t) * slope;  // by the quadratic model of a Newton step
    if (before - now < options.poor_share * promised) system.clear();
    fresh = false;
  }
  if (system.empty()) make_hessian(f, x);
  report.residual = first > 0 ? system.size_of(p) / first : 0;
}

SubspaceSolver::SubspaceSolver(const PoseSpaceDatabase& database, const KinematicReference& reference,
                               const SubspaceOptions& options)
    : data_(new Data{
          .database = database, .reference = reference, .options = options, .system = SubspaceSystem(database)}) {
  options.validate();
  if (database.point_count() != reference.point_count())
    require_option(false, "points of the database", database.point_count(),
                   "expected as many as the garment has: " + std::to_string(reference.point_count()));
}
SubspaceSolver::~SubspaceSolver() = default;
SubspaceSolver::SubspaceSolver(SubspaceSolver&&) noexcept = default;

void SubspaceSolver::solve(const Objective& objective, In place, Vec& x, const Energy* local) {
  data_->solve({objective, local}, place, x);
}
void SubspaceSolver::restart() { data_->system.clear(); }
void SubspaceSolver::set_decrease(double decrease) { data_->options.decrease = decrease; }
const SubspaceReport& SubspaceSolver::report() const { return data_->report; }

}  // namespace rigspace
