#!/usr/bin/env bash
# run.sh [skinning | files]: our skinning and morphing against Blender's; Blender as the rig of .blend files, and FBX through
# it. Both without an argument.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
command -v blender >/dev/null || { echo "skipped: blender is not installed"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export BLENDER_USER_SCRIPTS=$scratch BLENDER_USER_CONFIG=$scratch
if [ "${1:-skinning}" = skinning ]; then
  "$RIGSPACE_PROGRAM" cast "$("$RIGSPACE_PROGRAM" cast | awk 'NR==1{print $1}')" -o "$scratch/own.glb" >/dev/null
  "$RIGSPACE_PROGRAM" simulate "$scratch/own.glb" --clip Walk --clip Hop >/dev/null
  assets=${RIGSPACE_ASSETS:-$here/../../../shared/assets}
  blender -b --factory-startup --python-exit-code 3 \
    --python "$here/compare_skinning.py" -- "$RIGSPACE_PROGRAM" "$assets" "$scratch/own.glb" "$scratch/own.soft.glb" |
    grep -v -E '^(Blender|Data are loaded|glTF import|$)'
fi
if [ "${1:-files}" = files ]; then
  cd "$here"
  /usr/bin/python3 -m unittest -q test_blend test_translation test_fbx
fi
