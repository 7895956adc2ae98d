#!/bin/sh
# The pictures of docs/blender-addon.md:
#
#     ./run build && ./run addon && examples/blender/tutorial.sh docs/figures
#
# Needs Xvfb and ffmpeg. RIGSPACE_PROGRAM names the program, build/bin/rigspace by default. A minute on two cores.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
out=$(cd "$1" && pwd)
export RIGSPACE_PROGRAM="${RIGSPACE_PROGRAM:-$root/build/bin/rigspace}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export BLENDER_USER_SCRIPTS="$scratch" BLENDER_USER_CONFIG="$scratch" LIBGL_ALWAYS_SOFTWARE=1
mkdir "$scratch/out"
blender -b --factory-startup --python-expr \
  "import bpy; bpy.ops.wm.read_homefile(use_empty=True); bpy.ops.wm.save_as_mainfile(filepath='$scratch/empty.blend')" >/dev/null
xvfb-run -a -s '-screen 0 1180x1060x24' blender --factory-startup --enable-event-simulate --window-geometry 0 0 1180 1060 \
  "$scratch/empty.blend" \
  --python "$here/tutorial.py" -- "$root/build/rigspace_addon.zip" "$scratch/out"
row() {
  ffmpeg -loglevel error -y -pattern_type glob -i "$scratch/out/$1_*.png" -filter_complex tile=5x1 -frames:v 1 "$scratch/$1.png"
}
row before
row after
ffmpeg -loglevel error -y -i "$scratch/before.png" -i "$scratch/after.png" -filter_complex vstack -q:v 3 "$out/addon_6_shot.jpg"
cp "$scratch"/out/addon_*.jpg "$out/"
