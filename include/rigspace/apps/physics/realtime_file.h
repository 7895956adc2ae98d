#pragma once
// A trained model as one file: what `rigspace train hero.glb -o hero.rigmodel` writes and a game loads. It holds all
// that stepping needs (controls, few points of the rig, elements, settings) and neither the skin nor the clips, so that
// its size does not depend on them. Reading trains nothing, needs no other file, and is part of rigspace::realtime.

#include "rigspace/apps/physics/realtime_rig.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// Of the files that this version writes and reads; higher with every change of what they hold.
inline constexpr std::uint32_t kRealtimeFormat = 1;

/// The model as a file's contents: 8 bytes RIGMODEL, the format, the size of what follows, its checksum, little-endian.
/// Throws Error if the rig has parts that such a file does not hold (constraints, IK, lattices, other programs' rigs),
/// and for a model in a world with collisions.
std::vector<std::byte> write_realtime_model(const RealtimeModel& model);

/// The model again. Its instances move as those of the one that was written, to the bit, on the same build of the
/// library. `character()` has controls but no points, pieces and clips, and the model cannot be adjusted. `name`, of
/// the file, begins messages. Throws Error, one sentence, for bytes that are no model, are of another format, are cut
/// short or damaged.
std::shared_ptr<const RealtimeModel> read_realtime_model(std::span<const std::byte> bytes,
                                                         const std::string& name = "model");

}  // namespace rigspace
