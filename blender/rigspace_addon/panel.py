"""3D view, N, Rigspace: parts, look, simulate, layers, pull points, diagnostics, in the order in which they are used."""
import textwrap

import bpy
from bpy.app.translations import pgettext_iface as iface

from . import cloth, curves, diagnose, live, match, simulate, sketch, work
from .settings import LOOK, character_of, mesh_of, owners_of, part_name

ALWAYS = ("amount", "rate", "settle")  # the others are behind "More"
NOTES_SHOWN = 6


class RIGSPACE_UL_parts(bpy.types.UIList):
    def draw_item(self, context, layout, data, part, icon, active_data, active_property):
        row = layout.row(align=True)
        row.prop(part, "enabled", text="")
        row.prop(part, "pattern", text="", emboss=False)
        row.label(text=part.preset)


class Side:
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "Rigspace"


class OfCharacter(Side):
    @classmethod
    def poll(cls, context):
        return character_of(context) is not None


class RIGSPACE_PT_main(Side, bpy.types.Panel):
    bl_idname, bl_label = "RIGSPACE_PT_main", "Rigspace"

    def draw(self, context):
        layout, mesh = self.layout, mesh_of(context)
        if work.Current.work is not None:
            box = layout.box()
            for line in (*work.status_lines(), "Esc stops it"):
                box.label(text=line)
        if mesh is None:
            layout.label(text="Select a character's mesh or armature")
        elif character_of(context) is None:
            layout.operator("rigspace.set_up", text=iface('Set Up "{}"').format(mesh.name), icon="ADD")
        else:
            row = layout.row()
            row.label(text=mesh.name, icon="MESH_DATA")
            row.operator("rigspace.remove_character", text="", icon="X")


class RIGSPACE_PT_parts(OfCharacter, bpy.types.Panel):
    bl_label, bl_parent_id = "Parts", "RIGSPACE_PT_main"

    def draw(self, context):
        layout, character = self.layout, character_of(context)
        row = layout.row()
        row.template_list("RIGSPACE_UL_parts", "", character, "parts", character, "active_part", rows=3)
        column = row.column(align=True)
        column.operator("rigspace.part_add", text="", icon="ADD")
        column.operator("rigspace.part_remove", text="", icon="REMOVE")
        column.operator("rigspace.part_add", text="", icon="RESTRICT_SELECT_OFF").replace = True
        if not character.parts:
            layout.label(text="Without parts they are found", icon="INFO")
            return
        part = character.parts[min(character.active_part, len(character.parts) - 1)]
        layout.prop(part, "pattern")
        layout.prop(part, "preset")
        self.draw_look(layout.column(align=True), part)

    def draw_look(self, column, part):
        for name, *_ in LOOK:
            if name not in ALWAYS and not part.show_more:
                continue
            row = column.row(align=True)
            row.prop(part, "use_" + name, text="")
            value = row.row(align=True)
            value.active = getattr(part, "use_" + name)
            value.prop(part, name)
        if part.show_more:
            column.prop(part, "hits")
        column.prop(part, "show_more", icon="TRIA_DOWN" if part.show_more else "TRIA_RIGHT", emboss=False)


class RIGSPACE_PT_simulate(OfCharacter, bpy.types.Panel):
    bl_label, bl_parent_id = "Simulate", "RIGSPACE_PT_main"

    def draw(self, context):
        layout, character = self.layout, character_of(context)
        layout.prop(character, "use_range")
        if character.use_range:
            row = layout.row(align=True)
            row.prop(character, "first")
            row.prop(character, "last")
            layout.prop(character, "preroll")
        layout.label(text="Loop")
        layout.row().prop(character, "loop", expand=True)
        layout.prop(character, "unit")
        layout.label(text="Runs into")
        layout.row().prop(character, "collide")
        row = layout.row(align=True)
        row.scale_y = 1.4
        row.operator("rigspace.simulate", icon="PHYSICS")
        row.operator("rigspace.live", text="Stop Preview" if live.Current.live else "Live Preview", icon="PLAY",
                     depress=live.Current.live is not None)
        if live.Current.failed:
            draw_sentence(layout, context, iface("The preview has ended: {}").format(live.Current.failed))
        self.draw_notes(layout, context, character)
        if len(character.parts) > 1:
            name = part_name(character.parts[min(character.active_part, len(character.parts) - 1)].pattern)
            layout.operator("rigspace.simulate", text=iface("Only {}").format(name)).only_active = True

    def draw_notes(self, layout, context, character):
        said = simulate.NOTES.get(character.mesh.name, [])
        for sentence in said[:NOTES_SHOWN]:
            draw_sentence(layout, context, sentence)
        if len(said) > NOTES_SHOWN:
            layout.label(text=iface("And {} more notes, in the console").format(len(said) - NOTES_SHOWN))


def draw_sentence(layout, context, sentence):
    column = layout.column(align=True)
    for k, line in enumerate(textwrap.wrap(sentence, max(int(context.region.width / 8), 20))):
        column.label(text=line, icon="INFO" if k == 0 else "BLANK1")


