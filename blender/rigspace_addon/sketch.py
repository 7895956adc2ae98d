"""Strokes in the 3D view pose the armature: `rigspace sketch pose` on the scene as it is."""
import json
import math

import bpy
from bpy.props import FloatVectorProperty

from .complaint import Complaint
from .controls import Scalar, Turn, orientation
from .program import Run, Scratch, save_copy
from .rig import Subject
from .settings import CharacterName, character_of
from .strokes import Drawing, View, clear
from .work import Current, Work, follow

NEUTRAL = {"location": 0.0, "rotation_euler": 0.0, "scale": 1.0}
MOVED = 1e-6


def is_bone(channel):
    return channel.path.startswith("pose.bones[") and not isinstance(channel, Scalar)


def logarithm(turn):
    """The rotation vector of a quaternion w x y z, half a turn at most."""
    w, x, y, z = turn if turn[0] >= 0 else [-value for value in turn]
    length = math.sqrt(x * x + y * y + z * z)
    factor = 2 * math.atan2(length, w) / length if length > 1e-12 else 2.0
    return [factor * x, factor * y, factor * z]


class Pose:
    """rest: all controls with the bones as they were modelled, from where limits of bodies count; now: as they stand."""

    def __init__(self, subject):
        self.subject = subject
        self.rest, self.now = subject.rest.tolist(), subject.rest.tolist()
        for channel in subject.listing.channels:
            stored = channel.stored()
            for column, value in stored.items():
                self.rest[column] = self.now[column] = float(value)
            if not is_bone(channel):
                continue
            if isinstance(channel, Turn):
                if channel.first is not None:
                    self.rest[channel.key : channel.key + 4] = self.now[channel.key : channel.key + 4] = [0.0, 0.0, 0.0, 1.0]
                    self.now[channel.first : channel.first + 3] = logarithm(orientation(channel.holder))
            else:
                for column in stored:
                    self.rest[column] = NEUTRAL[channel.attribute]

    def named(self, values):
        return {control.name: value for control, value in zip(self.subject.listing.controls, values)}

    def sets(self):
        """What differs from rest, as the program is told: degrees for angles."""
        told = []
        for control, rest, now in zip(self.subject.listing.controls, self.rest, self.now):
            if now != rest and control.unit != "quaternion":
                told += ["--set", f"{control.name}={math.degrees(now) if control.unit == 'angle' else now!r}"]
        return told

    def apply(self, clip):
        """Sets the pose that came back; returns the channels that this has moved."""
        values, columns = list(self.rest), {control.name: k for k, control in enumerate(self.subject.listing.controls)}
        for track in clip["tracks"]:
            k = columns[track["control"]]
            values[k] = track["values"][0] * (math.pi / 180 if self.subject.listing.controls[k].unit == "angle" else 1.0)
        changed = []
        for channel in self.subject.listing.channels:
            if any(abs(values[k] - self.now[k]) > MOVED for k in channel.columns):
                channel.set(values)
                channel.owner.update_tag()
                changed.append(channel)
        return changed


def chosen_bones(context, mesh):
    """Names of bones that are selected in pose mode: these alone turn."""
    rig = mesh.find_armature()
    if rig is None or rig.mode != "POSE":
        return []
    return [bone for bone in rig.pose.bones if bone.bone.select]


def free_arguments(bones):
    told = []
    for bone in bones:
        told += ["--free", f"{bone.name}.r?"] + ([] if bone.parent else ["--free", f"{bone.name}.t?"])
    return told


def drawing_character(context):
    """The active one; while a grease pencil object is active, the only one that is set up."""
    character = character_of(context)
    if character is None and len(context.scene.rigspace.characters) == 1:
        character = context.scene.rigspace.characters[0]
    return character


def sketching(context, character, view):
    """The generator; what cannot be done is said at once."""
    name = CharacterName(character)
    drawing = Drawing(context, view)
    pose = Pose(Subject(character.mesh.name, view="pose"))
    told = drawing.told(character.sketch_lines == "over")
    arguments = [*free_arguments(chosen_bones(context, character.mesh)), *pose.sets()]
    if character.sketch_lines != "over":
        arguments += ["--abstraction", character.sketch_lines]
    return solving(name, told, pose.named(pose.rest), arguments, drawing.used)


def solving(name, drawing, rest, arguments, used):
    with Scratch() as folder:
        yield 0.0, "writing a copy of the file"
        copy, out = save_copy(folder), folder / "pose.rigspace.json"
        (folder / "rest.json").write_text(json.dumps(rest))
        (folder / "drawing.json").write_text(json.dumps(drawing))
        run = Run(folder, ["sketch", "pose", copy, "--object", name.mesh, "--strokes", folder / "drawing.json", "-o", out, *arguments],
                  RIGSPACE_BLENDER_VIEW="pose", RIGSPACE_BLENDER_POSE=str(folder / "rest.json"))
        yield from follow(run, share=(0.1, 0.95))
        answer = run.answer()
        clip = json.loads(out.read_text())["clips"][0]
    character, scene = name.find(), bpy.context.scene
    pose = Pose(Subject(name.mesh, view="pose"))
    Current.changes_file = True
    moved = pose.apply(clip)
    keyed = bool(moved) and scene.tool_settings.use_keyframe_insert_auto
    if keyed:
        for channel in moved:
            channel.owner.keyframe_insert(channel.path, frame=scene.frame_current)
    if character.sketch_clear:
        clear(used)
    bpy.context.view_layer.update()
    return f"drawn: {len(moved)} channels moved" + (", and keyed" if keyed else "") + missed(answer["poses"][-1]["strokes"])


def missed(strokes):
    """What no pose reaches, in words."""
    words = [f"{each['stroke']} stands for no line" if each["curve"] is None else
             f"{each['stroke']} ({each['curve']}) is {100 * each['residual']:.0f} % of the size away"
             for each in strokes if not each["reached"]]
    return "; not reached: " + ", ".join(words) if words else ""


class RIGSPACE_OT_sketch(Work, bpy.types.Operator):
    """Poses the character by the strokes that were drawn over it, with the annotation tool or a grease pencil. Bones that are
    selected in pose mode turn alone"""

    bl_idname = "rigspace.sketch"
    bl_label = "Pose by Drawing"
    view_matrix: FloatVectorProperty(size=16, options={"SKIP_SAVE", "HIDDEN"}, description="World to view, by rows; for scripts")
    window_matrix: FloatVectorProperty(size=16, options={"SKIP_SAVE", "HIDDEN"}, description="The projection, by rows; for scripts")

    @classmethod
    def poll(cls, context):
        return drawing_character(context) is not None

    def character(self, context):
        return drawing_character(context)

    def steps(self, context):
        return sketching(context, drawing_character(context), View.of(context, self))


CLASSES = (RIGSPACE_OT_sketch,)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
