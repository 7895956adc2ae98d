#!/bin/sh
# The fast method over the full one, a page for every scene of `rigspace bench fast`, and how far apart they are.
#
#     examples/figures/fast_overlays.sh FOLDER     RIGSPACE names the program
#
# Pages of 12 to 17 MB each; the curves of both methods stay beside them. The wrestler is simulated where he lands from his
# stomp and where he shakes his head. Some minutes on two cores.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rigspace=${RIGSPACE:-$here/../../build/bin/rigspace}
mkdir -p "$1"
cd "$1"

"$rigspace" cast peanut -o peanut.rig.json
"$rigspace" cast sumo -o sumo.rig.json

scene() { # name, rig, clip, then what both methods are asked for
  name=$1 rig=$2 clip=$3
  shift 3
  for method in full fast; do
    "$rigspace" simulate "$rig" --clip "$clip" "$@" --method $method -o "$name.$method.glb" >"$name.$method.txt"
    rm -f "$name.$method.glb" "$name.$method.html"
  done
  "$rigspace" view "$rig" --clips "$name.full.rigspace.json" --over "$name.fast.rigspace.json" -o "$name.html" >/dev/null
  echo "$name: $(grep -o '[0-9]* of [0-9]* vertices are ever apart[^"]*at most' "$name.html"), $(($(wc -c <"$name.html") / 1000000)) MB"
}
soft="--part belly_*=belly --part chest_*=chest --part cheek_*=cheek --part hair_*=hair"

set -f # patterns are for the program
scene trunk peanut.rig.json Walk --part 'trunk*=tail'
scene belly peanut.rig.json Walk --part 'belly_*=belly'
# shellcheck disable=SC2086
scene stomp sumo.rig.json Stomp $soft --start 2 --end 3.2 --loop no
# shellcheck disable=SC2086
scene head_shake sumo.rig.json HeadShake $soft --start 0.4 --end 1.4 --loop no
