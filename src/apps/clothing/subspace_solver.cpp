#include "rigspace/apps/clothing/subspace_solver.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/base/require.h"
#include "rigspace/optimize/sparse_system.h"
#include "turned_hessian.h"

#include <algorithm>
#include <cmath>

namespace rigspace {

void SubspaceOptions::validate() const {
  basis.validate();
  require_option(max_iterations > 0, "SubspaceOptions.max_iterations", max_iterations, "expected one or more");
  require_option(decrease >= 0, "SubspaceOptions.decrease", decrease, "expected zero or more joules");
  require_option(poor_share > 0, "SubspaceOptions.poor_share", poor_share, "expected more than zero");
}

struct SubspaceSolver::Data {
  const PoseSpaceDatabase& database;
  const KinematicReference& reference;
  SubspaceOptions options;
  SubspaceReport report;
  TurnedHessian hessian;
  std::unique_ptr<SparseSystem> system;
  ObjectiveState state;
  std::uint64_t identity = 0;  // of the objective that the state is of
  std::vector<Mat3> B;
  Vec q, g, y, pulled, dx, trial;

  void make_hessian(const Objective& f, In x) {
    if (!system) system = std::make_unique<SparseSystem>(static_cast<int>(x.size()));
    system->clear();
    f.assemble(state, x, x, HessianMode::projected, false, *system);
    system->finish();
    hessian.set(system->assembly(), reference);
    ++report.hessians;
  }

  /// The longest of 1, 1/2, 1/4 .. steps that lowers the objective as its slope promises; 0: none.
  double search(const Objective& f, Vec& x, double before, double slope) {
    trial = x + dx;
    double t = std::min(1.0, f.max_step(state, x, x, trial, trial));
    for (int halving = 0; halving < 12; ++halving, t *= 0.5) {
      trial = x + t * dx;
      if (f.value(state, trial, trial).value <= before + 1e-4 * t * slope) return t;
    }
    return 0;
  }

  void solve(const Objective& f, In place, Vec& x);
};

void SubspaceSolver::Data::solve(const Objective& f, In place, Vec& x) {
  if (identity != f.identity()) state = f.make_state(), identity = f.identity(), system.reset(), hessian.clear();
  ++report.solves;
  B.resize(static_cast<std::size_t>(reference.point_count()));
  for (std::size_t i = 0; i < B.size(); ++i) B[i] = reference.matrix(static_cast<int>(i));
  q = x;
  f.refresh(state, q, x, Phase::step);
  double before = f.value(state, x, x).value;
  bool fresh = false, far = false;
  for (int iteration = 0; iteration < options.max_iterations; ++iteration) {
    f.gradient(state, x, x, g);
    if (hessian.empty() || !options.keep_hessian) make_hessian(f, x), fresh = true;
    reference.pull(g, pulled);
    reference.untransform(x, y);
    const ClothBasis basis =
        choose_basis(database, place, B, g, hessian.preconditioned(pulled), y - reference.rest(), options.basis);
    far = far || basis.far;
    if (basis.A.cols() == 0) break;
    const Vec b = basis.A.transpose() * pulled;
    ++report.iterations;
    reference.push(basis.A * solve_ldlt(hessian.reduced(basis.A), -b), dx);
    double slope = g.dot(dx);
    if (-slope <= options.decrease && (fresh || iteration > 0)) break;  // one step is always made
    double t = slope < 0 && dx.allFinite() ? search(f, x, before, slope) : 0;
    if (t < 1 && !fresh) {  // the kept Hessian is too old for this step
      make_hessian(f, x), fresh = true;
      reference.push(basis.A * solve_ldlt(hessian.reduced(basis.A), -b), dx);
      slope = g.dot(dx);
      t = slope < 0 && dx.allFinite() ? search(f, x, before, slope) : 0;
    }
    if (t == 0) break;
    x += t * dx;
    q = x;
    f.refresh(state, q, x, Phase::iteration);
    const double after = f.value(state, x, x).value;
    const double promised = -(t - 0.5 * t * t) * slope;  // by the quadratic model of a Newton step
    if (before - after < options.poor_share * promised) hessian.clear();
    before = after, fresh = false;
  }
  report.far += far;
}

SubspaceSolver::SubspaceSolver(const PoseSpaceDatabase& database, const KinematicReference& reference,
                               const SubspaceOptions& options)
    : data_(new Data{.database = database, .reference = reference, .options = options}) {
  options.validate();
  if (database.point_count() != reference.point_count())
    require_option(false, "points of the database", database.point_count(),
                   "expected as many as the garment has: " + std::to_string(reference.point_count()));
}
SubspaceSolver::~SubspaceSolver() = default;
SubspaceSolver::SubspaceSolver(SubspaceSolver&&) noexcept = default;

void SubspaceSolver::solve(const Objective& objective, In place, Vec& x) { data_->solve(objective, place, x); }
void SubspaceSolver::set_decrease(double decrease) { data_->options.decrease = decrease; }
const SubspaceReport& SubspaceSolver::report() const { return data_->report; }

}  // namespace rigspace
