#pragma once
// Private to physics: the data that all instances of a character share.

#include "realtime_body.h"
#include "rigspace/apps/physics/realtime_rig.h"
#include "run/stepper.h"

#include <optional>
#include <vector>

namespace rigspace {

struct RealtimeModel::Data {
  Character character;  // keeps the rig alive, to which restricted rigs of the bodies may refer
  double size = 0;      // scene units: the largest side of the character at rest
  RealtimeOptions options;
  std::vector<SteppedBody> bodies;
  std::vector<std::vector<RealtimeHold>> holds;  // per body and group
  std::vector<std::optional<LimbMesh>> limbs;    // per body: what a sheet meets; nothing for others
  std::vector<SteppedBody> wide;  // the bodies with all elements, empty ones for rods; only with RealtimeOptions::widen
  std::vector<double> trained;    // per body: largest deviation of a node in training, scene units; infinite for rods
  std::vector<int> free;          // free controls of all bodies, ascending
  std::vector<std::vector<int>> places;  // per body: index in `free` of each of its free controls
  Vec scaling;                           // factor on the deviation, per free control
  std::vector<int> quaternions;          // the first control of each orientation
  std::size_t instance_bytes = 0;        // heap memory of one instance, measured
};

}  // namespace rigspace
