#include "rigspace/optimize/projected_cg.h"

#include <algorithm>
#include <cmath>

namespace rigspace {

void ConstraintBasis::clear() {
  for (const int i : coordinates_) place_[i] = -1;
  coordinates_.clear(), columns_.clear(), R_.clear(), right_.clear();
}

// Gram and Schmidt, twice: once leaves some 1e-4 of what is dependent.
bool ConstraintBasis::add(std::span<const int> coordinates, std::span<const double> c, double d, double independent) {
  const std::size_t known = coordinates_.size();
  for (const int i : coordinates)
    if (place_[i] < 0) place_[i] = static_cast<int>(coordinates_.size()), coordinates_.push_back(i);
  std::vector<double> u(coordinates_.size(), 0.0), R(columns_.size() + 1, 0.0);
  for (std::size_t k = 0; k < coordinates.size(); ++k) u[place_[coordinates[k]]] += c[k];
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) sum += a[i] * b[i];
    return sum;
  };
  const double whole = std::sqrt(dot(u, u));
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const double along = dot(columns_[j], u);
      R[j] += along;
      for (std::size_t i = 0; i < columns_[j].size(); ++i) u[i] -= along * columns_[j][i];
    }
  const double left = std::sqrt(dot(u, u));
  if (!(left > independent * whole)) {
    for (std::size_t k = known; k < coordinates_.size(); ++k) place_[coordinates_[k]] = -1;
    coordinates_.resize(known);
    return false;
  }
  for (double& entry : u) entry /= left;
  R.back() = left;
  double right = d;
  for (std::size_t j = 0; j < columns_.size(); ++j) right -= R[j] * right_[j];
  columns_.push_back(std::move(u)), R_.push_back(std::move(R)), right_.push_back(right / left);
  return true;
}

/// U^T x.
Vec ConstraintBasis::gather(In x) const {
  Vec of_u(count());
  for (int k = 0; k < count(); ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < columns_[k].size(); ++i) sum += columns_[k][i] * x[coordinates_[i]];
    of_u[k] = sum;
  }
  return of_u;
}

void ConstraintBasis::subtract(In of_u, double factor, Vec& x) const {
  for (int k = 0; k < count(); ++k)
    for (std::size_t i = 0; i < columns_[k].size(); ++i) x[coordinates_[i]] -= factor * of_u[k] * columns_[k][i];
}

void ConstraintBasis::project(Vec& x) const { subtract(gather(x), 1, x); }

void ConstraintBasis::satisfy(Vec& x) const {
  subtract(gather(x) - Eigen::Map<const Vec>(right_.data(), count()), 1, x);
}

// U^T r = R lambda.
Vec ConstraintBasis::multipliers(In r) const {
  Vec lambda = gather(r);
  for (int k = count() - 1; k >= 0; --k) {
    lambda[k] /= R_[k][k];
    for (int j = 0; j < k; ++j) lambda[j] -= R_[k][j] * lambda[k];
  }
  return lambda;
}

ProjectedCgResult minimize_projected(const std::function<void(In, Vec&)>& multiply,
                                     const std::function<void(In, Vec&)>& precondition, const ConstraintBasis& basis,
                                     In b, Vec& x, const ProjectedCgOptions& options) {
  ProjectedCgResult result;
  Vec product, z, direction;
  basis.satisfy(x);
  multiply(x, product);
  Vec r = b - product;
  basis.project(r);
  precondition(r, z);
  basis.project(z);
  double rho = r.dot(z);
  const double enough = std::max(options.floor, options.tolerance * options.tolerance * rho);
  direction = z;
  while (rho > enough && result.iterations < options.max_iterations) {
    multiply(direction, product);
    const double curvature = direction.dot(product);
    if (!(curvature > 0)) break;
    const double step = rho / curvature;
    x += step * direction;
    basis.project(product);
    r -= step * product;
    precondition(r, z);
    basis.project(z);
    const double next = r.dot(z);
    direction = z + next / rho * direction;
    rho = next;
    ++result.iterations;
  }
  result.converged = !(rho > enough);
  return result;
}

}  // namespace rigspace
