"""What an artist says of a character. It is kept in the scene, not in the character, which may be linked and overridden; and it
holds wishes only, nothing about a run."""
import math
import re
import time

import bpy
from bpy.props import (BoolProperty, CollectionProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty,
                       StringProperty)

from . import amounts, curves
from .complaint import Complaint

PRESETS = ("tail", "ear", "hair", "antenna", "cape", "belly", "flesh", "chest", "cheek", "rubber", "jelly")

# Controls of a part (docs/part-controls.md): name, default, range, what it does. Those without a tick come from the preset.
LOOK = (
    ("amount", 1.0, (0.0, 10.0), "Exaggeration of the motion"),
    ("rate", 2.0, (0.01, 60.0), "How fast it bounces, in Hz; from its size by itself"),
    ("settle", 1.0, (0.01, 60.0), "Seconds until it is at rest"),
    ("lag", 0.08, (0.0, 5.0), "Seconds that it trails what drives it"),
    ("overlap", 0.5, (0.0, 1.0), "How much later the tip of a chain is than its root"),
    ("sag", 0.0, (-100.0, 100.0), "Droop by gravity, added"),
    ("limit", 0.25, (0.001, 10.0), "Largest deviation, of its size"),
    ("travel", 0.0, (0.0, 2.0), "How much of the character's own speed is wind"),
    ("push", 1.0, (0.0, 2.0), "How much of that speed's change is felt"),
    ("mix", 1.0, (0.0, 1.0), "Weight of the result over your motion"),
)


def on_change(name):
    """What Blender calls when the artist has changed a number: the preview has it at once, and the result its amount."""
    def update(part, context):
        from . import live

        live.changed(part, name)
        if name == "amount":
            amounts.changed(part, context)

    return update


def tick(name):
    """Whether a control of a part is the artist's own."""
    return BoolProperty(name=name.capitalize(), description=f"{WORDS[name]}. Without the tick: by itself", default=name == "amount",
                        options=set(), update=on_change(name))


def number(name):
    value, (low, high) = RANGES[name]
    return FloatProperty(name=name.capitalize(), description=WORDS[name], default=value, min=low, max=high, soft_max=min(high, 4.0),
                         options={"ANIMATABLE"}, update=on_change(name))


WORDS = {name: words for name, _, _, words in LOOK}
RANGES = {name: (value, limits) for name, value, limits, _ in LOOK}


class RigspacePart(bpy.types.PropertyGroup):
    pattern: StringProperty(name="Controls", description="Bones, shape keys or properties: names, patterns as tail*, several with "
                            "commas; tail2.r? are its turns, Body:smile a shape key")
    preset: EnumProperty(name="Preset", items=[(name, name.capitalize(), "") for name in PRESETS], default="flesh",
                         options=set())
    enabled: BoolProperty(name="Simulate", default=True, description="Part of the next run", options=set())
    hits: StringProperty(name="Hit", description="Frames at which it is in your pose: 24, 36")
    show_more: BoolProperty(name="More", default=False, options=set())
    use_amount: tick("amount")
    amount: number("amount")
    use_rate: tick("rate")
    rate: number("rate")
    use_settle: tick("settle")
    settle: number("settle")
    use_lag: tick("lag")
    lag: number("lag")
    use_overlap: tick("overlap")
    overlap: number("overlap")
    use_sag: tick("sag")
    sag: number("sag")
    use_limit: tick("limit")
    limit: number("limit")
    use_travel: tick("travel")
    travel: number("travel")
    use_push: tick("push")
    push: number("push")
    use_mix: tick("mix")
    mix: number("mix")


def fps_of(scene):
    return scene.render.fps / scene.render.fps_base


def part_name(pattern):
    """What the program calls a part: after the first of its patterns."""
    first = re.sub(r"(?<=.)\.(\*|[trs?*][xyz?*])$", "", pattern.split(",")[0].lower())
    name = "".join(c for c in first if c.isascii() and (c.isalnum() or c == "_")).lstrip("_")
    return name.rstrip("_")


