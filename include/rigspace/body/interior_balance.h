#pragma once
// The inside of a body in static balance with its skin.

#include "rigspace/body/rig_body.h"
#include "rigspace/energy/solid.h"
#include "rigspace/optimize/summary.h"

#include <memory>

namespace rigspace {

/// The nodes inside, n~, that minimise the elastic energy while the skin stays where it is (Thesis 4.7).
class InteriorBalance {
 public:
  explicit InteriorBalance(const RigBody& body, const Material& material = {});
  ~InteriorBalance();
  InteriorBalance(InteriorBalance&&) noexcept;
  InteriorBalance& operator=(InteriorBalance&&) noexcept;

  /// The shape without stress, all nodes; until the first call that of the body's mesh. It is in balance too where it
  /// inverts elements.
  void set_rest(In x_rest);
  /// Solves from the nodes inside x and writes them there; x has all nodes. Converged when a step moves no node by more
  /// than 1e-5 of the body's size.
  Summary solve(Vec& x);
  const Solid& solid() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace rigspace
