#pragma once
// Symmetric linear systems H u = b in the unknowns q, behind one interface: sparse, dense, bordered.

#include "rigspace/base/types.h"
#include "rigspace/optimize/energy.h"

#include <span>
#include <string>

namespace rigspace {

/// A system is also the sink for blocks that are given in q itself. One assembly is clear, adds, finish; then factor
/// and solve any number of times. After the first assembly an equal stream of adds allocates nothing.
class System : public BlockSink {
 public:
  virtual int size() const = 0;

  /// Sets the values to zero; keeps the pattern.
  virtual void clear() = 0;
  virtual void finish() = 0;

  /// d = the diagonal of H.
  virtual void diagonal(Vec& d) const = 0;
  /// y = H u, without the shift and with no coordinate held.
  virtual void multiply(In u, Vec& y) const = 0;

  /// Coordinates to hold (non-zero entries of the mask; empty for none): in factor and solve their row and column
  /// are those of the identity and their right-hand side is 0.
  virtual void set_fixed(std::span<const char> mask) = 0;

  /// Factors H + shift D, D = positive_scaling(diagonal of H). False if that is not positive definite, which is a
  /// result: try a larger shift.
  virtual bool factor(double shift) = 0;
  /// (H + shift D) u = b with the last successful factorisation. b and u may be the same vector.
  virtual void solve(In b, Vec& u) = 0;
};

/// D of the shifts, in place of the identity of Thesis 3.2.4 because coordinates have different units:
/// D_ii = |H_ii|, at least 1e-6 of the largest; 1 where all are zero. D may be the diagonal itself.
void positive_scaling(In diagonal, Vec& D);

/// The solver at work: "fronts by Eigen, supernodes by CHOLMOD 3.0.14, METIS".
std::string solver_description();

}  // namespace rigspace
