"""docs/blender-addon.md, from an empty file to the shot and the notes that came back, step by step as it is written there.

    blender -b --factory-startup --python-exit-code 3 --python tests/addon/tutorial_inside.py -- ADDON.zip FOLDER

Each step names the sentence of the page that it follows: where the page changes and the step does not, the test fails."""
import pathlib
import re
import sys

import bpy
import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples/blender"))
ZIP, FOLDER = sys.argv[sys.argv.index("--") + 1 :]
PAGE = " ".join((ROOT / "docs/blender-addon.md").read_text().split())
FOUND_AT = [0]


def says(sentence):
    """The page says so, behind what was done last."""
    at = PAGE.find(" ".join(sentence.split()), FOUND_AT[0])
    assert at >= 0, f"the tutorial does not say, at this place: {sentence}"
    FOUND_AT[0] = at


def shown(frames=range(1, 42)):
    points = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        shape = body.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        values = numpy.empty(3 * len(shape.vertices), numpy.float32)
        shape.vertices.foreach_get("co", values)
        points.append(values)
    return numpy.stack(points)


def labels():
    """All that the add-on's panels and fields are called."""
    from rigspace_addon import settings

    found = {getattr(bpy.types, name).bl_label for name in dir(bpy.types) if name.startswith("RIGSPACE_") and hasattr(getattr(bpy.types, name), "bl_label")}
    for group in (settings.RigspacePart, settings.RigspaceCharacter):
        for item in group.bl_rna.properties:
            found.add(item.name)
            found.update(each.name for each in getattr(item, "enum_items", ()))
    return found | set(re.findall(r'"([A-Z][A-Za-z ]+)"', (ROOT / "blender/rigspace_addon/panel.py").read_text()))


def selected(start):
    for bone in rig.pose.bones:
        bone.bone.select = bone.name.startswith(start)


bpy.ops.preferences.addon_install(filepath=ZIP)
bpy.ops.preferences.addon_enable(module="rigspace_addon")
begin, end = PAGE.index("## From an empty file to a shot"), PAGE.index("## Pull points")
unknown = {word for word in re.findall(r"(?<![*\w])\*([A-Z][^*]{1,40}?)\*(?!\*)", PAGE[begin:end])} - labels()
unknown -= {"Unit Scale", "Limit Rotation", "Limit Location", "Only ear", "Only belly"}  # Blender's own; "Only" with a part's name
unknown = {word for word in unknown if '"' not in word and "." not in word}  # what was said, not a button
assert not unknown, f"the page names what the panel does not have: {unknown}"

says("**1. A character.** File, New.")
bpy.ops.wm.read_homefile(use_empty=True)
import pip_character as pip  # noqa: E402

body, rig = pip.build()
hard = shown()
says("Select the mesh, or its armature, and press *Set Up*.")
bpy.ops.rigspace.set_up()
scene, character = bpy.context.scene, bpy.context.scene.rigspace.characters[0]
assert character.mesh == body

says("**2. Parts.** In pose mode select the bones of both ears and press *+*; the same for the tail, then for the belly.")
bpy.context.view_layer.objects.active = rig
bpy.ops.object.mode_set(mode="POSE")
for start in ("ear", "tail", "belly"):
    selected(start)
    bpy.ops.rigspace.part_add()
assert [part.preset for part in character.parts] == ["ear", "tail", "belly"], [part.preset for part in character.parts]

says("**3. See it, then simulate it.** *Live Preview* shows the parts in motion while the scene plays")
bpy.ops.rigspace.live()
seen = shown()
bpy.ops.rigspace.live()
assert (shown() == hard).all(), "the preview left something"
says("For the result press *Simulate*.")
assert bpy.ops.rigspace.simulate() == {"FINISHED"}
soft = shown()
gap = numpy.sqrt(((seen - soft) ** 2).sum() / ((soft - hard) ** 2).sum())
print(f"preview {100 * gap:.1f} % from the result")
assert gap < 0.25, gap

