"""Variants of the test character with something in them that a host must notice, or cope with.

    blender -b --factory-startup --python-exit-code 3 --python tests/blender/make_faults.py -- FOLDER"""
import pathlib
import sys

import bpy

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import make_character  # noqa: E402

folder = pathlib.Path(sys.argv[sys.argv.index("--") + 1])


def save(name):
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / name), check_existing=False)


def more_vertices():
    """A modifier that adds vertices, uneven scale, and a driver in Python."""
    body, rig = make_character.build()
    body.modifiers.new("Smooth", "SUBSURF").levels = 1
    rig.scale = (1, 1, 1.5)
    driver = rig.pose.bones["tail3"].driver_add("scale", 0).driver
    driver.type, driver.expression = "SCRIPTED", "[1.0, 2.0][0]"
    save("more_vertices.blend")


def cycle():
    _, rig = make_character.build()
    for one, other in (("tail2", "belly"), ("belly", "tail2")):
        constraint = rig.pose.bones[one].constraints.new("COPY_ROTATION")
        constraint.target, constraint.subtarget, constraint.influence = rig, other, 0.1
    save("cycle.blend")


def bad_key():
    _, rig = make_character.build()
    curve = rig.animation_data.action.fcurves.find('pose.bones["hips"].location', index=0)
    curve.keyframe_points[2].co[1] = float("nan")
    save("bad_key.blend")


def linked():
    """From another file: the objects, without an override; and a mesh whose file is gone."""
    make_character.build()
    save("library.blend")
    for name, library in (("linked.blend", "library.blend"), ("lost.blend", "gone.blend")):
        if library == "gone.blend":
            make_character.build()
            save(library)
        bpy.ops.wm.read_factory_settings(use_empty=True)
        with bpy.data.libraries.load(str(folder / library), link=True) as (source, into):
            into.objects = ["Body", "Rig"]
        for item in into.objects:
            bpy.context.scene.collection.objects.link(item)
        save(name)
    (folder / "gone.blend").unlink()


def layered():
    """A library override whose animation lies on NLA tracks."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(str(folder / "library.blend"), link=True) as (source, into):
        into.objects, into.actions = ["Body", "Rig", "Cage"], ["Turn"]
    scene = bpy.context.scene
    for item in into.objects:
        scene.collection.objects.link(item)
    scene.render.fps, scene.frame_start, scene.frame_end = make_character.FPS, make_character.FIRST, make_character.LAST
    into.objects[0].override_hierarchy_create(scene, bpy.context.view_layer)
    animation = bpy.data.objects["Rig", None].animation_data
    walk, animation.action = animation.action, None
    for action, start, blend in ((walk, 1, "REPLACE"), (into.actions[0], 20, "COMBINE")):
        strip = animation.nla_tracks.new().strips.new(action.name, start, action)
        strip.blend_type, strip.extrapolation = blend, "HOLD" if blend == "REPLACE" else "NOTHING"
    save("layered.blend")


def nothing_rigged():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_cube_add()
    save("cube.blend")


for make in (more_vertices, cycle, bad_key, linked, layered, nothing_rigged):
    make()