class RigspacePull(bpy.types.PropertyGroup):
    target: PointerProperty(type=bpy.types.Object, name="Target", description="The vertex goes where this empty is")
    vertex: IntProperty(name="Vertex")


def soft_strips(character):
    """The strips of a character's result, on all datablocks that it moves."""
    stacks = map(curves.Stack, owners_of(character.mesh)) if character.mesh else ()
    return [stack.strip("soft") for stack in stacks if "soft" in stack.tracks]


def owners_of(mesh):
    """Datablocks whose layers the panel shows: the mesh, its shape keys, its armature, and what its modifiers point to."""
    items = [mesh, mesh.find_armature()] + [getattr(modifier, "object", None) for modifier in mesh.modifiers]
    owners = []
    for item in items:
        for owner in (item, getattr(item, "data", None), getattr(getattr(item, "data", None), "shape_keys", None)):
            if owner is not None and owner not in owners and hasattr(owner, "animation_data"):
                owners.append(owner)
    return owners


def read_influence(character):
    strips = soft_strips(character)
    return curves.influence_of(strips[0]) if strips else 1.0


def write_influence(character, value):
    for strip in soft_strips(character):
        curves.set_influence(strip, value)
    bpy.context.scene.frame_set(bpy.context.scene.frame_current)


class RigspaceCharacter(bpy.types.PropertyGroup):
    influence: FloatProperty(name="Influence", min=0, max=1, get=read_influence, set=write_influence, options=set(),
                             description="Of the result; 1 is all of it")
    mesh: PointerProperty(type=bpy.types.Object, name="Mesh")
    parts: CollectionProperty(type=RigspacePart)
    active_part: IntProperty(options=set())
    pulls: CollectionProperty(type=RigspacePull)
    use_range: BoolProperty(name="Only frames", description="The first and the last frame that are simulated; otherwise from the first key to the scene's end", options=set())
    first: IntProperty(name="First", default=1, options=set())
    last: IntProperty(name="Last", default=100, options=set())
    unit: FloatProperty(name="Metres per unit", default=0, min=0, max=1000, precision=4, options=set(),
                        description="How many metres a unit of the scene is; 0: the scene's Unit Scale, or a guess from the size")
    preroll: FloatProperty(name="Preroll", default=0, min=0, max=60, subtype="TIME_ABSOLUTE", unit="TIME_ABSOLUTE", options=set(),
                           description="Seconds before the first frame that are simulated and not kept")
    loop: EnumProperty(name="Loop", default="auto", options=set(),
                       items=[("auto", "Found", "Where its end meets its start"), ("yes", "Yes", ""), ("no", "No", "")])
    collide: EnumProperty(name="Runs into", options={"ENUM_FLAG"}, default=set(),
                          items=[("self", "Itself", "Arms, legs and its own flesh"), ("parts", "Parts", "Those before it"),
                                 ("ground", "Ground", "The floor at height 0")])
    again_first: IntProperty(name="First", default=1, options=set())
    again_last: IntProperty(name="Last", default=24, options=set())
    fix_frames: IntProperty(name="Frames", default=6, min=1, max=250, options=set(),
                            description="To each side of a fix, behind which the result is as it was")
    pull_keys: BoolProperty(name="Key it", default=True, description="Keys what a pull has moved, on the fix layer", options=set())
    sketch_lines: EnumProperty(name="Lines", default="stick", options=set(), description="What the strokes stand for", items=[
        ("stick", "Stick Figure", "Chains of bones: spine, arms, legs, tail"),
        ("outline", "Outline", "The contour, as it is seen"),
        ("action", "Line of Action", "One line from the head to between the feet"),
        ("over", "Draw Over", "Pairs: a line on the character, then where it should be")])
    sketch_clear: BoolProperty(name="Clear strokes", default=True, description="Takes strokes away once they have posed it",
                               options=set())


