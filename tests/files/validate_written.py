"""validate_written.py VALIDATE.mjs ASSETS: converts and validates every asset and every built-in character, and some
of them with soft joints."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = os.environ["RIGSPACE_PROGRAM"]

# Characters that get soft joints, and how much of which clip is enough to write them.
SOFTENED = {
    "bobbin_cast.glb": ("--clip", "Walk"),
    "peanut_cast.glb": ("--clip", "Walk"),
    "Fox.glb": ("--clip", "Walk"),
    "CesiumMan.glb": ("--end", "0.3"),
}

# Of inputs: numbers that are not finite.
INVALID = {"ACCESSOR_INVALID_FLOAT"}


def run(*arguments):
    result = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def errors(validator, files):
    """By file: the codes and places that the validator calls errors."""
    result = subprocess.run(["node", validator, *map(str, files)], capture_output=True, text=True)
    assert result.returncode in (0, 1), result.stderr
    return [{(error["code"], error["pointer"]) for error in report["errors"]} for report in json.loads(result.stdout)]


def soft_files(path, options, out):
    """What simulate writes of a character, in both containers, the second by a rerun from the recipe."""
    run("simulate", path, *options, "--additive", "-o", out)
    in_pieces = out.with_suffix(".gltf")
    run("rerun", out.with_suffix(".json"), "-o", in_pieces)
    document = json.loads(in_pieces.read_text())
    assert any(node.get("name", "").startswith("soft_") for node in document["nodes"]), f"{path} got no soft joints"
    clips = {clip.get("name", ""): clip for clip in document["animations"]}
    for name in [name for name in clips if name.endswith("_soft")]:
        added, reference = clips[f"{name}_add"], clips[f"{name}_add_ref"]
        assert added["extras"]["rigspace"]["reference"] == f"{name}_add_ref"
        assert all(document["accessors"][sampler["input"]]["count"] == 1 for sampler in reference["samplers"])
    return [out, in_pieces]


def main():
    validator, assets = sys.argv[1:]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        inputs = []
        for member in json.loads(run("cast", "--json")):
            inputs.append(folder / f"{member['name']}_cast.glb")
            run("cast", member["name"], "-o", inputs[-1])
        own = len(inputs)
        inputs += sorted(p for p in pathlib.Path(assets).glob("*/*") if p.suffix in (".glb", ".gltf"))
        if len(inputs) == own:
            print(f"assets are absent from {assets}: only built-in characters are checked")
        before = errors(validator, inputs)
        for number, (path, known) in enumerate(zip(inputs, before)):
            if number < own:
                known = set()  # what we make ourselves has no excuse
            written = [folder / f"{number}.glb", folder / f"{number}.gltf", folder / f"{number}e.gltf"]
            result = subprocess.run([PROGRAM, "convert", str(path), "-o", str(written[0])], capture_output=True, text=True)
            if result.returncode == 3 and INVALID & {code for code, _ in known}:
                # A file that the validator calls broken may be refused, in one sentence that names it.
                assert result.stderr.count("\n") == 1 and path.name in result.stderr, result.stderr
                print(f"ok   {path.name}: refused, {len(known)} errors in")
                passed += 1
                continue
            assert result.returncode == 0, result.stderr
            run("convert", path, "-o", written[1])
            run("convert", path, "--embed", "-o", written[2])
            options = SOFTENED.get(path.name)
            if number < own:  # and the whole rig, played out as joints and shapes
                rig = folder / f"{number}.rig.json"
                run("cast", path.name.removesuffix("_cast.glb"), "-o", rig)
                written.append(folder / f"{number}_rig.glb")
                run("convert", rig, "-o", written[-1])
            if options:
                written += soft_files(path, options, folder / f"{number}_soft.glb")
            new = [found - known for found in errors(validator, written)]
            good = not any(new)
            passed, failed = passed + good, failed + (not good)
            print(f"{'ok  ' if good else 'FAIL'} {path.name}: {len(known)} errors in, "
                  f"{'none' if good else [sorted(each) for each in new]} new in .glb, .gltf, embedded .gltf"
                  f"{', and both with soft joints' if options else ''}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
