#!/bin/sh
# RSP figure 2 and the waves of RSP 6, and the numbers that prove them.
#
#     examples/figures/rig_space_dynamics.sh [FOLDER]     into docs/figures unless said; BUILD names the build folder
#
# About half a minute on two cores.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD:-$here/../../build}
out=$(cd "${1:-$here/../../docs/figures}" && pwd)
cmake --build "$build" --target figure_rig_space_dynamics
"$build/bin/figure_rig_space_dynamics" "$out"
