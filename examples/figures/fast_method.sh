#!/bin/sh
# Thesis figures 4.2 to 4.5, and the numbers that prove them.
#
#     examples/figures/fast_method.sh [FOLDER]     into docs/figures unless said; BUILD names the build folder
#
# Some minutes on two cores.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${BUILD:-$here/../../build}" && pwd)
out=$(cd "${1:-$here/../../docs/figures}" && pwd)
rigspace=$build/bin/rigspace
figures() { python3 "$here/belly_figures.py" "$@"; }
cmake --build "$build" --target rigspace_cli figure_fast_shaking figure_fast_energy
"$build/bin/figure_fast_shaking" "$out"
"$build/bin/figure_fast_energy" "$out"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

simulate() { # rig, clip, method, then parts: RIG.METHOD.rig.json, whose clip CLIP_soft it is
  rig=$1 clip=$2 method=$3
  shift 3
  "$rigspace" simulate "$rig.rig.json" --clip "$clip" --method "$method" "$@" -o "$rig.$method.glb" >/dev/null
  cp "$rig.rig.json" "$rig.$method.rig.json"
  figures clips "$rig.$method.rig.json" "$rig.$method.rigspace.json"
}
draw() { # picture, rig, clip, time, then how it is seen
  picture=$1 rig=$2 clip=$3 time=$4
  shift 4
  "$rigspace" render "$rig.rig.json" --clip "$clip" --time "$time" "$@" -o "$picture" >/dev/null
}

# 4.3: the belly by the full method, by the fast one, and where the two pictures differ.
"$rigspace" cast peanut -o peanut.rig.json >/dev/null
for method in full fast; do
  simulate peanut Walk $method --part 'belly_*=belly' --set belly.amount=2
  draw $method.png peanut.$method Walk_soft 0.4 --size 260 --azimuth 50 --elevation 3 --zoom 1.4
  "$rigspace" eval peanut.$method.rig.json --clip Walk_soft --time 0.4 -o $method.npy >/dev/null
done
"$rigspace" eval peanut.rig.json --clip Walk --time 0.4 -o keyed.npy >/dev/null
figures over full.png fast.png over.png
figures beside full.png fast.png over.png "$out/fast_fig43_full_and_fast.png"
echo "figure 4.3: the belly is up to $(figures apart full.npy keyed.npy) % of the height off the artist's, full and fast up to $(figures apart full.npy fast.npy) % apart"

# 4.4: the wrestler lands; as keyed, and with belly, chest, cheeks and hair by the fast method. (His cheeks by less than half: their
# handles are a few nodes of his body each, and sag into little bags otherwise.)
"$rigspace" cast sumo -o sumo.rig.json >/dev/null
set -f # patterns are for the program
simulate sumo Stomp fast --part 'belly_*=belly' --part 'chest_*=chest' --part 'cheek_*=cheek' --part 'hair_*=hair' \
  --set cheek.amount=0.4 --start 2 --end 3.2 --loop no
draw keyed.png sumo Stomp 2.3 --size 300 --azimuth 35 --elevation 4
draw fast.png sumo.fast Stomp_soft 2.3 --size 300 --azimuth 35 --elevation 4
"$rigspace" eval sumo.rig.json --clip Stomp --time 2.3 -o keyed.npy >/dev/null
"$rigspace" eval sumo.fast.rig.json --clip Stomp_soft --time 2.3 -o fast.npy >/dev/null
figures beside keyed.png fast.png "$out/fast_fig44_wrestler.png"
echo "figure 4.4: his flesh is up to $(figures apart fast.npy keyed.npy) % of the height off the artist's"
