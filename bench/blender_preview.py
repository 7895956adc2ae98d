"""Frames a second of the add-on's live preview, how far it is from the result, and how long that takes.

    blender -b --factory-startup --python bench/blender_preview.py -- OUT.json FILE OBJECT ACTION PATTERN=PRESET..

FILE is a .blend or a .glb. An empty OBJECT is the largest mesh with an armature, an empty ACTION the one that is active."""
import json
import pathlib
import sys
import time

import bpy
import numpy

numpy.bool = bool  # Blender 3.4's glTF importer has the old name
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "blender"))
import rigspace_addon  # noqa: E402

OUT, FILE, OBJECT, ACTION, *PARTS = sys.argv[sys.argv.index("--") + 1 :]
SETTLED = 10  # frames, behind which the start is forgotten


def opened():
    if FILE.endswith(".blend"):
        bpy.ops.wm.open_mainfile(filepath=FILE)
    else:
        bpy.ops.wm.read_homefile(use_empty=True)
        bpy.ops.import_scene.gltf(filepath=FILE)
    meshes = [item for item in bpy.data.objects if item.type == "MESH" and item.find_armature()]
    mesh = bpy.data.objects[OBJECT] if OBJECT else max(meshes, key=lambda item: len(item.data.vertices))
    animation = mesh.find_armature().animation_data
    if ACTION:
        for track in animation.nla_tracks:
            track.mute = True
        animation.action = next(action for action in bpy.data.actions if ACTION in action.name)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = (round(end) for end in animation.action.frame_range)
    bpy.context.view_layer.objects.active = mesh
    return mesh, scene


def played(mesh, scene):
    """(points of all frames, frames a second)."""
    frames, shown = range(scene.frame_start, scene.frame_end + 1), []
    scene.frame_set(frames[0])
    began = time.perf_counter()
    for frame in frames:
        scene.frame_set(frame)
        shape = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        values = numpy.empty(3 * len(shape.vertices), numpy.float32)
        shape.vertices.foreach_get("co", values)
        shown.append(values)
    return numpy.stack(shown), len(frames) / (time.perf_counter() - began)


def apart(a, b, rest):
    return float(numpy.sqrt(((a - b) ** 2).sum() / max(((b - rest) ** 2).sum(), 1e-30)))


def main():
    mesh, scene = opened()
    rigspace_addon.register()
    rest, plain = played(mesh, scene)
    bpy.ops.rigspace.set_up()
    character = scene.rigspace.characters[-1]
    for text in PARTS:
        part = character.parts.add()
        part.pattern, part.preset = text.split("=")
    began = time.perf_counter()
    bpy.ops.rigspace.live()
    ready = time.perf_counter() - began
    seen, rate = played(mesh, scene)
    bpy.ops.rigspace.live()
    began = time.perf_counter()
    bpy.ops.rigspace.simulate()
    baked_in = time.perf_counter() - began
    baked, _ = played(mesh, scene)
    part, before = character.parts[0], baked
    began = time.perf_counter()
    part.amount = 1.3 * part.amount
    changed_in = time.perf_counter() - began
    changed, _ = played(mesh, scene)
    pathlib.Path(OUT).write_text(json.dumps({
        "bones": len(mesh.find_armature().data.bones), "points": len(mesh.data.vertices), "frames": len(rest),
        "frames_per_second": rate, "frames_per_second_without": plain, "seconds_until_ready": ready, "seconds_of_a_run": baked_in,
        "difference_of_the_motion_percent": 100 * apart(seen, baked, rest),
        "behind_ten_frames_percent": 100 * apart(seen[SETTLED:], baked[SETTLED:], rest[SETTLED:]),
        "seconds_until_an_amount_is_seen": changed_in, "amount_changes_the_motion_percent": 100 * apart(changed, before, rest)}))


main()
