#!/usr/bin/env python3
"""Do two commits make the same results? Runs the same simulations with both and compares what they write.

    tests/compare/compare_commits.py BEFORE AFTER        two commits; each is checked out and built under build/compare
    tests/compare/compare_commits.py BUILD1 BUILD2       two build folders that are there already

For each result: the same bytes, or the largest difference of any number in it, over the character's height for curves.
Exit status 0: all the same; 1: some differ; 3: some differ by more than --allow (of the height)."""
import argparse
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RIG = f"/usr/bin/python3 -S '{ROOT / 'examples/python/rig_process.py'}'"


def run(*command, **options):
    result = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
    return result.stdout


def build_of(which):
    """The build folder of a commit, made if need be; or the folder itself."""
    if (pathlib.Path(which) / "build.ninja").exists():
        return pathlib.Path(which).resolve()
    commit = run("git", "rev-parse", "--short", which, cwd=ROOT).strip()
    tree = ROOT / "build" / "compare" / commit
    if not tree.exists():
        run("git", "worktree", "add", "--detach", tree, commit, cwd=ROOT)
    print(f"building {commit}", flush=True)
    run("cmake", "--preset", "release", "-DRIGSPACE_WITH_PYTHON=OFF", "-DRIGSPACE_TESTS=OFF", cwd=tree)
    run("ninja", "-C", tree / "build", cwd=tree)
    return tree / "build"


def realtime_program(build, folder):
    prefix = folder / "prefix"
    run("cmake", "--install", build, "--prefix", prefix)
    run("cmake", "-S", ROOT / "tests/compare", "-B", folder / "realtime", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("ninja", "-C", folder / "realtime")
    return folder / "realtime/realtime"


def bar_clip(path):
    track = {"control": "bar.bend", "unit": "degree", "interpolation": "linear",
             "times": [0, 0.25, 0.5, 0.75, 1.0], "values": [0, 25, 0, -25, 0]}
    path.write_text(json.dumps({"kind": "rigspace curves", "schema": 1, "name": "bar",
                                "clips": [{"name": "Nod", "duration": 1.0, "tracks": [track]}]}))


def make(build, folder):
    """All results of one build, in a folder of its own with a cache of its own."""
    program = build / "bin/rigspace"
    os.environ["RIGSPACE_CACHE"] = str(folder / "cache")
    for name in ("bobbin", "peanut"):
        run(program, "cast", name, "-o", folder / f"{name}.glb")
    run(program, "cast", "peanut", "-o", folder / "peanut.rig.json")
    run(program, "simulate", folder / "bobbin.glb", "--clip", "Hop", "-o", folder / "hop.glb")
    run(program, "simulate", folder / "peanut.glb", "--clip", "Walk", "-o", folder / "walk.glb")
    run(program, "simulate", folder / "peanut.rig.json", "--clip", "Walk", "-o", folder / "rig_walk.rigspace.json")
    run(program, "simulate", folder / "bobbin.glb", "--clip", "Hop", "--method", "full", "--end", "0.4", "-o", folder / "full.glb")
    run(program, "rerun", folder / "hop.json", "--set", "*.amount=0.6", "-o", folder / "rerun.glb")
    clip = folder / "bar.rigspace.json"
    bar_clip(clip)
    run(program, "simulate", "--rig-process", RIG, "--clips", clip, "--part", "bar.twist,bar.stretch=rubber", "-o",
        folder / "black_box.rigspace.json")
    values = run(realtime_program(build, folder), folder / "bobbin.glb")
    (folder / "realtime.txt").write_text(values)


RESULTS = ["bobbin.glb", "peanut.glb", "hop.glb", "walk.glb", "rig_walk.rigspace.json", "full.glb", "rerun.glb",
           "black_box.rigspace.json", "hop.json", "walk.json", "rig_walk.json", "realtime.txt"]


def numbers(path):
    """All numbers of a result, in order: of a .glb the floats of its binary part."""
    data = path.read_bytes()
    if path.suffix == ".glb":
        length = struct.unpack_from("<I", data, 12)[0]
        binary = data[20 + length + 8:]
        return [v for v in struct.unpack(f"<{len(binary) // 4}f", binary[: len(binary) // 4 * 4])]
    return [float(n) for n in re.findall(r"-?\d+\.?\d*(?:[eE][-+]?\d+)?", data.decode())]



def difference(a, b):
    one, two = numbers(a), numbers(b)
    if len(one) != len(two):
        return float("inf")
    # Floats that are really integers or quaternions of another sign do not occur: both commits write the same layout.
    return max((abs(x - y) for x, y in zip(one, two) if x == x and y == y and abs(x) < 1e6), default=0.0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--allow", type=float, default=1e-6, help="largest difference that is not an error, scene units or radians")
    parser.add_argument("--keep", help="a folder for both sets of results")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        top = pathlib.Path(options.keep or scratch)
        folders = []
        for label, which in (("before", options.before), ("after", options.after)):
            folder = top / label
            folder.mkdir(parents=True, exist_ok=True)
            make(build_of(which), folder)
            folders.append(folder)
        worst = 0.0
        for name in RESULTS:
            a, b = (folder / name for folder in folders)
            if a.read_bytes() == b.read_bytes():
                print(f"{name:28} same bytes")
                continue
            apart = difference(a, b)
            worst = max(worst, apart)
            print(f"{name:28} differs by at most {apart:.3g}" if apart < float("inf") else f"{name:28} has another number of values")
    if worst == 0.0:
        return 0
    return 1 if worst <= options.allow else 3


if __name__ == "__main__":
    sys.exit(main())
