"""Our evaluation of real characters against Blender's own, at key times. Run inside Blender:

    blender -b --factory-startup --python-exit-code 3 --python tests/blender/compare_skinning.py -- PROGRAM ASSETS OWN.glb OWN.soft.glb

Blender gets a copy of the file that holds the compared clip alone: otherwise channels that the clip does not animate would
keep another clip's values. Vertices are matched by position, since importers split and merge them."""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import bpy
import numpy

numpy.bool = bool  # Blender 3.4's importer uses the name that numpy dropped
from mathutils import kdtree  # noqa: E402

TOLERANCE = 1e-5  # of the character's size; Blender computes in single precision
AT_LEAST = 8
SOFTENED = "khr_CesiumMan/CesiumMan.glb"  # a real character that gets soft joints; its only clip has no name

# file, clip (None: the rest pose; int: by position)
CASES = [
    ("khr_Fox/Fox.glb", "Walk"),
    ("khr_CesiumMan/CesiumMan.glb", 0),
    ("khr_RiggedSimple/RiggedSimple.glb", 0),
    ("khr_MorphStressTest/MorphStressTest.glb", 0),
    ("three_RobotExpressive/RobotExpressive.glb", "Walking"),
    ("kaykit_Knight/Knight.glb", "Walking_A"),
    ("gdquest_mannequiny/mannequiny-0.3.0.glb", 0),
    ("quaternius_ShibaInu/ShibaInu.glb", 2),
    ("quaternius_Apatosaurus/Apatosaurus.glb", 0),
    ("webxr_generic_hand/left.glb", None),
    ("rocketbox_Female_Adult_01/Female_Adult_01_facial_wave.glb", 0),
    ("makehuman_female_dressed/mh_female.glb", 0),
]


def read_glb(path):
    data = path.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + length]), data[20 + length :]


def write_glb(path, document, rest):
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    total = 12 + 8 + len(text) + len(rest)
    path.write_bytes(struct.pack("<4sIIII", b"glTF", 2, total, len(text), 0x4E4F534A) + text + rest)


def key_times(document, rest, animation):
    """Moments at which every channel has a key, so that interpolation does not enter."""
    common = None
    for sampler in animation["samplers"]:
        accessor = document["accessors"][sampler["input"]]
        view = document["bufferViews"][accessor["bufferView"]]
        start = 8 + view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        times = {float(t) for t in numpy.frombuffer(rest, numpy.float32, accessor["count"], start)}
        if len(times) > 1:
            common = times if common is None else common & times
    return sorted(common) if common else [0.0]


def blender_points():
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    clouds = []
    for item in bpy.context.scene.objects:
        if item.type != "MESH" or item.name.startswith("Icosphere"):  # the importer's bone shape
            continue
        evaluated = item.evaluated_get(depsgraph)
        mesh = evaluated.data
        points = numpy.empty(3 * len(mesh.vertices), numpy.float32)
        mesh.vertices.foreach_get("co", points)
        matrix = numpy.array(evaluated.matrix_world)
        world = points.reshape(-1, 3).astype(float) @ matrix[:3, :3].T + matrix[:3, 3]
        clouds.append(numpy.stack([world[:, 0], world[:, 2], -world[:, 1]], axis=1))  # Z up to Y up
    return numpy.concatenate(clouds)


def worst_match(points, others):
    """The largest distance from a point to its nearest among the others."""
    tree = kdtree.KDTree(len(others))
    for i, point in enumerate(others):
        tree.insert(point, i)
    tree.balance()
    return max(tree.find(point)[2] for point in points)


def compare(program, path, clip, folder):
    document, rest = read_glb(path)
    times, name = [0.0], None
    if clip is not None:
        animations = document["animations"]
        index = clip if isinstance(clip, int) else [a.get("name") for a in animations].index(clip)
        name = animations[index].get("name", f"animation{index}")
        times = key_times(document, rest, animations[index])
        document["animations"] = [animations[index]]
    alone = folder / "alone.glb"
    write_glb(alone, document, rest)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=str(alone), merge_vertices=False)
    fps = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    worst, where, count = 0.0, 0.0, 0
    chosen = sorted({times[0], times[len(times) // 3], times[len(times) // 2], times[-1]})
    for time in chosen:
        if clip is not None:
            frame = time * fps
            bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
        theirs = blender_points()
        out = folder / "ours.npy"
        moment = [] if clip is None else ["--clip", name, "--time", repr(time)]
        subprocess.run([program, "eval", str(path), *moment, "-o", str(out)], check=True, capture_output=True)
        ours = numpy.load(out)
        size = float(numpy.linalg.norm(ours.max(axis=0) - ours.min(axis=0)))
        error = max(worst_match(ours, theirs), worst_match(theirs, ours)) / size
        count = len(ours)
        if error >= worst:
            worst, where = error, time
    return worst, where, count, len(chosen), name


def softened(program, path, folder):
    """The path of what simulate makes of a character; without soft joints there would be nothing new to compare."""
    out = folder / f"{path.stem}.soft.glb"
    subprocess.run([program, "simulate", str(path), "-o", str(out)], check=True, capture_output=True)
    names = [node.get("name", "") for node in read_glb(out)[0]["nodes"]]
    assert any(name.startswith("soft_") for name in names), f"{path.name} got no soft joints"
    return out


def main():
    program, assets, own, soft = sys.argv[sys.argv.index("--") + 1 :]
    cases = [(pathlib.Path(own), "Walk"), (pathlib.Path(own), "Hop"), (pathlib.Path(soft), "Walk_soft"), (pathlib.Path(soft), "Hop_soft")]
    assert any(node.get("name") == "soft_belly_01" for node in read_glb(pathlib.Path(soft))[0]["nodes"])
    present = [(pathlib.Path(assets) / name, clip) for name, clip in CASES if (pathlib.Path(assets) / name).exists()]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        if (pathlib.Path(assets) / SOFTENED).exists():
            cases.append((softened(program, pathlib.Path(assets) / SOFTENED, pathlib.Path(folder)), "animation0_soft"))
        for path, clip in cases + present:
            worst, where, count, moments, name = compare(program, path, clip, pathlib.Path(folder))
            good = worst <= TOLERANCE
            passed, failed = passed + good, failed + (not good)
            print(f"{'ok  ' if good else 'FAIL'} {path.name:36} {name or 'rest pose':24} {count:6} vertices, {moments} moments, "
                  f"largest difference {worst:.2e} of the size at {where:.3f} s", flush=True)
    skipped = len(CASES) - len(present)
    if skipped:
        print(f"{skipped} assets are absent and were skipped")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    if failed or (not skipped and passed < AT_LEAST):
        sys.exit(3)


main()
