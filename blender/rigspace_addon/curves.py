"""All access to F-curves, actions and NLA.

Up to Blender 4.3 an action holds its F-curves itself. Later ones keep them in the slots of layered actions, and 5.0 has no
`action.fcurves` any more: whoever moves this to a newer Blender finds everything that must change in this file."""
import math

import bpy


def layered():
    """Whether actions have slots."""
    return "slots" in bpy.types.Action.bl_rna.properties


def data_kind(owner):
    """What an action must be for, to be played by this datablock: 'OBJECT', 'KEY', 'LATTICE', ..."""
    return owner.bl_rna.identifier.upper()


def fcurves_of(action, owner):
    """The curves that an action has for a datablock; none if it is for another kind of data."""
    if not layered():
        return list(action.fcurves) if action.id_root == data_kind(owner) else []
    bags = [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]
    kinds = {slot.handle: slot.target_id_type for slot in action.slots}
    return [curve for bag in bags if kinds.get(bag.slot_handle) == data_kind(owner) for curve in bag.fcurves]


def active_action(owner):
    animation = owner.animation_data
    return animation.action if animation else None


def nla_actions(owner):
    """The actions on the datablock's NLA tracks, those that are muted too."""
    animation = owner.animation_data
    tracks = animation.nla_tracks if animation else []
    return [strip.action for track in tracks for strip in track.strips if strip.action]


def drivers_of(owner):
    animation = owner.animation_data
    return list(animation.drivers) if animation else []


def plays_nla(owner):
    animation = owner.animation_data
    return bool(animation and animation.use_nla and any(not track.mute and track.strips for track in animation.nla_tracks))


def forget_animation(owner):
    """Leaves the datablock to whoever sets its values; drivers stay. For a process that never saves."""
    animation = owner.animation_data
    if animation:
        animation.action = None
        animation.use_nla = False


def frame_range(curves):
    """First and last key of several curves; None without keys."""
    ends = [curve.range() for curve in curves if len(curve.keyframe_points) or len(curve.sampled_points)]
    return (min(end[0] for end in ends), max(end[1] for end in ends)) if ends else None


def first_bad_key(curve):
    """(frame, value) of the first key or handle that is not a finite number, or None."""
    for key in curve.keyframe_points:
        for x, y in (key.co, key.handle_left, key.handle_right):
            if not (math.isfinite(x) and math.isfinite(y)):
                return key.co[0], key.co[1]
    return None


def new_action(name, owner):
    action = bpy.data.actions.new(name)
    if not layered():
        action.id_root = data_kind(owner)
    return action


def new_fcurve(action, owner, channel, group):
    """An empty curve for channel = (data path, index)."""
    path, index = channel
    if not layered():
        return action.fcurves.new(path, index=index, action_group=group)
    slot = action.slots[0] if action.slots else action.slots.new(data_kind(owner), owner.name)
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True).fcurves.new(path, index=index)


def set_linear_keys(curve, frames, values):
    """Fills an empty curve: straight lines from key to key, the ends held."""
    curve.keyframe_points.add(len(frames))
    curve.keyframe_points.foreach_set("co", [number for pair in zip(frames, values) for number in pair])
    for key in curve.keyframe_points:  # foreach_set of enumerations silently does nothing
        key.interpolation = "LINEAR"
        key.handle_left_type = key.handle_right_type = "VECTOR"
    curve.extrapolation = "CONSTANT"
    curve.update()


def add_strip(owner, track_name, action, start, *, blend, extrapolation):
    """A track of its own on top of all others, with one strip whose frames are the action's own. Returns the track."""
    animation = owner.animation_data or owner.animation_data_create()
    track = animation.nla_tracks.new()
    track.name = track_name
    strip = track.strips.new(action.name, math.floor(start), action)
    if layered():
        strip.action_slot = action.slots[0] if action.slots else None
    first, last = frame_range(fcurves_of(action, owner)) or (start, start + 1)
    strip.action_frame_start, strip.action_frame_end = first, max(last, first + 1)
    strip.frame_start, strip.frame_end = first, max(last, first + 1)
    strip.blend_type, strip.extrapolation = blend, extrapolation
    strip.use_sync_length = False
    return track
