#!/bin/sh
# Three faces made with force templates (PBR figure 4): a smile of two bumps, a frown of four, nostrils of two rings.
# Writes pbr_faces.png into the folder given; needs ffmpeg. About a minute: the lattice has 7000 cells.
set -e
out=${1:?folder for the picture}
here=$(cd "$(dirname "$0")" && pwd)
program=${RIGSPACE:-$here/../../build/bin/rigspace}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$program" cast head -o "$work/head.glb" > /dev/null
cp "$here/forces_head.rig.json" "$work/head.rig.json"
view="--size 300 --zoom 1.25 --azimuth 12"
"$program" render "$work/head.glb" $view -o "$work/rest.png" > /dev/null
for face in smile frown nostrils; do
  "$program" render "$work/head.rig.json" --set $face=1 $view -o "$work/$face.png" > /dev/null
done
ffmpeg -y -loglevel error -i "$work/rest.png" -i "$work/smile.png" -i "$work/frown.png" -i "$work/nostrils.png" \
  -filter_complex hstack=inputs=4 "$out/pbr_faces.png"
