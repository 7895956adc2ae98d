"""From the parts of a character to a result on its layers, through the rigspace program and a copy of the file."""
import json

import bpy
from bpy.props import BoolProperty

from . import curves, layers
from .complaint import Complaint
from .program import Run, Scratch, save_copy
from .rig import Subject
from .settings import LOOK, CharacterName, character_of, part_name
from .work import Current, Work, follow


def seconds(subject, frame):
    """Of the clip, from a frame of the scene."""
    return max((frame - subject.clips[0].first) / subject.fps, 0.0)


def animated(scene, path):
    """The F-curve of a setting, or None."""
    animation = scene.animation_data
    action = animation.action if animation else None
    found = curves.fcurves_of(action, scene) if action else []
    return next((curve for curve in found if curve.data_path == path), None)


def value_of(part, name, subject, scene):
    """A number, or keys over time where the artist has keyed the setting: a straight line from frame to frame."""
    curve = animated(scene, part.path_from_id(name))
    if curve is None or len(curve.keyframe_points) < 2:
        return repr(round(getattr(part, name), 6))
    first, last = (round(end) for end in curve.range())
    clip = subject.clips[0]
    frames = [frame for frame in range(first, last + 1) if clip.first <= frame <= clip.last] or [round(clip.first)]
    return ",".join(f"{seconds(subject, frame):.6g}:{curve.evaluate(frame):.6g}" for frame in frames) + ",linear"


def part_arguments(part, subject, scene):
    name = part_name(part.pattern)
    told = ["--part", f"{part.pattern}={part.preset}"]
    for field, *_ in LOOK:
        if getattr(part, "use_" + field):
            told += ["--set", f"{name}.{field}={value_of(part, field, subject, scene)}"]
    if part.hits.strip():
        moments = []
        for word in part.hits.replace(",", " ").split():
            try:
                moments.append(f"{seconds(subject, float(word)):.6g}")
            except ValueError:
                raise Complaint(f'part "{name}": hit "{word}"', "is no frame", "write frames with commas: 24, 36", word) from None
        told += ["--hit", f"{name}={','.join(moments)}"]
    return told


def arguments(character, parts, subject, scene):
    """Of `rigspace simulate`, from the settings."""
    names = [part_name(part.pattern) for part in parts]
    for part, name in zip(parts, names):
        if not name:
            raise Complaint(f'part "{part.pattern}"', "has no name in it", "begin its controls with a name or a pattern: tail*")
        if names.count(name) > 1:
            raise Complaint(f'part "{name}"', "is there twice", "let their controls begin differently, or make them one part", name)
    told = ["--object", character.mesh.name, "--clip", subject.clips[0].name, "--loop", character.loop]
    for part in parts:
        told += part_arguments(part, subject, scene)
    if character.use_range:
        told += ["--start", f"{seconds(subject, character.first):.6g}", "--end", f"{seconds(subject, character.last):.6g}"]
    if character.preroll > 0:
        told += ["--preroll", f"{character.preroll:.6g}"]
    for what in sorted(character.collide):
        told += ["--collide", what]
    addon = bpy.context.preferences.addons.get(__package__)
    if addon and addon.preferences.processes:
        told += ["--rig-processes", addon.preferences.processes]
    return told


def artists_view(mesh):
    """The character without our layers; complains if nothing moves."""
    if mesh is None or mesh.name not in bpy.context.scene.objects:
        raise Complaint("the character's mesh", "is not in the scene any more", "set it up again")
    subject = Subject(mesh.name, view="artist")
    if not subject.clips:
        raise Complaint(f'"{mesh.name}"', "is not animated", "motion needs something that moves: give its rig an action")
    return subject


def remember_parts(character, recipe):
    """Parts that were found by themselves, for the list."""
    for found in recipe["parts"]:
        part = character.parts.add()
        part.pattern = ",".join(found.get("controls", []))
        nodes = sorted({name.rpartition(".")[0] for name in found.get("controls", [])})
        if nodes and all(nodes):
            part.pattern = ",".join(nodes)
        part.preset = found["preset"]


