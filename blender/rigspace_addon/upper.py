"""What is done on top of a result: fixes at a frame, and all layers merged into one action."""
import math

import bpy

from . import curves
from .layers import refresh


def neutral_part(owner, path, index):
    """What a channel of a strip that is mixed by COMBINE says to change nothing."""
    name = path.rpartition(".")[2]
    if name == "scale" or (name == "rotation_quaternion" and index == 0):
        return 1.0
    holder, _, key = path.rpartition("[")
    if key.endswith(('"]', "']")):
        target = owner.path_resolve(holder) if holder else owner
        try:
            return float(target.id_properties_ui(key[1:-2]).as_dict().get("default", 0))
        except TypeError:
            return 0.0
    return 0.0


def fix_here(stack, path, frame, reach):
    """A key of what is shown now, on the fix layer, between two that change nothing; where the artist has keys of his own within
    reach, on that side these stay alone."""
    owner = stack.owner
    owner.keyframe_insert(path, frame=frame)
    for curve in [curve for (each, _), curve in curves.Stack(owner).curves("fix").items() if each == path]:
        neutral = neutral_part(owner, path, curve.array_index)
        frames, _ = curves.keys_of(curve)
        for side, near in ((frame - reach, [each for each in frames if frame - reach <= each < frame - 0.5]),
                           (frame + reach, [each for each in frames if frame + 0.5 < each <= frame + reach])):
            if not near:
                key = curve.keyframe_points.insert(side, neutral)
                key.handle_left_type = key.handle_right_type = "AUTO_CLAMPED"
        curve.update()


def merge(rig, name):
    """All layers as one new action on each datablock; the artist's stays in the file, unused. Channels that we move are keyed a
    frame, the others are the artist's curves as they are. Returns the new actions."""
    scene, made = bpy.context.scene, []
    for owner in rig.owners:
        curves.leave_tweak_mode(owner)
    stacks = [stack for stack in map(curves.Stack, rig.owners) if stack]
    frame = scene.frame_current, scene.frame_subframe
    sampled = sample_layers(scene, stacks)
    scene.frame_set(frame[0], subframe=frame[1])
    for stack in stacks:
        owner = stack.owner
        artist = stack.artist
        curves.undress(owner)
        action = artist.copy() if artist is not None else curves.new_action(name, owner)
        action.name = name if artist is None else f"{artist.name}_merged"
        curves.set_action(owner, action, curves.slot_of(action, owner, copy_of=artist) if curves.layered() else None)
        for curve in curves.fcurves_of(action, owner):
            if (curve.data_path, curve.array_index) in sampled[owner]:
                curves.remove_fcurve(action, owner, curve)
        for place, keys in sampled[owner].items():
            curves.set_linear_keys(curves.new_fcurve(action, owner, place, place[0].split('"')[1] if '"' in place[0] else ""), *keys)
        if artist is not None:
            artist.use_fake_user = True
        made.append(action)
    refresh()
    return made


def sample_layers(scene, stacks):
    """{datablock: {(data path, index): (frames, values)}} of what result and fixes move, as it plays: over their frames, those of
    the scene and those of the artist's keys, for beyond them a key a frame cannot say how his curves go on."""
    places = {stack.owner: {**stack.curves("soft"), **stack.curves("fix")} for stack in stacks}
    ranges = [curves.frame_range(found.values()) for found in places.values() if found]
    ranges = [each for each in ranges if each]
    sampled = {owner: {place: ([], []) for place in found} for owner, found in places.items()}
    if not ranges:
        return sampled
    ranges += [each for stack in stacks if (each := curves.frame_range(curves.fcurves_of(stack.artist, stack.owner) if stack.artist else []))]
    ranges.append((scene.frame_start, scene.frame_end))
    first, last = math.floor(min(each[0] for each in ranges)), math.ceil(max(each[1] for each in ranges))
    for frame in range(first, last + 1):
        scene.frame_set(frame)
        for owner, found in sampled.items():
            for (path, index), (frames, values) in found.items():
                value = owner.path_resolve(path)
                frames.append(float(frame))
                values.append(float(value[index] if hasattr(value, "__len__") else value))
    return sampled
