#!/usr/bin/env python3
"""A clip of each two-legged character carried onto each other one, and motion capture onto all: the tables of docs/inverse.md.

    bench/rig_to_rig.py PROGRAM ASSETS OUT [--sheets]

Each model is trained on one clip of its own character, which is never the one that is carried. Prints Markdown; OUT keeps
models and results, with contact sheets on request. Exit status 1 if a pair that should work does not.
"""
import argparse
import json
import pathlib
import subprocess
import sys

# name, file, the clip to learn from, the clip to carry (None: it has no other)
CHARACTERS = [
    ("CesiumMan", "khr_CesiumMan/CesiumMan.glb", "animation0", "animation0"),
    ("Mannequiny", "gdquest_mannequiny/mannequiny-0.3.0.glb", "idle", "run"),
    ("Knight", "kaykit_Knight/Knight.glb", "Idle", "Walking_A"),
    ("Robot", "three_RobotExpressive/RobotExpressive.glb", "Idle", "Walking"),
    ("Rocketbox", "rocketbox_Female_Adult_01/Female_Adult_01_facial_wave.glb", "*", "*"),
    ("MakeHuman", "makehuman_female_dressed/mh_female.glb", "cmu_16_01_jump", "cmu_02_01_walk"),
    ("KnightCharacter", "census/KnightCharacter.glb", "HumanArmature|Idle", "HumanArmature|Run"),
    ("RiggedFigure", "census/RiggedFigure.glb", "animation0", "animation0"),
]
CAPTURES = ["02_01", "02_04", "07_01", "09_01", "16_01"]


def run(program, *arguments):
    done = subprocess.run([program, "--json", *map(str, arguments)], capture_output=True, text=True)
    return (json.loads(done.stdout) if done.returncode == 0 else None), done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program"), parser.add_argument("assets", type=pathlib.Path), parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--sheets", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    failures, worst = 0, {}

    def carried(target, motion, clip, name):
        """One cell: joint error, direction error, sliding here and there."""
        nonlocal failures
        out = options.out / f"{name}_on_{target}.glb"
        arguments = ["inverse", "apply", options.out / f"{target}.inverse", "--targets", motion, "--fps", 30, "-o", out]
        answer, said = run(options.program, *arguments, *(["--clip", clip] if clip else []))
        if answer is None:
            failures += 1
            print(f"{name} on {target}: {said}", file=sys.stderr)
            return "refused"
        if options.sheets:
            run(options.program, "render", out, "--clip", answer["clip"], "--sheet", 6, "--size", 200, "--follow", "--azimuth", 50,
                "-o", out.with_suffix(".png"))
        body = answer["body"]
        slide = f"{100 * body['foot_sliding_legs_per_second']:.1f}" if body["standing_frames"] > 3 else "-"
        return f"{100 * answer['joint_error_share_of_size']:.3f} / {body['limb_direction_error_degrees']:.1f} / {slide}"

    for name, file, learned, _ in CHARACTERS:
        model = options.out / f"{name}.inverse"
        answer, said = run(options.program, "inverse", "train", options.assets / file, "--clips", learned, "-o", model)
        if answer is None:
            sys.exit(said)
    names = [each[0] for each in CHARACTERS]
    print("| clip of \\ onto | " + " | ".join(names) + " |\n" + "| --- " * (len(names) + 1) + "|")
    for name, file, _, clip in CHARACTERS:
        cells = ["" if target == name else carried(target, options.assets / file, clip.strip("*"), name) for target in names]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    for capture in CAPTURES:
        motion = options.assets / "cmu_bvh_dev" / f"{capture}.bvh"
        print(f"| CMU {capture} | " + " | ".join(carried(target, motion, "", capture) for target in names) + " |", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
