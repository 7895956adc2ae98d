"""census.py SHARD OF: `rigspace simulate` without options on the characters of parts.json, measured by `rigspace check`.

Every run must succeed, and every clip must pass but those in KNOWN, which says why they do not. Exits with 77 where the
characters are not there."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ["RIGSPACE_PROGRAM"]
ASSETS = pathlib.Path(os.environ.get("RIGSPACE_ASSETS", HERE.parents[2] / "shared" / "assets"))

# (file, part of the clip's name): why it does not pass.
KNOWN = {
    ("census/Betta.glb", "Out_Of_Water"): "the fish flips over within a frame; what is left of its veil's motion ripples",
    ("census/Koi.glb", "Out_Of_Water"): "the same clip: its tail turns by 110 degrees from one frame to the next, and ripples",
}


def rigspace(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)


def known(file, clip):
    return any(file == name and part in clip for name, part in KNOWN)


def measure(character, folder, failures):
    """Counts of clips that pass and of all; adds to the failures."""
    file = character["file"]
    result = folder / (pathlib.Path(file).stem + ".soft.glb")
    run = rigspace("simulate", ASSETS / file, "-o", result)
    if run.returncode != 0:
        if run.returncode == 3 and character.get("refused", "has no clips") in run.stderr:
            return 0, 0  # nothing moves it: a sentence, and no result
        failures.append(f"{file}: simulate exits with {run.returncode}: {run.stderr.strip()}")
        return 0, 1
    if "refused" in character:
        failures.append(f"{file}: simulate succeeds where it should say {character['refused']!r}")
    checked = rigspace("--json", "check", ASSETS / file, result)
    try:
        clips = json.JSONDecoder().raw_decode(checked.stdout)[0]["clips"]  # a failure follows as a second answer
    except (ValueError, KeyError):
        failures.append(f"{file}: check exits with {checked.returncode}: {checked.stdout[-300:]} {checked.stderr[-300:]}")
        return 0, 1
    for clip in clips:
        if clip["problems"] and not known(file, clip["clip"]):
            failures.append(f"{file}: {clip['clip']}: " + "; ".join(clip["problems"]))
    return sum(not clip["problems"] for clip in clips), len(clips)


def main(shard, of):
    characters = json.loads((HERE / "parts.json").read_text())["characters"]
    characters = [each for each in characters if each["file"].endswith((".glb", ".gltf"))]
    if not ASSETS.is_dir():
        print(f"skipped: {ASSETS} is not there")
        return 77
    failures, passed, clips = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for character in characters[shard::of]:
            good, all_clips = measure(character, pathlib.Path(folder), failures)
            print(f"{character['file']}: {good} of {all_clips} clips pass", flush=True)
            passed, clips = passed + good, clips + all_clips
    for failure in failures:
        print("!", failure)
    print(f"{passed} of {clips} clips pass")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
