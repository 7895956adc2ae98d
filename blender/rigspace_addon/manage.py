"""Operators that are done at once: characters, parts, and what becomes of layers."""
import fnmatch

import bpy
from bpy.props import BoolProperty

from . import curves, layers, upper
from .complaint import Complaint
from .rig import Subject
from .settings import character_of, mesh_of, owners_of


class Quick:
    """Mixed into operators with `do(context)`, which returns a sentence or None."""

    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        try:
            said = self.do(context)
        except Complaint as complaint:
            self.report({"ERROR"}, str(complaint))
            return {"CANCELLED"}
        if said:
            self.report({"INFO"}, said)
        return {"FINISHED"}


class OfCharacter(Quick):
    @classmethod
    def poll(cls, context):
        return character_of(context) is not None


class RIGSPACE_OT_set_up(Quick, bpy.types.Operator):
    """Lists the parts and layers of the active mesh, or of the largest mesh of the active armature, here"""

    bl_idname = "rigspace.set_up"
    bl_label = "Set Up"

    @classmethod
    def poll(cls, context):
        return mesh_of(context) is not None and character_of(context) is None

    def do(self, context):
        mesh = mesh_of(context)
        Subject(mesh.name, view="pose")  # complains about what cannot be done
        character = context.scene.rigspace.characters.add()
        character.name, character.mesh = mesh.name, mesh
        character.first, character.last = context.scene.frame_start, context.scene.frame_end
        character.again_first, character.again_last = context.scene.frame_start, context.scene.frame_end


def selected_names(context):
    """Nodes of what is selected: pose bones, or the active shape key of the active mesh."""
    item = context.view_layer.objects.active
    if item is not None and item.type == "ARMATURE":
        return [bone.name for bone in item.pose.bones if bone.bone.select], [bone.name for bone in item.pose.bones]
    if item is not None and item.type == "MESH" and item.active_shape_key_index > 0:
        return [f"{item.name}:{item.active_shape_key.name}"], []
    return [], []


def pattern_for(names, among):
    """As short as it can be: tail* if that means just these."""
    start = names[0]
    for name in names[1:]:
        while not name.startswith(start):
            start = start[:-1]
    start = start.rstrip("0123456789._")
    if len(names) > 1 and start and {name for name in among if fnmatch.fnmatchcase(name, start + "*")} == set(names):
        return start + "*"
    return ",".join(names)


def preset_for(name):
    """By what it is called."""
    words = {"tail": "tail trunk tentacle", "ear": "ear", "hair": "hair braid pony", "antenna": "antenna", "cheek": "cheek jowl",
             "chest": "chest breast pec", "belly": "belly stomach tummy gut"}
    for preset, known in words.items():
        if any(word in name.lower() for word in known.split()):
            return preset
    return "flesh"


class RIGSPACE_OT_part_add(OfCharacter, bpy.types.Operator):
    """A part of the selected bones, or of the active shape key"""

    bl_idname = "rigspace.part_add"
    bl_label = "Add Part"
    replace: BoolProperty(name="Into the active part", default=False, options={"SKIP_SAVE"})

    def do(self, context):
        character = character_of(context)
        names, among = selected_names(context)
        if self.replace and (not names or not character.parts):
            raise Complaint("nothing", "is selected", "select bones in pose mode, or a shape key, and a part in the list")
        part = character.parts[character.active_part] if self.replace else character.parts.add()
        if names:
            part.pattern = pattern_for(names, among)
        if not self.replace:
            part.preset = preset_for(part.pattern)
            character.active_part = len(character.parts) - 1


class RIGSPACE_OT_part_remove(OfCharacter, bpy.types.Operator):
    """Takes the part off the list; its motion stays until the next run"""

    bl_idname = "rigspace.part_remove"
    bl_label = "Remove Part"

    def do(self, context):
        character = character_of(context)
        if not character.parts:
            raise Complaint("the list of parts", "is empty", "there is nothing to remove")
        character.parts.remove(character.active_part)
        character.active_part = max(min(character.active_part, len(character.parts) - 1), 0)


class RIGSPACE_OT_remove_character(OfCharacter, bpy.types.Operator):
    """Takes the character off the list: its result, its fixes, its pull points and its settings; your animation stays"""

    bl_idname = "rigspace.remove_character"
    bl_label = "Remove Character"

    def do(self, context):
        character = character_of(context)
        for owner in owners_of(character.mesh):
            curves.undress(owner)
        for pull in character.pulls:
            if pull.target is not None:
                bpy.data.objects.remove(pull.target)
        characters = context.scene.rigspace.characters
        characters.remove(next(k for k, each in enumerate(characters) if each == character))
        layers.refresh()


