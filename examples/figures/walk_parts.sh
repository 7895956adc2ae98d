#!/bin/sh
# RSP figures 1 and 5: the artist's walk with belly, shoulders, trunk, tail and ears simulated, and the curves that this adds.
#
#     examples/figures/walk_parts.sh [FOLDER]     into docs/figures unless said; RIGSPACE names the program
#
# About a minute on two cores. `rigspace bench rsp --only figures` has the numbers.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rigspace=${RIGSPACE:-$here/../../build/bin/rigspace}
out=$(cd "${1:-$here/../../docs/figures}" && pwd)
figures() { python3 "$here/belly_figures.py" "$@"; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$rigspace" cast peanut -o peanut.rig.json >/dev/null
"$rigspace" simulate peanut.rig.json --method full --clip Walk --part 'belly_*=belly' --part 'shoulders=belly' \
  --part 'trunk_*,trunk.twist=tail' --part 'tail_*=tail' --part 'ear_l.flap=ear' --part 'ear_r.flap=ear' -o soft.glb
cp peanut.rig.json soft.rig.json && figures clips soft.rig.json soft.rigspace.json

draw() { # rig, clip, time, azimuth, picture
  "$rigspace" render "$1" --clip "$2" --time "$3" --size 220 --azimuth "$4" --elevation 4 -o "$5" >/dev/null
}

# 5: three views of one moment, the artist's above.
for azimuth in 20 80 150; do
  draw peanut.rig.json Walk 0.55 $azimuth keyed$azimuth.png
  draw soft.rig.json Walk_soft 0.55 $azimuth soft$azimuth.png
done
figures beside keyed20.png keyed80.png keyed150.png above.png
figures beside soft20.png soft80.png soft150.png below.png
figures below above.png below.png "$out/rsp_fig5_walk_parts.png"

# 1: the keyed poses go in, the same poses with simulated controls and their curves come out.
keyed="" soft=""
for time in 0.15 0.4 0.65; do
  draw peanut.rig.json Walk $time 60 k$time.png
  draw soft.rig.json Walk_soft $time 60 s$time.png
  keyed="$keyed k$time.png" soft="$soft s$time.png"
done
# shellcheck disable=SC2086
figures beside $keyed above.png
# shellcheck disable=SC2086
figures beside $soft below.png
figures below above.png below.png "$out/rsp_fig1_frames.png"
python3 "$here/plots.py" curves soft.rigspace.json Walk_soft "$out/rsp_fig1_curves.svg" belly_233.ty belly_233.tz trunk_3.tx tail_3.tx \
  shoulders.ty ear_l.flap
