#!/usr/bin/env bash
# three_sketches.sh ASSETS [OUT.png]: one pose, typed three times by hand from one picture (gdquest_mannequiny as its file
# shows it), on three characters that nobody prepared: named lines of a stick figure, lines drawn over, loose lines in any order.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
assets=${1:-$here/../../../shared/assets} out=${2:-$here/../../docs/figures/sketch_three.png}
program=${RIGSPACE_PROGRAM:-$here/../../build/bin/rigspace}
[ -d "$assets" ] || { echo "skipped: $assets is not there"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mannequin=$assets/gdquest_mannequiny/mannequiny-0.3.0.glb
pose() { "$program" sketch pose "$1" --strokes "$here/drawings/$2.json" --size 320 -o "$folder/$2.png" "${@:3}"; }
pose "$assets/makehuman_female_dressed/mh_female.glb" leap_stick
pose "$assets/rocketbox_Female_Adult_01/Female_Adult_01_facial_wave.glb" leap_over
pose "$mannequin" leap_loose --clip idle
"$program" render "$mannequin" --azimuth 0 --elevation 0 --size 320 -o "$folder/picture.png"
python3 "$here/belly_figures.py" beside "$folder"/{picture,leap_stick,leap_over,leap_loose}.png "$out"
echo "$out"
