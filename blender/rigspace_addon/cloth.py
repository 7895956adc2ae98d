"""Cloth: a mesh over another that moves. `rigspace cloth simulate` makes the frames; they come back as a point cache that a Mesh
Cache modifier plays."""
import pathlib
import re
import shutil
import struct
import types

import bpy
import numpy
from bpy.props import IntProperty
from mathutils import Matrix

from .complaint import Complaint
from .moving import UP, write_pc2
from .program import Run
from .work import Current, Work, follow

MODIFIER = "Rigspace Cloth"
DEFORMS = {"ARMATURE", "CAST", "CURVE", "DISPLACE", "HOOK", "LAPLACIANDEFORM", "LATTICE", "MESH_CACHE", "MESH_DEFORM", "SHRINKWRAP",
           "SIMPLE_DEFORM", "SMOOTH", "CORRECTIVE_SMOOTH", "LAPLACIANSMOOTH", "SURFACE_DEFORM", "WARP", "WAVE"}


class MeshName:
    """The body of a run by its name alone, as settings.CharacterName: an undo reads datablocks anew."""

    def __init__(self, scene, mesh):
        self.scene, self.mesh = scene.name, mesh.name

    def find(self):
        return types.SimpleNamespace(mesh=object_named(self.mesh))


def object_named(name):
    item = bpy.data.objects.get((name, None))
    if item is None:
        raise Complaint(f'"{name}"', "is not in the file any more", "select garment and body again")
    return item


def chosen(context):
    """Garment and body: the active mesh, and the other selected one; else the scene's only character."""
    garment = context.active_object if context.active_object and context.active_object.type == "MESH" else None
    bodies = [each for each in context.selected_objects if each.type == "MESH" and each != garment]
    if not bodies:
        characters = [each.mesh for each in context.scene.rigspace.characters if each.mesh not in (None, garment)]
        bodies = characters if len(characters) == 1 else []
    return garment, bodies[0] if len(bodies) == 1 else None


def cache_folder():
    """Beside the file; of one that was never saved, Blender's own, which goes with it."""
    base = pathlib.Path(bpy.data.filepath).parent if bpy.data.filepath else pathlib.Path(bpy.app.tempdir)
    return base / "rigspace_cache"


class Plain:
    """Takes away what changes an object's number of points, and the cache itself, while it is read."""

    def __init__(self, item, own_cache):
        self.item = item.name
        first = next((k for k, each in enumerate(item.modifiers) if each.type not in DEFORMS), len(item.modifiers))
        self.hidden = [each.name for k, each in enumerate(item.modifiers)
                       if each.show_viewport and (k >= first or (own_cache and each.name == MODIFIER))]

    def __enter__(self):
        self.set(False)

    def __exit__(self, *_):
        self.set(True)

    def set(self, shown):
        item = bpy.data.objects.get((self.item, None))
        for name in self.hidden if item is not None else ():
            if name in item.modifiers:
                item.modifiers[name].show_viewport = shown


def write_obj(path, item):
    """As it is at this frame, in the scene's axes, y up."""
    posed = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
    if len(posed.data.vertices) != len(item.data.vertices):
        raise Complaint(f'"{item.name}"', "has modifiers that change its number of points", "switch these off")
    if not len(item.data.polygons):
        raise Complaint(f'"{item.name}"', "has no faces", "give it a surface")
    lines = ["v " + " ".join(f"{value:.9g}" for value in UP @ (posed.matrix_world @ vertex.co)) for vertex in posed.data.vertices]
    lines += ["f " + " ".join(str(i + 1) for i in face.vertices) for face in posed.data.polygons]
    path.write_text("\n".join(lines) + "\n")


def into_object(made, kept, places):
    """A cache in the scene's axes, y up, as one in the object's own, where it is at each frame."""
    data = made.read_bytes()
    count, frames = struct.unpack_from("<i8xi", data, 16)
    x = numpy.frombuffer(data, "<f4", offset=32).reshape(frames, count, 3).astype(float)
    for k in range(frames):
        turn = numpy.array((UP.to_4x4() @ places[k]).inverted())
        x[k] = x[k] @ turn[:3, :3].T + turn[:3, 3]
    kept.write_bytes(data[:32] + x.astype("<f4").tobytes())
    return frames


