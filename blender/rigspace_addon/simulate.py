"""From the parts of a character to a result on its layers, through the rigspace program and a copy of the file."""
import fnmatch
import json
import math

import bpy
from bpy.props import BoolProperty

from . import amounts, curves, cycles, held, layers
from .complaint import Complaint
from .program import Run, Scratch, save_copy
from .rig import Subject
from .settings import LOOK, CharacterName, character_of, fps_of, part_name
from .work import Current, Work, follow


CHAINS = ("tail", "ear", "hair", "antenna")
NOTES = {}  # by mesh: what the last run had to say, for the panel; in memory alone
EASE = 0.36  # seconds: a little more than that in which a clip's end is eased out (motion_collector.cpp)


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


def told_pattern(part, subject):
    """The controls of a part for the program: chains turn, so bones that a chain names are their turns alone, though they may have
    places too (bones that are not connected, as importers make them)."""
    if part.preset not in CHAINS:
        return part.pattern
    nodes = {control.node.lower() for control in subject.listing.controls if control.unit == "angle"}
    pieces = [piece.strip() for piece in part.pattern.split(",")]
    return ",".join(f"{piece}.r?" if fnmatch.filter(nodes, piece.lower()) else piece for piece in pieces)


def part_arguments(part, subject, scene):
    name = part_name(part.pattern)
    told = ["--part", f"{told_pattern(part, subject)}={part.preset}"]
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


class Span:
    """Which frames are simulated, and what becomes of the result behind them. Made of a Subject; it moves the ends of the
    subject's clip, so that the curves go on as Blender's do behind their last keys."""

    def __init__(self, character, parts, subject, scene):
        clip = subject.clips[0]
        keys, self.cycle, self.options = (clip.first, clip.last), False, []
        self.cut = False  # a part of the clip, which is no loop then
        self.begins = float(min(character.first, character.last)) if character.use_range else clip.first
        if character.use_range:
            self.take_range(character, clip, scene)
        else:
            self.take_clip(character, parts, subject, scene)
        self.covers = clip.first, clip.last
        extended = clip.first < keys[0] - 0.5 or clip.last > keys[1] + 0.5
        loop = "yes" if self.cycle else "no" if extended else character.loop
        self.once = loop == "no" or (loop == "auto" and self.cut)
        self.loop, self.options = loop, ["--loop", loop, *self.options]

    def take_range(self, character, clip, scene):
        """The frames that are named, the last one too; behind it the result eases out."""
        first, last = sorted((float(character.first), float(character.last)))
        if last - first < 1:
            raise Complaint("Only frames", f"from {first:.0f} to {last:.0f} are too few", "make it two frames at least")
        eased = last + ease(scene)
        self.cut = first > clip.first + 0.5 or eased < clip.last - 0.5
        clip.cover(first, eased)
        self.options = ["--start", f"{(first - clip.first) / fps_of(scene):.9g}", "--end", f"{(eased - clip.first) / fps_of(scene):.9g}"]

    def take_clip(self, character, parts, subject, scene):
        clip = subject.clips[0]
        turn = cycles.cycle_of(clip) if character.loop != "no" else None
        if turn:
            clip.last = clip.first + turn[0]
            self.cycle = "both" if turn[1] else True
        elif character.loop != "yes":
            settle = max((part.settle for part in parts if part.use_settle), default=0)
            sags = any(part.use_sag for part in parts)
            last = cycles.reach_of(clip, scene.frame_end, settle, sags, subject.fps)
            if last > clip.last + 0.5 or character.loop == "no":  # a result eases out at its end: behind what is seen
                clip.cover(clip.first, last + ease(scene))


def ease(scene):
    """Frames behind the last one that is asked for, in which `rigspace simulate` eases a result out."""
    return float(math.ceil(EASE * fps_of(scene)))


def metres_per_unit(character, scene):
    """As the character's field says, else the scene's, else None: the program guesses it."""
    if character.unit > 0:
        return character.unit
    told = scene.unit_settings
    return told.scale_length if told.system != "NONE" and abs(told.scale_length - 1) > 1e-6 else None


def arguments(character, parts, subject, scene):
    """Of `rigspace simulate`, from the settings; without its times."""
    names = [part_name(part.pattern) for part in parts]
    for part, name in zip(parts, names):
        if not name:
            raise Complaint(f'part "{part.pattern}"', "has no name in it", "begin its controls with a name or a pattern: tail*")
        if names.count(name) > 1:
            raise Complaint(f'part "{name}"', "is there twice", "let their controls begin differently, or make them one part", name)
    told = ["--object", character.mesh.name, "--clip", subject.clips[0].name, "--fps", f"{subject.fps:.12g}"]
    for part in parts:
        told += part_arguments(part, subject, scene)
    if character.preroll > 0 and character.use_range:
        told += ["--preroll", f"{character.preroll:.6g}"]
    if (unit := metres_per_unit(character, scene)) is not None:
        told += ["--unit", f"{unit:.9g}"]
    for what in sorted(character.collide):
        told += ["--collide", what]
    addon = bpy.context.preferences.addons.get(__package__)
    if addon and addon.preferences.processes:
        told += ["--rig-processes", addon.preferences.processes]
    return told