says("**4. Layers.** From below: `Hop`, your action, as it was; `Hop_soft`, the result")
tracks = rig.animation_data.nla_tracks
assert [track.name for track in tracks][-2:] == ["Hop", "Hop_soft"], [track.name for track in tracks]
says("The eye mutes a layer, and then the scene is yours again to the bit.")
tracks["Hop_soft"].mute = True
assert (shown() == hard).all()
tracks["Hop_soft"].mute = False
says("*Influence* makes the result weaker.")
character.influence = 0.5
weaker = shown()
assert 0.3 < abs(weaker - hard).max() / abs(soft - hard).max() < 0.7
character.influence = 1

says("1. Belly: in *Parts*, *Amount* 1.6. The whole result follows at once, as a scale")
belly = character.parts[2]
belly.amount = 1.6
assert abs(shown() - soft).max() > 0.2 * abs(soft - hard).max()
belly.amount = 1.0
assert abs(shown() - soft).max() < 1e-4
belly.amount = 1.6
says("2. In *Layers* set *First* 14 and *Last* 30 and press *Make This Range Again*.")
before = shown()
character.again_first, character.again_last = 14, 30
bpy.ops.rigspace.simulate(range_only=True)
again = shown()
says("Outside the range it then is as it was made, before the amount changed.")
outside = [frame - 1 for frame in range(1, 42) if not 14 <= frame <= 30]
assert abs(again[outside] - soft[outside]).max() < 1e-4, abs(again[outside] - soft[outside]).max()
assert abs(again[14:29] - soft[14:29]).max() > 0.01 * abs(soft - hard).max()

says("3. Frame 22: turn the ear where it should be and press *Fix Here*")
scene.frame_set(22)
ear = next(bone for bone in rig.pose.bones if bone.name.startswith("ear"))
for bone in rig.pose.bones:
    bone.bone.select = bone == ear
if ear.rotation_mode == "QUATERNION":
    ear.rotation_quaternion = ear.rotation_quaternion @ type(ear.rotation_quaternion)((1, 0, 0), 0.4)
else:
    ear.rotation_euler[0] += 0.4
bpy.ops.rigspace.fix_here()
says("it is keyed, and so is, six frames to each side, that nothing is changed there")
fixed = shown()
assert abs(fixed[21] - again[21]).max() > 1e-3
far = [frame - 1 for frame in range(1, 42) if abs(frame - 22) > 6]
assert abs(fixed[far] - again[far]).max() < 1e-4
says("4. *Only ear* or *Only belly*, below *Simulate*, makes the part that is active in the list again and leaves the others.")
character.active_part = 2
assert bpy.ops.rigspace.simulate(only_active=True) == {"FINISHED"}

says("Press *Edit Your Keys*: your action is open for editing as ever")
bpy.ops.rigspace.edit_keys()
assert rig.animation_data.use_tweak_mode
says("*Back to the Fix Layer*, then *Simulate*")
bpy.ops.rigspace.edit_keys()
assert not rig.animation_data.use_tweak_mode
says("*Merge* makes one new action of everything, for export; your own stays in the file.")
before = shown()
copy = str(pathlib.Path(FOLDER) / "before_merge.blend")
bpy.ops.wm.save_as_mainfile(filepath=copy, copy=True)
bpy.ops.rigspace.merge()
assert abs(shown() - before).max() < 1e-4 and "Hop" in bpy.data.actions
bpy.ops.wm.open_mainfile(filepath=copy)
scene, body = bpy.context.scene, next(item for item in bpy.data.objects if item.type == "MESH" and item.find_armature())
says("*Clear* takes result and fixes away: the file is as it was before.")
bpy.context.view_layer.objects.active = body
bpy.ops.rigspace.clear()
assert abs(shown() - hard).max() == 0
print("the tutorial was followed")
