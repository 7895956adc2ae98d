#pragma once
// A character's file as a RealtimeModel: parts, unit, flesh and rates are those of `rigspace simulate` with the same
// options, and without any those of `rigspace simulate FILE`.

#include "rigspace/apps/physics/realtime_rig.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace rigspace {

struct RealtimeRequest {
  std::vector<std::string> parts = {};     ///< `pattern=preset`, as --part; empty: those that are found
  std::vector<PartSetting> settings = {};  ///< by the names of the parts
  std::string chains = "auto";             ///< rods, solids or auto, as --chains
  std::string soft = "auto";               ///< joints, morphs or auto, as --soft
  std::string tune_on = {};                ///< name of a clip; empty: options.tune_on
  RealtimeOptions options = {};
};

/// Loads a .glb, .gltf or .rig.json and makes its model. Takes seconds, unless the cache has the results. `notes`: gets
/// what `rigspace simulate` prints about unit and parts, one sentence each. Throws Error, and Cancelled.
std::shared_ptr<const RealtimeModel> load_realtime_model(const std::filesystem::path& path,
                                                         const RealtimeRequest& request = {},
                                                         std::vector<std::string>* notes = nullptr,
                                                         const ProgressCallback& progress = {});

/// The same of a character that is loaded already and whose own controls move, as those of a .blend do. `name`: in
/// messages.
std::shared_ptr<const RealtimeModel> realtime_model_on_controls(std::string name, Character character,
                                                                const RealtimeRequest& request = {},
                                                                std::vector<std::string>* notes = nullptr,
                                                                const ProgressCallback& progress = {});

}  // namespace rigspace
