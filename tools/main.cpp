// rigspace: the command line program.

#include "licences.h"
#include "program.h"
#include "realtime_options.h"

int main(int argc, char** argv) {
  using namespace rigspace::tools;
  constexpr AddCommand kCommands[] = {
      add_info,   add_eval,     add_convert, add_curves, add_view, add_render, add_parts,   add_simulate, add_rerun,
      add_check,  add_settings, add_mesh,    add_rig,    add_cast, add_pose,   add_sketch,  add_inverse,  add_cloth,
      add_forces, add_demo,     add_studio,  add_bench,  add_live, add_train,  add_licences};
  return run_program(argc, argv, kCommands);
}