class RIGSPACE_PT_layers(OfCharacter, bpy.types.Panel):
    bl_label, bl_parent_id = "Layers", "RIGSPACE_PT_main"

    def stacks(self, context):
        return [stack for stack in map(curves.Stack, owners_of(character_of(context).mesh)) if stack]

    def draw(self, context):
        layout, stacks = self.layout, self.stacks(context)
        if not stacks:
            layout.label(text="Nothing is simulated yet")
            return
        for stack in stacks:
            self.draw_stack(layout.box(), stack)
        layout.prop(character_of(context), "influence", slider=True)
        tweaked = any(stack.owner.animation_data.use_tweak_mode for stack in stacks)
        row = layout.row(align=True)
        row.operator("rigspace.edit_keys", text="Back to the Fix Layer" if tweaked else "Edit Your Keys", depress=tweaked)
        row.operator("rigspace.own_key", text="", icon="PREV_KEYFRAME").back = True
        row.operator("rigspace.own_key", text="", icon="NEXT_KEYFRAME")
        character = character_of(context)
        row = layout.row(align=True)
        row.operator("rigspace.fix_here", icon="KEYFRAME_HLT")
        row.prop(character, "fix_frames")
        row = layout.row(align=True)
        row.prop(character, "again_first")
        row.prop(character, "again_last")
        layout.operator("rigspace.simulate", text="Make This Range Again", icon="FILE_REFRESH").range_only = True
        row = layout.row(align=True)
        row.operator("rigspace.merge")
        row.operator("rigspace.clear")

    def draw_stack(self, box, stack):
        """From the top."""
        box.label(text=stack.owner.name)
        animation = stack.owner.animation_data
        if stack.fix is not None:
            row = box.row(align=True)
            row.label(text="fix", icon="KEYFRAME")
            row.prop(animation, "action_influence", text="")
        for kind in ("soft", "artist"):
            if kind in stack.tracks:
                row = box.row(align=True)
                row.prop(stack.tracks[kind], "mute", text="", icon="HIDE_ON" if stack.tracks[kind].mute else "HIDE_OFF")
                row.label(text=stack.tracks[kind].name)


class RIGSPACE_PT_pull(OfCharacter, bpy.types.Panel):
    bl_label, bl_parent_id, bl_options = "Pull Points", "RIGSPACE_PT_main", {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, character = self.layout, character_of(context)
        for pull in character.pulls:
            row = layout.row(align=True)
            row.prop(pull, "target", text=str(pull.vertex))
        row = layout.row(align=True)
        row.operator("rigspace.pull_add", icon="ADD")
        row.operator("rigspace.pull_clear", text="Clear")
        layout.prop(character, "pull_keys")
        layout.operator("rigspace.pull", icon="CON_KINEMATIC")


class RIGSPACE_PT_sketch(Side, bpy.types.Panel):
    bl_label, bl_parent_id, bl_options = "Pose by Drawing", "RIGSPACE_PT_main", {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return sketch.drawing_character(context) is not None

    def draw(self, context):
        layout, character = self.layout, sketch.drawing_character(context)
        layout.prop(character, "sketch_lines")
        layout.prop(character, "sketch_clear")
        layout.operator("rigspace.sketch", icon="GREASEPENCIL")
        bones = sketch.chosen_bones(context, character.mesh) if character.mesh else []
        if bones:
            layout.label(text=iface("{} selected bones turn").format(len(bones)), icon="INFO")


class RIGSPACE_PT_match(Side, bpy.types.Panel):
    bl_label = "Match a Motion"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return character_of(context) is not None

    def draw(self, context):
        other = match.moving_object(context, character_of(context))
        self.layout.label(text=iface("Moves as {}").format(other.name) if other else "Select what moves, too: an armature or a mesh")
        self.layout.operator("rigspace.match", icon="ARMATURE_DATA")


class RIGSPACE_PT_cloth(Side, bpy.types.Panel):
    bl_label = "Cloth"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return context.active_object is not None and context.active_object.type == "MESH"

    def draw(self, context):
        layout, settings = self.layout, context.scene.rigspace
        garment, body = cloth.chosen(context)
        layout.label(text=iface("{} on {}").format(garment.name, body.name) if garment and body else "Select the body, then the garment")
        for name in ("cloth_attach", "cloth_density", "cloth_bending", "cloth_friction"):
            layout.prop(settings, name)
        layout.operator("rigspace.cloth", icon="MOD_CLOTH")


class RIGSPACE_PT_diagnose(OfCharacter, bpy.types.Panel):
    bl_label, bl_parent_id, bl_options = "Diagnostics", "RIGSPACE_PT_main", {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, mesh = self.layout, character_of(context).mesh.name
        layout.operator("rigspace.check", icon="VIEWZOOM")
        layout.operator("rigspace.show_body", text="Hide Body" if mesh in diagnose.BODIES else "Show Body", icon="MESH_ICOSPHERE")
        for sentence in diagnose.FOUND.get(mesh, []):
            draw_sentence(layout, context, sentence)


CLASSES = (RIGSPACE_UL_parts, RIGSPACE_PT_main, RIGSPACE_PT_parts, RIGSPACE_PT_simulate, RIGSPACE_PT_layers, RIGSPACE_PT_pull,
           RIGSPACE_PT_sketch, RIGSPACE_PT_match, RIGSPACE_PT_cloth, RIGSPACE_PT_diagnose)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
