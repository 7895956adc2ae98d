#pragma once
// Of `rigspace rig`: weights, skeletons, baking, stand-ins.

#include "command.h"

#include "rigspace/anim/pose_correctives.h"

namespace rigspace::tools {

void add_rig_weights(CLI::App& rig, Context& context);
void add_rig_skeleton(CLI::App& rig, Context& context);
void add_rig_fit(CLI::App& rig, Context& context);
void add_rig_bake(CLI::App& rig, Context& context);
void add_rig_stand_in(CLI::App& rig, Context& context);

/// Of `rig bake`.
struct BakeOptions {
  std::string file, output, ending = "_soft";
  std::vector<std::string> tests;
  bool correctives = false;
  std::string from;  ///< with correctives: the simulation; empty: the clips of `file` with `ending`
  double rate = 15;  ///< with correctives: poses a second
  CorrectiveOptions fit;
};
void bake_correctives(const BakeOptions& options, const Context& context);

}  // namespace rigspace::tools
