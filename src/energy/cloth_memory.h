#pragma once
// Private to energy: the last evaluation of an energy of cloth. Value and gradient cost little more together than
// either alone, and solvers want both at the same points: a line search values what the next gradient is taken at.

#include "rigspace/optimize/energy.h"

namespace rigspace {

struct ClothMemory : State {
  mutable Vec x, g;
  mutable double value = 0;
  mutable std::uint64_t version = 0;  // of the energy at that time; 0: nothing yet

  bool holds(std::uint64_t wanted, In at) const { return version == wanted && x.size() == at.size() && x == at; }
};

/// The memory in a state; a state of another kind (a bare one) has none, and gets one for the moment.
inline const ClothMemory& cloth_memory(const State& state, ClothMemory& otherwise) {
  const auto* memory = dynamic_cast<const ClothMemory*>(&state);
  return memory != nullptr ? *memory : otherwise;
}

}  // namespace rigspace
