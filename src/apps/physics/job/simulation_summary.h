#pragma once
// Private to physics: a part's report as text (other texts about a run: simulate.h).

#include "rigspace/apps/physics/simulate.h"

#include <string>

namespace rigspace {

/// "1.8 Hz, settles in 1.1 s, amount 1: moves by 5.2 % of its size, most 5.3 % of its size".
std::string report_in_words(const PartReport& report);

}  // namespace rigspace
