// Secondary motion on a character's file, from C++: what `rigspace simulate hero.glb --clip Walk` does, in one call.
#include "rigspace/apps/physics/simulate.h"
#include "rigspace/base/files.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/gltf.h"

#include <cstdio>

int main() {
  using namespace rigspace;
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "rigspace_example_05";
  std::filesystem::create_directories(folder);
  write_file(folder / "bobbin.glb", to_glb(make_character("bobbin")));  // any .glb, .gltf, .rig.json, .blend

  const JobEvents events{.say = [](const std::string& text) { std::fputs(text.c_str(), stdout); }};
  const SimulationResult result = simulate_file({.character = {.file = (folder / "bobbin.glb").string()}},
                                                {.clips = {"Walk"}, .sets = {"tail.amount=0.8"}}, {}, events);

  const Character soft = load_gltf(result.files.model);
  std::printf("%s has %zu clips\n", result.files.model.c_str(), soft.clips.size());
  const bool written = soft.clip("Walk_soft") != nullptr && result.failed_steps() == 0;
  std::filesystem::remove_all(folder);
  return written ? 0 : 1;
}
