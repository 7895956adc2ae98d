#!/usr/bin/python3
"""A captured walk on the controls of the Rigify human, which Blender evaluates: joint error, sliding of feet, a picture.

    bench/rigify_capture.py PROGRAM ASSETS OUT [HUMAN.blend]

Blender makes the human (tests/blender/make_rigify.py) unless one is given. The model learns from its own walk in place and from
swings of its controls. Exit status 1 if joints are more than 1 % of the size off, limbs more than 8 degrees from the capture's, or
standing feet slide by 5 % of a leg a second.
"""
import json
import pathlib
import resource
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
CONTROLS = ["root", "torso", "hips", "chest", "neck", "head", "shoulder.?", "hand_ik.?", "upper_arm_ik.?", "foot_ik.?", "foot_heel_ik.?",
            "toe_ik.?", "thigh_ik.?"]  # what an animator takes for a walk with IK
RATE = 12  # frames a second: each takes a Jacobian by differences


def processor_seconds():
    """Of all that was started here and has ended, Blender too."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(program, *arguments):
    start, begun = time.monotonic(), processor_seconds()
    done = subprocess.run([program, "--json", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return json.loads(done.stdout), f"{time.monotonic() - start:.0f} s ({processor_seconds() - begun:.0f} s of processor time)"


def main():
    program, assets, out, *given = sys.argv[1:]
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    human, model, result = pathlib.Path(given[0]) if given else out / "human.blend", out / "human.inverse", out / "human.walk.glb"
    if not human.exists():
        subprocess.run(["blender", "-b", "--factory-startup", "--python-exit-code", "3", "--python",
                        HERE.parent / "tests/blender/make_rigify.py", "--", human], check=True, stdout=subprocess.DEVNULL)
    trained, seconds = run(program, "inverse", "train", human, *(f"--controls={each}" for each in CONTROLS), "-o", model)
    print(f"trained: {trained['joints']} joints, {trained['controls']} controls, {trained['samples']} samples, {seconds}")
    answer, seconds = run(program, "inverse", "apply", model, "--targets", pathlib.Path(assets) / "cmu_bvh_dev/02_01.bvh", "--fps", RATE,
                          "--keys", "frames", "-o", result)
    body, frames = answer["body"], answer["frames"]
    print(f"CMU 02_01: {frames} frames in {seconds}; joints {100 * answer['joint_error_share_of_size']:.3f} % of the size off, "
          f"at most {100 * answer['worst_error_share_of_size']:.3f} %; limbs {body['limb_direction_error_degrees']:.1f} degrees from the "
          f"capture's; feet that stand slide {100 * body['foot_sliding_legs_per_second']:.1f} % of a leg a second "
          f"({100 * body['source_sliding_legs_per_second']:.1f} % in the capture)")
    subprocess.run([program, "render", result, "--clip", answer["clip"], "--sheet", "8", "--size", "240", "--follow", "--azimuth", "50",
                    "-o", result.with_suffix(".png")], check=True)
    good = answer["joint_error_share_of_size"] < 0.01 and body["limb_direction_error_degrees"] < 8 and body["foot_sliding_legs_per_second"] < 0.05
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
