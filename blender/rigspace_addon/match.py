"""The bones of another armature, or the points of another mesh, lead the character: `rigspace inverse` finds the controls, and
they are keyed."""
import bisect
import json
import math

import bpy
from bpy.props import IntProperty

from .complaint import Complaint
from .moving import write_bvh, write_pc2
from .program import Run, Scratch, save_copy
from .rig import Subject
from .settings import CharacterName, character_of
from .sketch import Pose
from .work import Current, Work, follow

POINTS = 200  # of the surface, where a mesh leads


def moving_object(context, character):
    """The other object that is selected: an armature or a mesh that is none of the character's."""
    mesh = character.mesh if character else None
    own = {mesh, mesh.find_armature() if mesh else None}
    return next((each for each in context.selected_objects if each.type in ("ARMATURE", "MESH") and each not in own), None)


def value_at(track, time):
    """Of a track of a curve file: linear, or cubic by its slopes."""
    times, values = track["times"], track["values"]
    k = bisect.bisect_right(times, time) - 1
    if k < 0 or len(times) == 1:
        return values[0]
    if k >= len(times) - 1:
        return values[-1]
    h = times[k + 1] - times[k]
    u = (time - times[k]) / h
    if "out_tangents" not in track:
        return values[k] + u * (values[k + 1] - values[k])
    h01 = u * u * (3 - 2 * u)
    leaving, arriving = track["out_tangents"][k], track["in_tangents"][k + 1]
    return (1 - h01) * values[k] + h01 * values[k + 1] + h * (u * (1 - u) ** 2 * leaving + u * u * (u - 1) * arriving)


def matching(context, character, first, last):
    """The generator; what cannot be done is said at once."""
    other = moving_object(context, character)
    if other is None:
        raise Complaint("the selection", "has nothing that leads", "select another armature or mesh beside the character")
    if last <= first:
        raise Complaint("the frames", f"{first} to {last} are less than two", "set the scene's range")
    same = other.type == "MESH" and len(other.data.vertices) == len(character.mesh.data.vertices)
    if other.type == "MESH" and not same:
        raise Complaint(f'"{other.name}"', f"has {len(other.data.vertices)} points, where \"{character.mesh.name}\" has {len(character.mesh.data.vertices)}",
                        "take a copy of the character's mesh")
    pose = Pose(Subject(character.mesh.name, view="pose"))
    return solving(CharacterName(character), other.name, pose.named(pose.rest), range(first, last + 1))


def solving(name, other, rest, frames):
    scene = bpy.context.scene
    fps = scene.render.fps / scene.render.fps_base
    with Scratch() as folder:
        item, now = bpy.data.objects[other], scene.frame_current
        bones = item.type == "ARMATURE"
        targets = folder / ("motion.bvh" if bones else "motion.pc2")
        try:
            for k, _ in enumerate((write_bvh if bones else write_pc2)(targets, item, frames)):
                yield 0.15 * k / len(frames), f"reading {other}"
        finally:
            scene.frame_set(now)
        copy, model, out = save_copy(folder), folder / "rig.inverse", folder / "matched.rigspace.json"
        (folder / "rest.json").write_text(json.dumps(rest))
        settings = {"RIGSPACE_BLENDER_VIEW": "pose", "RIGSPACE_BLENDER_POSE": str(folder / "rest.json")}
        train = ["inverse", "train", copy, "--object", name.mesh, "-o", model, *([] if bones else ["--points", POINTS])]
        run = Run(folder, train, **settings)
        yield from follow(run, share=(0.15, 0.4))
        run.answer()
        run = Run(folder, ["inverse", "apply", model, "--rig", copy, "--object", name.mesh, "--targets", targets, "--fps", fps, "-o", out], **settings)
        yield from follow(run, share=(0.4, 0.95))
        answer = run.answer()
        clip = json.loads(out.read_text())["clips"][-1]
    name.find()
    pose = Pose(Subject(name.mesh, view="pose"))
    Current.changes_file = True
    keys = set_keys(pose, clip, frames[0], fps)
    scene.frame_set(scene.frame_current)
    body = answer.get("body") or {}
    feet = f", standing feet slide {100 * body['foot_sliding_legs_per_second']:.1f} % of a leg a second" if body.get("standing_frames") else ""
    return f"matched: {keys} keys, joints {100 * answer['joint_error_share_of_size']:.2g} % of the size off{feet}"


def set_keys(pose, clip, first, fps):
    """Each channel at the times of its own tracks; what did not move has none."""
    listing = pose.subject.listing
    columns = {control.name: k for k, control in enumerate(listing.controls)}
    tracks = {columns[each["control"]]: each for each in clip.get("tracks", []) if each["control"] in columns}
    for each in clip.get("rotations", []):
        node = each["node"]
        for i, axis in enumerate("xyzw"):
            if f"{node}.q{axis}" in columns:
                part = {key: [value[i] for value in each[key]] for key in ("values", "in_tangents", "out_tangents") if key in each}
                tracks[columns[f"{node}.q{axis}"]] = {**part, "times": each["times"]}
    keys = 0
    for channel in listing.channels:
        own = {k: tracks[k] for k in channel.columns if k in tracks}
        times = sorted({round(time, 6) for track in own.values() for time in track["times"]})
        for time in times if any(len(track["times"]) > 1 for track in own.values()) else times[:1]:
            values = list(pose.rest)
            for k, track in own.items():
                values[k] = value_at(track, time) * (math.pi / 180 if listing.controls[k].unit == "angle" else 1.0)
            channel.set(values)
            channel.owner.keyframe_insert(channel.path, frame=first + time * fps)
            keys += 1
    return keys


class RIGSPACE_OT_match(Work, bpy.types.Operator):
    """Moves the character as the other selected object moves, over the scene's frames: bones of an armature, found by name and place,
    or the points of a copy of the mesh. The controls are keyed"""

    bl_idname = "rigspace.match"
    bl_label = "Match the Selected Motion"
    first: IntProperty(default=0, options={"SKIP_SAVE", "HIDDEN"}, description="First frame; with last 0 the scene's range")
    last: IntProperty(default=0, options={"SKIP_SAVE", "HIDDEN"})

    @classmethod
    def poll(cls, context):
        return character_of(context) is not None

    def steps(self, context):
        scene = context.scene
        first, last = (self.first, self.last) if self.last else (scene.frame_start, scene.frame_end)
        return matching(context, character_of(context), first, last)


CLASSES = (RIGSPACE_OT_match,)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
