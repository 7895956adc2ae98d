// rigspace-demo: `rigspace demo` as a program of its own, which `./run demo` builds in half the time of all of them.

#include "program.h"

int main(int argc, char** argv) {
  using namespace rigspace::tools;
  constexpr AddCommand kCommands[] = {add_demo};
  return run_program(argc, argv, kCommands);
}