def artists_view(mesh, frames=None):
    """The character without our layers; complains if nothing moves. frames: see Subject."""
    if mesh is None or mesh.name not in bpy.context.scene.objects:
        raise Complaint("the character's mesh", "is not in the scene any more", "set it up again")
    subject = Subject(mesh.name, view="artist", frames=frames)
    if not subject.clips:
        raise Complaint(f'"{mesh.name}"', "is not animated", "motion needs something that moves: give its rig an action")
    if not subject.plays:
        names = ", ".join(f'"{clip.name}"' for clip in subject.clips[:4])
        raise Complaint(f'"{mesh.name}"', "has no active action", f"choose the one to simulate in the Action editor: {names}")
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


def live_arguments(context, character):
    """Of `rigspace live`, and the frames that a run would simulate, as a Span. Numbers that are keyed have their value of now."""
    subject, scene = artists_view(character.mesh), context.scene
    if not subject.clips[0].keyed_only:
        raise Complaint(f'"{character.mesh.name}"', "is moved by tracks of the NLA editor, and the preview reads an action",
                        "simulate, or bake the tracks to an action")
    parts = [part for part in character.parts if part.enabled]
    held.refuse(parts, subject)
    span = Span(character, parts, subject, scene)
    told = ["--object", character.mesh.name, "--clip", subject.clips[0].name, "--loop", span.loop]
    for part in parts:
        told += ["--part", f"{told_pattern(part, subject)}={part.preset}"]
        for field, *_ in LOOK:
            if getattr(part, "use_" + field):
                told += ["--set", f"{part_name(part.pattern)}.{field}={getattr(part, field):.9g}"]
    if (unit := metres_per_unit(character, scene)) is not None:
        told += ["--unit", f"{unit:.9g}"]
    return told, span


class Plan:
    """A simulation in words, without datablocks. only: one part, the others stay as they are; frames: these alone are made
    again."""

    def __init__(self, context, character, only, frames):
        parts = [only] if only else [part for part in character.parts if part.enabled]
        if character.parts and not parts:
            raise Complaint("every part", "is switched off", "switch one on, or take all away to have them found")
        subject = artists_view(character.mesh)
        self.name, self.clip = CharacterName(character), subject.clips[0].name
        self.amounts = [(part.pattern, amounts.amount_of(part)) for part in parts]
        held.refuse(parts, subject)
        span = Span(character, parts, subject, context.scene)
        self.covers, self.cycle = span.covers, span.cycle
        self.arguments = arguments(character, parts, subject, context.scene) + span.options
        self.keeps_others, self.frames = only is not None, frames


def simulation(context, character, *, only=None, frames=None):
    """The generator; what cannot be done is said at once."""
    return simulating(Plan(context, character, only, frames))


def simulating(plan):
    with Scratch() as folder:
        yield 0.0, "writing a copy of the file"
        copy, out = save_copy(folder), folder / "result.rigspace.json"
        yield 0.02, "starting Blender as the rig"
        run = Run(folder, ["simulate", copy, "-o", out, "--additive", "--curves-only", *plan.arguments], RIGSPACE_BLENDER_VIEW="artist",
                  RIGSPACE_BLENDER_FRAMES="{!r}:{!r}".format(*plan.covers))
        yield from follow(run, share=(0.04, 0.98))
        answer = run.answer()
        clips = {clip["name"]: clip for clip in json.loads(out.read_text())["clips"]}
        recipe = json.loads((folder / "result.json").read_text())
    return write_result(plan, clips[f"{plan.clip}_soft_add"], answer, recipe)


def write_result(plan, deviation, answer, recipe):
    """Onto the layers of the character, for which it is looked anew: the artist may have gone on meanwhile."""
    character = plan.name.find()
    subject = artists_view(character.mesh, plan.covers)
    if subject.clips[0].name != plan.clip:
        raise Complaint(f'"{plan.name.mesh}"', f"plays {subject.clips[0].name} by now, and {plan.clip} was simulated", "simulate again")
    told = {**deviation, "name": f"{plan.clip}_soft", "base": plan.clip, "cycle": plan.cycle}
    Current.changes_file = True
    notes = layers.replace_layer(subject, told, frames=plan.frames, keep=plan.keeps_others)
    if not character.parts:
        remember_parts(character, recipe)
        plan.amounts = [(part.pattern, amounts.amount_of(part)) for part in character.parts]
    amounts.remember(subject, plan.amounts, recipe)
    NOTES[plan.name.mesh] = [*answer.get("warnings", []), *notes, *answer.get("notes", [])]
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
    NOTES.clear()
    bpy.utils.unregister_class(RIGSPACE_OT_simulate)
