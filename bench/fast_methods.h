#pragma once
// The methods of Thesis table 4.1: how a setup is changed for each.

#include "fast_training.h"

#include <span>
#include <string_view>

namespace rigspace::bench {

struct FastMethod {
  std::string_view name;
  int thesis;  ///< which of FastScene::thesis; -1: the Thesis has no such row
  void (*apply)(RspSetup&, const FastTraining&);
  bool quick = false;      ///< in a short run too
  bool slow = false;       ///< over the first few steps only
  bool reference = false;  ///< full Newton: the first is the truth, the fastest what times are compared with
  bool fast = false;       ///< the method as it ships: the bars apply
};

std::span<const FastMethod> fast_methods();

/// The fast method with everything: the row whose bars are enforced.
void apply_cubature(RspSetup& setup, const FastTraining& trained);

/// Full Newton that uses a factor of its Hessian as long as it serves, over steps too.
void apply_full(RspSetup& setup);

}  // namespace rigspace::bench
