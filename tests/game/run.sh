#!/usr/bin/env bash
# run.sh GAME WIDTHS: a character is trained into one file, and the game loop of examples/game plays it where there is
# nothing else: an empty environment, a folder that it may not write to. What the game links cannot train, start threads
# or processes, open sockets or find a cache: it calls nothing for that.
set -euo pipefail
game=$1
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
fail() { echo "$1"; exit 1; }

"$RIGSPACE_PROGRAM" cast bobbin -o "$scratch/hero.glb" >/dev/null
"$RIGSPACE_PROGRAM" train "$scratch/hero.glb" -o "$scratch/hero.rigmodel" --json >"$scratch/answer.json"
/usr/bin/python3 - "$scratch" <<'PY'
import json, os, sys
answer = json.load(open(sys.argv[1] + "/answer.json"))
assert answer["bytes"] == os.path.getsize(sys.argv[1] + "/hero.rigmodel") > 1000, answer
assert answer["free"] > 0 and answer["elements"] > 0 and len(answer["parts"]) >= 2, answer
PY

mkdir "$scratch/ship"
cp "$game" "$scratch/hero.rigmodel" "$scratch/ship/"
chmod -R a-w "$scratch/ship"
(cd "$scratch/ship" && env -i "./$(basename "$game")" hero.rigmodel) || fail "the game ends with $?"
[ "$(ls "$scratch/ship" | wc -l)" = 2 ] || fail "the game left files: $(ls "$scratch/ship")"

needed=$(readelf -d "$game" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sed 's/\.so.*//' | sort | tr '\n' ' ')
for each in $needed; do
  case $each in libc | libm | libgcc_s | libstdc++ | ld-linux-x86-64 | libasan | libubsan) ;; *) fail "the game needs $each" ;; esac
done
if nm -D --undefined-only "$game" | grep -Ew 'socket|connect|pthread_create|fork|execve|posix_spawn|mkdir|rename|getenv|system'; then
  fail "the game calls these"
fi

# The same file on a processor without AVX2, to the bound that is stated.
"$2" "$scratch/hero.rigmodel" || fail "the kernels for AVX2 and those without differ by more than the bound"

# A file that was damaged on the way ends in a sentence.
chmod u+w "$scratch/ship" "$scratch/ship/hero.rigmodel"
printf 'x' | dd of="$scratch/ship/hero.rigmodel" bs=1 seek=3000 conv=notrunc status=none
said=$("$game" "$scratch/ship/hero.rigmodel" 2>&1) && fail "a damaged file was played"
[[ $said == *"is damaged: its contents do not match its checksum; copy it again, or train it again" ]] || fail "it says: $said"
