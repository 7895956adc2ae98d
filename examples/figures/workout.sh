#!/bin/sh
# RSP figure 8, and the number that goes with it: Peanut's work-out, made by pulling points of its skin.
#
#     examples/figures/workout.sh [FOLDER]     into docs/figures unless said; RIGSPACE names the program
#
# Some minutes on two cores.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rigspace=${RIGSPACE:-$here/../../build/bin/rigspace}
out=$(cd "${1:-$here/../../docs/figures}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$rigspace" cast peanut -o peanut.rig.json

# Where each point is after 0, 1, 2 and 3 s: arms up; a squat; a bend to the side; on one leg.
path() {
  file=$1
  shift
  time=0
  for place in "$@"; do
    echo "$time,$place"
    time=$((time + 1))
  done >"$file.csv"
}
path hand_l 0.30,0.98,0.05 0.25,0.56,0.37 0.20,1.06,0.06 0.50,0.70,0.05
path hand_r -0.30,0.98,0.05 -0.25,0.56,0.37 -0.42,0.42,0.06 -0.50,0.70,0.05
path trunk 0,0.86,0.62 0,0.55,0.70 -0.28,0.52,0.52 0,0.78,0.62
path head 0,1.23,0.01 0,1.11,0.08 -0.19,1.18,0.02 -0.03,1.215,0
path rump 0,0.316,-0.335 0,0.246,-0.385 0.03,0.316,-0.335 -0.02,0.316,-0.335
path heel_l 0.148,0,-0.054 0.148,0,-0.054 0.148,0,-0.054 0.15,0.13,0.10
path toe_l 0.149,0.007,0.161 0.149,0.007,0.161 0.149,0.007,0.161 0.15,0.20,0.29

"$rigspace" --json pose peanut.rig.json \
  --pull nearest:0.478,0.504,0.026=hand_l.csv --pull nearest:-0.478,0.504,0.026=hand_r.csv \
  --pull nearest:0,0.536,0.599=trunk.csv --pull nearest:0,1.21,0.026=head.csv --pull nearest:0,0.316,-0.335=rump.csv \
  --pull nearest:0.148,0,-0.054=heel_l.csv --pull nearest:0.149,0.007,0.161=toe_l.csv \
  --hold nearest:-0.148,0,-0.054 --hold nearest:-0.149,0.007,0.161 \
  --fps "${FPS:-4}" --sheet 4 --size 270 --name Work-out -o "$out/rsp_fig8_workout.png" >answer.json
awk -F '[:,]' '/"largest_distance"/ {
  printf "figure 8: a point is at most %.2f %% of the height from its target\n", 100 * $2 / 1.216 }' answer.json
