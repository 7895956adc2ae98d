#!/bin/sh
# RSP figures 4, 7 and 9, and the number that goes with each: Peanut's belly by its principal components.
#
#     examples/figures/belly_modes.sh [FOLDER]     into docs/figures unless said; RIGSPACE names the program
#
# About two minutes on two cores.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rigspace=${RIGSPACE:-$here/../../build/bin/rigspace}
out=$(cd "${1:-$here/../../docs/figures}" && pwd)
figures() { python3 "$here/belly_figures.py" "$@"; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$rigspace" cast peanut -o peanut.rig.json
"$rigspace" simulate peanut.rig.json --method full --clip Walk --clip Dance --part 'belly_*=belly' -o full.glb
modes() { # clip that is learned from, clip that is done: LEARNED.rig.json, DONE.on_LEARNED.rigspace.json
  "$rigspace" rig modes peanut.rig.json --curves full.rigspace.json --clip "$1_soft" --base "$1" --controls 'belly_*' \
    --name belly_mode -o "$1.rig.json"
  "$rigspace" simulate "$1.rig.json" --method full --clip "$2" --part 'belly_mode*=belly' -o "$2.on_$1.glb"
}
modes Walk Dance
modes Dance Walk

# Two rigs with the sliders, the one with the curves of 36 controls, the other with those of 6.
apart() { # clip, learned from, its duration in frames of 1/60 s
  cp "$2.rig.json" all.rig.json && figures clips all.rig.json full.rigspace.json
  cp "$2.rig.json" six.rig.json && figures clips six.rig.json "$1.on_$2.rigspace.json"
  files=""
  frame=0
  while [ "$frame" -le "$3" ]; do
    for rig in all six; do
      "$rigspace" eval $rig.rig.json --clip "$1_soft" --time "${frame}f" --fps 60 -o "$rig$frame.npy"
      files="$files $rig$frame.npy"
    done
    frame=$((frame + 6))
  done
  # shellcheck disable=SC2086
  echo "figure 7: $1 on six modes of $2, largest distance to 36 controls: $(figures apart $files) % of the height"
}
apart Walk Dance 66
apart Dance Walk 144 # last: its two rigs are drawn below

draw() { # rig, clip, time, picture
  "$rigspace" render "$1" --clip "$2" --time "$3" --size 220 --azimuth 40 --elevation 2 --zoom 1.55 -o "$4"
}

# Modes at three times their limits, to be seen at this size.
cp Walk.rig.json wide.rig.json && figures widen wide.rig.json 'belly_mode_*' 3
limit() { # mode, min or max, of the wide rig
  python3 -c 'import json, sys; print(next(c[sys.argv[2]] for c in json.load(open("wide.rig.json"))["controls"] if c["name"] == sys.argv[1]))' "$1" "$2"
}
"$rigspace" eval wide.rig.json -o rest.npy
for mode in belly_mode_1 belly_mode_2; do
  for end in min max; do
    "$rigspace" render wide.rig.json --set "$mode=$(limit $mode $end)" --size 220 --azimuth 18 --elevation 2 --zoom 1.5 \
      -o $mode.$end.png
  done
  "$rigspace" eval wide.rig.json --set "$mode=$(limit $mode max)" -o moved.npy
  echo "figure 4: $mode moves the surface by $(figures ways rest.npy moved.npy)"
done
figures beside belly_mode_1.min.png belly_mode_1.max.png belly_mode_2.min.png belly_mode_2.max.png \
  "$out/rsp_fig4_belly_modes.png"

for time in 0.8 1.3; do
  draw all.rig.json Dance $time artist.png
  draw all.rig.json Dance_soft $time all.png
  draw six.rig.json Dance_soft $time six.png
  figures over all.png six.png over.png
  figures beside artist.png all.png six.png over.png row$time.png
done
figures below row0.8.png row1.3.png "$out/rsp_fig7_36_against_6.png"

# A belly that moves three times as much, so that a mode more or less can be seen.
"$rigspace" simulate peanut.rig.json --method full --clip Walk --part 'belly_*=belly' --set belly.amount=3 -o lively.glb
"$rigspace" rig modes peanut.rig.json --curves lively.rigspace.json --clip Walk_soft --base Walk --controls 'belly_*' \
  --name belly_mode -o lively.modes.rig.json
time=$(figures peak lively.modes.rigspace.json Walk_soft_modes belly_mode_1)
draw peanut.rig.json Walk "$time" artist.png
pictures=artist.png
for factor in 0.6667 1 1.5; do
  "$rigspace" curves modes lively.rigspace.json --rig peanut.rig.json --clip Walk_soft --base Walk --controls 'belly_*' \
    --scale 1=$factor --name Scaled -o scaled.rigspace.json
  cp peanut.rig.json scaled.rig.json && figures clips scaled.rig.json scaled.rigspace.json
  draw scaled.rig.json Scaled "$time" scaled$factor.png
  "$rigspace" eval peanut.rig.json --clip Walk --time "$time" -o walk.npy
  "$rigspace" eval scaled.rig.json --clip Scaled --time "$time" -o scaled.npy
  echo "figure 9: mode 1 by $factor at $time s moves the surface off the artist's by $(figures apart walk.npy scaled.npy) % of the height"
  pictures="$pictures scaled$factor.png"
done
# shellcheck disable=SC2086
figures beside $pictures "$out/rsp_fig9_scaled_mode.png"
