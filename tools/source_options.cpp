#include "source_options.h"

namespace rigspace::tools {

void add_source(CLI::App& app, CharacterSource& source) {
  app.add_option("FILE", source.file, "a character: .glb, .gltf, .rig.json, .blend or .fbx");
  app.add_option("--object", source.object, "of a .blend: the mesh; the largest that is rigged by default")
      ->type_name("NAME");
  add_process_source(app, source);
}

void add_process_source(CLI::App& app, CharacterSource& source) {
  app.add_option("--rig-process", source.command,
                 "instead of FILE: a command that is the rig, asked on its standard streams (docs/process-rigs.md)")
      ->type_name("'CMD'");
  app.add_option("--rig-processes", source.processes,
                 "how many of that command to run, to share out batches; as many as cores, as they pay, by default")
      ->check(CLI::Range(1, 256))
      ->type_name("N");
  app.add_option("--rig-timeout", source.timeout,
                 "longest silence of that command before it is started again, in seconds")
      ->check(above_zero())
      ->type_name("S");
}

Character load(const CharacterSource& source, const Context& context) { return source.load(job_events(context)); }

void print_incidents(const Context& context, const Character& character) {
  print_warnings(context, "rigspace", character.rig->incidents());  // they name the command themselves
}

}  // namespace rigspace::tools