class RigspaceScene(bpy.types.PropertyGroup):
    characters: CollectionProperty(type=RigspaceCharacter)
    cloth_attach: FloatProperty(name="Attach", default=0, min=0, max=10, unit="LENGTH", options=set(),
                                description="The body holds a band of the garment so far below its top; 0: nothing is held")
    cloth_density: FloatProperty(name="Weight", default=0.2, min=0.01, max=10, options=set(), description="Kilograms per square metre")
    cloth_bending: FloatProperty(name="Bending", default=2e-5, min=0, max=1, precision=6, options=set(),
                                 description="Plate rigidity in N m: 0.00002 a shirt, 0.001 felt")
    cloth_friction: FloatProperty(name="Friction", default=0.3, min=0, max=10, options=set(), description="Coulomb's")


class RigspacePreferences(bpy.types.AddonPreferences):
    bl_idname = __package__
    program: StringProperty(name="Program", subtype="FILE_PATH", description="The rigspace program; on the PATH by default")
    processes: IntProperty(name="Blenders", default=0, min=0, max=256, description="That are its rig at a time; 0: as they pay")

    def draw(self, context):
        self.layout.prop(self, "program")
        self.layout.prop(self, "processes")


SKINNED = {}  # (armature, scene): (when it was looked for, names of meshes): panels draw often, and scenes are large
SKINNED_SECONDS = 1.0


def skinned_by(armature, scene):
    """Meshes that an armature moves, the largest first; as of a second ago at most."""
    key, now = (armature.name_full, scene.name_full), time.monotonic()
    when, names = SKINNED.get(key, (-math.inf, ()))
    if now - when > SKINNED_SECONDS:
        names = [item.name for item in search_skinned(armature, scene)]
        SKINNED.clear()
        SKINNED[key] = (now, names)
    return [scene.objects[name] for name in names if name in scene.objects]


def is_moved_by(item, armature):
    return item.parent == armature or any(each.type == "ARMATURE" and each.object == armature for each in item.modifiers)


def search_skinned(armature, scene):
    moved = [item for item in scene.objects if item.type == "MESH" and is_moved_by(item, armature)]
    return sorted(moved, key=lambda item: -len(item.data.vertices))


def mesh_of(context):
    """The mesh that is meant by what is active: itself, or the largest that the armature moves. None if there is none."""
    item = context.view_layer.objects.active
    if item is None or item.type == "MESH":
        return item
    if item.type != "ARMATURE":
        return None
    known = [each.mesh for each in context.scene.rigspace.characters if each.mesh is not None and is_moved_by(each.mesh, item)]
    if known:
        return max(known, key=lambda each: len(each.data.vertices))
    return next(iter(skinned_by(item, context.scene)), None)


def character_of(context):
    mesh = mesh_of(context)
    return next((each for each in context.scene.rigspace.characters if mesh is not None and each.mesh == mesh), None)


class CharacterName:
    """A character by names alone. An undo reads datablocks anew, and settings with them: who keeps one of them from one moment
    to the next reads freed memory. So a run keeps this, and looks for the character each time."""

    def __init__(self, character):
        if character.mesh is None:
            raise Complaint(f'the mesh of "{character.name}"', "is not in the file any more", "set it up again")
        self.scene, self.mesh = character.id_data.name, character.mesh.name

    def find(self):
        """Its settings as they are now; complains if they or the mesh are gone."""
        scene, mesh = bpy.data.scenes.get((self.scene, None)), bpy.data.objects.get((self.mesh, None))
        found = [each for each in scene.rigspace.characters if mesh is not None and each.mesh == mesh] if scene else []
        if not found or mesh.name not in scene.objects:
            raise Complaint(f'the character "{self.mesh}"', "is not in the scene any more", "set it up again")
        return found[0]


CLASSES = (RigspacePart, RigspacePull, RigspaceCharacter, RigspaceScene, RigspacePreferences)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)
    bpy.types.Scene.rigspace = PointerProperty(type=RigspaceScene)


def unregister():
    del bpy.types.Scene.rigspace
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
