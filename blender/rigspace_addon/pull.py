"""Points that are pulled: empties that vertices of the mesh go to, and a pose of the controls that takes them there."""
import json
import math

import bmesh
import bpy
import numpy

from . import held
from .complaint import Complaint
from .manage import OfCharacter
from .program import Run, Scratch, save_copy
from .rig import Subject
from .settings import CharacterName, character_of
from .work import Current, Work, follow


def shown_points(context, mesh):
    """As the scene shows them now, in world space, before modifiers that make other vertices."""
    shape = mesh.evaluated_get(context.evaluated_depsgraph_get())
    if len(shape.data.vertices) != len(mesh.data.vertices):
        raise Complaint(f'"{mesh.name}"', "has other vertices than it was modelled with, by a modifier",
                        "switch it off in the viewport while you pull: Subdivision for one")
    points = numpy.empty(3 * len(shape.data.vertices), numpy.float32)
    shape.data.vertices.foreach_get("co", points)
    matrix = numpy.array(shape.matrix_world)
    return points.reshape(-1, 3).astype(float) @ matrix[:3, :3].T + matrix[:3, 3]


def chosen_vertices(context, mesh):
    """Those selected in edit mode; else the one nearest to the 3D cursor."""
    if mesh.mode == "EDIT":
        edited = bmesh.from_edit_mesh(mesh.data)
        return [vertex.index for vertex in edited.verts if vertex.select]
    gaps = numpy.linalg.norm(shown_points(context, mesh) - numpy.array(context.scene.cursor.location), axis=1)
    return [int(gaps.argmin())]


class RIGSPACE_OT_pull_add(OfCharacter, bpy.types.Operator):
    """An empty on each vertex that is selected in edit mode, or on the one nearest to the 3D cursor: move it, then pull"""

    bl_idname = "rigspace.pull_add"
    bl_label = "Add Pull Point"

    def do(self, context):
        character = character_of(context)
        mesh = character.mesh
        points = shown_points(context, mesh)
        vertices = chosen_vertices(context, mesh)
        if not vertices:
            raise Complaint("no vertex", "is selected", "select one, or leave edit mode and put the 3D cursor near it")
        if len(vertices) > 50:
            raise Complaint(f"{len(vertices)} vertices", "are selected", "pull fifty at most")
        size = float(numpy.ptp(points, axis=0).max())
        for vertex in vertices:
            target = bpy.data.objects.new(f"pull {mesh.name} {vertex}", None)
            target.empty_display_type, target.empty_display_size = "SPHERE", 0.02 * size
            target.location = points[vertex]
            context.scene.collection.objects.link(target)
            pull = character.pulls.add()
            pull.target, pull.vertex = target, vertex


class RIGSPACE_OT_pull_clear(OfCharacter, bpy.types.Operator):
    """Takes all pull points away; the pose stays"""

    bl_idname = "rigspace.pull_clear"
    bl_label = "Clear Pull Points"

    def do(self, context):
        character = character_of(context)
        for pull in character.pulls:
            if pull.target is not None:
                bpy.data.objects.remove(pull.target)
        character.pulls.clear()


STRENGTH = 10  # of pulls, in multiples of the body's own stiffness: the point comes to within a fraction of a thousandth of its size


def pull_arguments(character, subject):
    told = []
    for pull in character.pulls:
        if pull.target is None:
            continue  # the artist deleted the empty
        x, y, z = pull.target.matrix_world.translation
        told += ["--pull", f"{pull.vertex}={x:.9g},{z:.9g},{-y:.9g}"]  # Y up
    if not told:
        raise Complaint("no point", "is pulled", "add a pull point and move its empty")
    for _, bone in sorted({(rig.name, name) for rig, name in held.held_bones(subject)}):  # IK turns them, whatever is set
        told += ["--keep", bone]
    return [*told, "--strength", STRENGTH]


def far_away(answer, length):
    """What is said of points that stay away from their targets."""
    gaps = [pull["distance"] for pull in answer.get("pulls", []) if pull["distance"] > 0.01 * length]
    return f"; {len(gaps)} of them cannot be reached, and stay up to {max(gaps):.3g} away" if gaps else ""


def apply(subject, clip):
    """Sets the channels that a pose of one key tells of; returns those that this has moved."""
    values = subject.rest.copy()
    columns = {control.name: k for k, control in enumerate(subject.listing.controls)}
    moved = set()
    for track in clip["tracks"]:
        k = columns[track["control"]]
        values[k] = track["values"][0] * (math.pi / 180 if subject.listing.controls[k].unit == "angle" else 1.0)
        moved.add(k)
    for track in clip.get("rotations", []):
        k = columns[track["node"] + ".qx"]
        values[k : k + 4] = track["values"][0]
        moved.update(range(k, k + 4))
    changed = []
    for channel in subject.listing.channels:
        if moved.intersection(channel.columns):
            before = channel.stored()
            channel.set(values.tolist())
            channel.owner.update_tag()
            changed += [channel] if channel.stored() != before else []
    return changed


def pulling(character):
    """The generator; what cannot be done is said at once."""
    subject = Subject(character.mesh.name, view="pose")
    told = pull_arguments(character, subject)
    stored = {subject.listing.controls[k].name: value for channel in subject.listing.channels for k, value in channel.stored().items()}
    return solving(CharacterName(character), told, stored)


def solving(name, told, stored):
    """stored: the pose now, {control: value}."""
    with Scratch() as folder:
        yield 0.0, "writing a copy of the file"
        copy, out, pose = save_copy(folder), folder / "pose.rigspace.json", folder / "pose.json"
        pose.write_text(json.dumps(stored))
        run = Run(folder, ["pose", copy, "--object", name.mesh, "-o", out, *told], RIGSPACE_BLENDER_VIEW="pose",
                  RIGSPACE_BLENDER_POSE=str(pose))
        yield from follow(run, share=(0.1, 0.95))
        answer = run.answer()
        clip = json.loads(out.read_text())["clips"][0]
    character, scene = name.find(), bpy.context.scene
    subject = Subject(name.mesh, view="pose")
    Current.changes_file = True
    moved = apply(subject, clip)
    if character.pull_keys:
        for channel in moved:
            channel.owner.keyframe_insert(channel.path, frame=scene.frame_current)
        scene.frame_set(scene.frame_current)
    bpy.context.view_layer.update()
    return f"pulled: {len(moved)} channels moved" + (", and keyed" if character.pull_keys and moved else "") + far_away(answer, answer["size"])


class RIGSPACE_OT_pull(Work, bpy.types.Operator):
    """Poses the controls so that the vertices go to their empties, as the body's own stiffness has it"""

    bl_idname = "rigspace.pull"
    bl_label = "Pull"

    @classmethod
    def poll(cls, context):
        return character_of(context) is not None

    def steps(self, context):
        return pulling(character_of(context))


CLASSES = (RIGSPACE_OT_pull_add, RIGSPACE_OT_pull_clear, RIGSPACE_OT_pull)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