def wear(garment, path, first):
    """The modifier that plays the cache: after all that deforms, before what refines."""
    modifier = garment.modifiers.get(MODIFIER)
    if modifier is None or modifier.type != "MESH_CACHE":
        modifier = garment.modifiers.new(MODIFIER, "MESH_CACHE")
        deforms = [k for k, each in enumerate(garment.modifiers) if each.type in DEFORMS and each != modifier]
        with bpy.context.temp_override(object=garment, active_object=garment):
            bpy.ops.object.modifier_move_to_index(modifier=modifier.name, index=max(deforms, default=-1) + 1)
        modifier = garment.modifiers[modifier.name]
    modifier.cache_format, modifier.play_mode, modifier.deform_mode = "PC2", "SCENE", "OVERWRITE"
    modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"
    modifier.frame_start = first
    modifier.filepath = bpy.path.relpath(str(path)) if bpy.data.filepath else str(path)


def clothing(context, garment, body, first, last):
    """The generator; what cannot be done is said at once."""
    if garment is None or body is None:
        raise Complaint("the selection", "is no garment on a body", "select the body's mesh, then the garment's, which is active")
    if last <= first:
        raise Complaint("the frames", f"{first} to {last} are less than two", "set the scene's range")
    settings = context.scene.rigspace
    options = ["--attach", settings.cloth_attach, "--friction", settings.cloth_friction, "--density", settings.cloth_density,
               "--bending", settings.cloth_bending, "--unit", context.scene.unit_settings.scale_length]
    return solving(garment.name, body.name, first, last, options)


def reading(folder, garment, body, frames, places):
    """Both at the first frame as .obj, the body over all as .pc2; where the garment's object is."""
    scene, item, moving = bpy.context.scene, object_named(garment), object_named(body)
    now = scene.frame_current
    try:
        with Plain(item, True), Plain(moving, False):
            scene.frame_set(frames[0])
            write_obj(folder / "garment.obj", item)
            write_obj(folder / "body.obj", moving)
            for k, _ in enumerate(write_pc2(folder / "body.pc2", moving, frames)):
                places.append(Matrix(object_named(garment).evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world))
                yield 0.1 * k / len(frames), f"reading {body}"
    finally:
        scene.frame_set(now)


def solving(garment, body, first, last, options):
    scene, frames = bpy.context.scene, range(first, last + 1)
    fps = scene.render.fps / scene.render.fps_base
    base = cache_folder()
    name = re.sub(r"[^\w.-]", "_", garment)
    # Kept when it is stopped: the next run goes on there, if nothing has changed.
    work, kept, places = base / f"{name}.run", base / f"{name}.pc2", []
    work.mkdir(parents=True, exist_ok=True)
    yield from reading(work, garment, body, frames, places)
    made = work / "cloth.pc2"
    run = Run(work, ["cloth", "simulate", work / "body.obj", "--motion", work / "body.pc2", "--garment", work / "garment.obj", "--fps", fps,
                     "--lead", 0, "--to", (last - first) / fps, "-o", made, *options], keep=True)
    yield from follow(run, share=(0.1, 0.98))
    answer = run.answer()
    item = object_named(garment)
    Current.changes_file = True
    into_object(made, kept, places)
    wear(item, kept, first)
    shutil.rmtree(work, ignore_errors=True)
    scene.frame_set(scene.frame_current)
    return said(answer, len(frames))


def said(answer, frames):
    clip, relaxed = answer["clips"][0], answer["relaxed"]
    words = f"cloth over {frames} frames"
    if relaxed["rounds"]:
        words += f"; it began {relaxed['inside']} points in or at the body and was moved out by up to {100 * relaxed['farthest_m']:.1f} cm"
    if not answer["self_contact"]:
        words += "; it passes through itself at the start, so contact with itself is off"
    if clip["unfinished"]:
        words += f"; {clip['unfinished']} solves are unfinished"
    if clip["body_triangles_released"]:
        words += f"; {clip['body_triangles_released']} faces of the body let cloth through that they had caught"
    return words


class RIGSPACE_OT_cloth(Work, bpy.types.Operator):
    """Simulates the active mesh as cloth on the other selected one, over the scene's frames, without intersections. A run that was
    stopped goes on where it stood"""

    bl_idname = "rigspace.cloth"
    bl_label = "Simulate as Cloth"
    first: IntProperty(default=0, options={"SKIP_SAVE", "HIDDEN"}, description="First frame; with last 0 the scene's range")
    last: IntProperty(default=0, options={"SKIP_SAVE", "HIDDEN"})

    @classmethod
    def poll(cls, context):
        return context.active_object is not None and context.active_object.type == "MESH"

    def whose(self, context):
        body = chosen(context)[1]
        if body is None:
            raise Complaint("the selection", "is no garment on a body", "select the body's mesh, then the garment's, which is active")
        return MeshName(context.scene, body)

    def steps(self, context):
        scene = context.scene
        first, last = (self.first, self.last) if self.last else (scene.frame_start, scene.frame_end)
        return clothing(context, *chosen(context), first, last)


CLASSES = (RIGSPACE_OT_cloth,)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
