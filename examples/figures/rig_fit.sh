#!/usr/bin/env bash
# rig_fit.sh ASSETS [OUT.png]: pairs of a template in one of its clips and of another mesh, its own joints left out, in the
# same moment of the same clip, by `rigspace rig fit`.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
assets=${1:-$here/../../../shared/assets} out=${2:-$here/../../docs/figures/rig_fit.png}
program=${RIGSPACE_PROGRAM:-$here/../../build/bin/rigspace}
[ -d "$assets" ] || { echo "skipped: $assets is not there"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
pair() {  # NAME TEMPLATE MESH CLIP TIME AZIMUTH
  "$program" rig fit "$assets/$2" "$assets/$3" -o "$folder/$1.glb" 2> /dev/null
  local view=(--clip "$4" --time "$5" --azimuth "$6" --size 200)
  "$program" render "$assets/$2" "${view[@]}" -o "$folder/${1}_1.png"
  "$program" render "$folder/$1.glb" "${view[@]}" -o "$folder/${1}_2.png"
}
fox=khr_Fox/Fox.glb dog=quaternius_ShibaInu/ShibaInu.glb
pair a "$fox" "$dog" Run 0.39 60
pair b "$dog" census/Stag.glb 'AnimalArmature|Gallop' 0.36 60
pair c gdquest_mannequiny/mannequiny-0.3.0.glb khr_CesiumMan/CesiumMan.glb run 0.1 50
python3 "$here/belly_figures.py" beside "$folder"/{a,b,c}_{1,2}.png "$out"
echo "$out"