class Plan:
    """A simulation in words, without datablocks. only: one part, the others stay as they are; frames: these alone are made
    again."""

    def __init__(self, context, character, only, frames):
        parts = [only] if only else [part for part in character.parts if part.enabled]
        if character.parts and not parts:
            raise Complaint("every part", "is switched off", "switch one on, or take all away to have them found")
        subject = artists_view(character.mesh)
        self.name, self.clip = CharacterName(character), subject.clips[0].name
        self.arguments = arguments(character, parts, subject, context.scene)
        self.keeps_others, self.frames = only is not None, frames


def simulation(context, character, *, only=None, frames=None):
    """The generator; what cannot be done is said at once."""
    return simulating(Plan(context, character, only, frames))


def simulating(plan):
    with Scratch() as folder:
        yield 0.0, "writing a copy of the file"
        copy, out = save_copy(folder), folder / "result.rigspace.json"
        yield 0.02, "starting Blender as the rig"
        run = Run(folder, ["simulate", copy, "-o", out, "--additive", "--curves-only", *plan.arguments], RIGSPACE_BLENDER_VIEW="artist")
        yield from follow(run, share=(0.04, 0.98))
        answer = run.answer()
        clips = {clip["name"]: clip for clip in json.loads(out.read_text())["clips"]}
        recipe = json.loads((folder / "result.json").read_text())
    return write_result(plan, clips[f"{plan.clip}_soft_add"], answer, recipe)


def write_result(plan, deviation, answer, recipe):
    """Onto the layers of the character, for which it is looked anew: the artist may have gone on meanwhile."""
    character = plan.name.find()
    subject = artists_view(character.mesh)
    if subject.clips[0].name != plan.clip:
        raise Complaint(f'"{plan.name.mesh}"', f"plays {subject.clips[0].name} by now, and {plan.clip} was simulated", "simulate again")
    told = {**deviation, "name": f"{plan.clip}_soft", "base": plan.clip}
    Current.changes_file = True
    notes = layers.replace_layer(subject, told, frames=plan.frames, keep=plan.keeps_others)
    if not character.parts:
        remember_parts(character, recipe)
    return summary(answer, notes)


def summary(answer, notes):
    clip = answer["clips"][0]
    parts = []
    for part in clip["parts"]:
        flesh = "swing_percent" in part
        most = f"{part['largest_percent']:.1f} % of its size" if flesh else f"{part['largest_deg']:.0f} degrees"
        parts.append(f"{part['name']} at most {most}")
    said = f"{clip['name']}: " + ", ".join(parts) + ("; it loops" if clip["loop"] else "")
    return ". ".join([said, *notes, *(note for note in answer.get("notes", []) if "converge" in note)])


class RIGSPACE_OT_simulate(Work, bpy.types.Operator):
    """Sets the parts in motion: the result is a layer of its own above your animation, which stays as it is"""

    bl_idname = "rigspace.simulate"
    bl_label = "Simulate"
    only_active: BoolProperty(name="Only the active part", description="The others stay as they are", options={"SKIP_SAVE"})
    range_only: BoolProperty(name="Only a range", description="These frames are made again, blended at both ends", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return character_of(context) is not None

    def steps(self, context):
        character = character_of(context)
        only, frames = None, None
        if self.only_active:
            if not character.parts:
                raise Complaint("the list of parts", "is empty", "add one")
            only = character.parts[min(character.active_part, len(character.parts) - 1)]
        if self.range_only:
            frames = (float(character.again_first), float(character.again_last))
            if frames[1] - frames[0] < 2:
                raise Complaint("the range", f"from {frames[0]:.0f} to {frames[1]:.0f} is too short", "make it two frames at least")
        return simulation(context, character, only=only, frames=frames)


def register():
    bpy.utils.register_class(RIGSPACE_OT_simulate)


def unregister():
    bpy.utils.unregister_class(RIGSPACE_OT_simulate)
