#pragma once
// Private to physics: what the instances of a character share.

#include "rigspace/apps/physics/realtime_rig.h"
#include "run/stepper.h"

#include <vector>

namespace rigspace {

struct RealtimeModel::Data {
  Character character;  // keeps the rig alive that those of the bodies may refer to
  RealtimeOptions options;
  std::vector<SteppedBody> bodies;
  std::vector<SteppedBody> wide;         // the same with all elements; those of rods are empty; none unless asked for
  std::vector<double> trained;           // per body, scene units: how far its nodes went in training; infinite of rods
  std::vector<int> free;                 // of all bodies, ascending
  std::vector<std::vector<int>> places;  // per body and its free controls: among those
  Vec scaling;                           // of the deviation, per free control
  std::vector<int> quaternions;          // first of four controls
  std::size_t instance_bytes = 0;
};

}  // namespace rigspace