class RIGSPACE_OT_fix_here(OfCharacter, bpy.types.Operator):
    """Keys the pose of now on the fix layer, and to both sides of it that the result is as it was: of the selected bones, or of
    all that the result moves"""

    bl_idname = "rigspace.fix_here"
    bl_label = "Fix Here"

    def do(self, context):
        character = character_of(context)
        frame, reach = float(context.scene.frame_current), float(character.fix_frames)
        stacks = [stack for stack in map(curves.Stack, owners_of(character.mesh)) if stack.fix is not None]
        if not stacks:
            raise Complaint("", "there is no fix layer yet", "simulate first")
        chosen = selected_paths(context)
        keyed = 0
        for stack in stacks:
            for path in sorted({path for path, _ in stack.curves("soft")}):
                if chosen is None or path.startswith(chosen):
                    keyed += 1
                    upper.fix_here(stack, path, frame, reach)
        if not keyed:
            raise Complaint("no selected bone", "is moved by the result", "select bones of a part")
        layers.refresh()
        return f"{keyed} channels are fixed at frame {frame:.0f}, and as they were from {frame - reach:.0f} and {frame + reach:.0f} on"


def selected_paths(context):
    """Beginnings of the data paths of the selected bones; None where no bone is selected in pose mode."""
    item = context.view_layer.objects.active
    if item is None or item.type != "ARMATURE" or item.mode != "POSE":
        return None
    bones = tuple(f'pose.bones["{bone.name}"]' for bone in item.pose.bones if bone.bone.select)
    return bones or None


class RIGSPACE_OT_clear(OfCharacter, bpy.types.Operator):
    """Takes the result and your fixes away: the animation is yours alone, as it was"""

    bl_idname = "rigspace.clear"
    bl_label = "Clear"

    def do(self, context):
        owners = Subject(character_of(context).mesh.name, view="artist").owners
        if not any(map(curves.Stack, owners)):
            raise Complaint("", "there is no result to clear", "simulate first")
        for owner in owners:
            curves.undress(owner)
        layers.refresh()


class RIGSPACE_OT_merge(OfCharacter, bpy.types.Operator):
    """Your animation, the result and your fixes as one new action; your own stays in the file"""

    bl_idname = "rigspace.merge"
    bl_label = "Merge"

    def do(self, context):
        subject = Subject(character_of(context).mesh.name, view="artist")
        stacks = [curves.Stack(owner) for owner in subject.owners]
        if not any(stacks):
            raise Complaint("", "there is no result to merge", "simulate first")
        for stack in stacks:
            if "artist" in stack.tracks and stack.strip("artist").blend_type != "REPLACE" and stack.plays_others():
                raise Complaint(f'your action "{stack.artist.name}"', "is blended into tracks below it, and one action cannot be",
                                "bake them first: Pose, Animation, Bake Action", stack.strip("artist").blend_type)
        made = upper.merge(subject, subject.clips[0].name + "_merged" if subject.clips else "merged")
        return "merged: " + ", ".join(action.name for action in made)


class RIGSPACE_OT_edit_keys(OfCharacter, bpy.types.Operator):
    """Opens your own action for editing, beneath the result, or goes back to the fix layer. The result does not play meanwhile"""

    bl_idname = "rigspace.edit_keys"
    bl_label = "Edit Your Keys"

    def do(self, context):
        stacks = [curves.Stack(owner) for owner in Subject(character_of(context).mesh.name, view="artist").owners]
        edited = [stack for stack in stacks if stack.owner.animation_data and stack.owner.animation_data.use_tweak_mode]
        for stack in edited:
            stack.owner.animation_data.use_tweak_mode = False
        if edited:
            return None
        for stack in stacks:
            if "artist" not in stack.tracks:
                continue
            for track in stack.owner.animation_data.nla_tracks:
                track.select = False
                for strip in track.strips:
                    strip.select = False
            track = stack.tracks["artist"]
            track.select = stack.strip("artist").select = True
            stack.owner.animation_data.nla_tracks.active = track
            stack.owner.animation_data.use_tweak_mode = True
        return None


CLASSES = (RIGSPACE_OT_set_up, RIGSPACE_OT_part_add, RIGSPACE_OT_part_remove, RIGSPACE_OT_remove_character, RIGSPACE_OT_fix_here, RIGSPACE_OT_clear, RIGSPACE_OT_merge,
           RIGSPACE_OT_edit_keys)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
