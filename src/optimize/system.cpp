#include "rigspace/optimize/system.h"

namespace rigspace {

void positive_scaling(In diagonal, Vec& D) {
  constexpr double kSmallest = 1e-6;  // of the largest: an untouched coordinate still gets a pivot
  const double largest = diagonal.size() > 0 ? diagonal.cwiseAbs().maxCoeff() : 0;
  const double least = largest > 0 ? kSmallest * largest : 1;
  D = diagonal.cwiseAbs().cwiseMax(least);
}

}  // namespace rigspace
