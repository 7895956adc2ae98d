"""All access to F-curves, actions and NLA.

Up to Blender 4.3 an action holds its F-curves itself. Later ones keep them in the slots of layered actions, and 5.0 has no
`action.fcurves` any more: whoever moves this to a newer Blender finds everything that must change in this file."""
import math

import bpy

FARTHEST = 1048574.0  # frames: where Blender lets a strip begin and end at most


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
    slot = slot_of(action, owner)
    return [curve for bag in bags_of(action) if slot and bag.slot_handle == slot.handle for curve in bag.fcurves]


def bags_of(action):
    """Where a layered action has its curves: a bag for each slot."""
    return [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]


def slot_of(action, owner, copy_of=None):
    """The slot of a layered action that is a datablock's. One action may have those of an object, of its shape keys and of
    other objects: it is the one that it plays, or else has its name, or else is for its kind of data. None without one. Of a
    copy it is the one that the datablock has of the original."""
    animation, original = owner.animation_data, copy_of or action
    strips = [strip for track in animation.nla_tracks for strip in track.strips] if animation else []
    playing = [each.action_slot for each in (*([animation] if animation else []), *strips) if each.action == original and each.action_slot]
    handles = [slot.handle for slot in playing]
    fitting = [slot for slot in action.slots if slot.target_id_type in (data_kind(owner), "UNSPECIFIED")]
    rank = lambda slot: handles.index(slot.handle) if slot.handle in handles else len(handles)  # noqa: E731
    return min(fitting, key=lambda slot: (rank(slot), slot.name_display != owner.name), default=None)


def set_action(owner, action, slot=None):
    """The active action, or None. Blender chooses a slot by itself as it is set: ours is looked for before."""
    animation = owner.animation_data
    if layered() and action is not None:
        slot = slot or slot_of(action, owner)
    animation.action = action
    if slot:
        animation.action_slot = slot


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
        set_action(owner, None)
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
    if layered():
        action.slots.new(data_kind(owner), owner.name)
    else:
        action.id_root = data_kind(owner)
    return action


def new_fcurve(action, owner, channel, group):
    """An empty curve for channel = (data path, index)."""
    path, index = channel
    if not layered():
        return action.fcurves.new(path, index=index, action_group=group)
    slot = slot_of(action, owner) or action.slots.new(data_kind(owner), owner.name)
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True).fcurves.new(path, index=index)


def remove_fcurve(action, owner, curve):
    if not layered():
        action.fcurves.remove(curve)
        return
    for bag in bags_of(action):
        if curve in list(bag.fcurves):
            bag.fcurves.remove(curve)


def set_linear_keys(curve, frames, values):
    """Fills an empty curve: straight lines from key to key, the ends held."""
    curve.keyframe_points.add(len(frames))
    curve.keyframe_points.foreach_set("co", [number for pair in zip(frames, values) for number in pair])
    for key in curve.keyframe_points:  # foreach_set of enumerations silently does nothing
        key.interpolation = "LINEAR"
        key.handle_left_type = key.handle_right_type = "VECTOR"
    curve.extrapolation = "CONSTANT"
    curve.update()


def set_values(curve, values):
    """Of the keys that are there."""
    frames, _ = keys_of(curve)
    curve.keyframe_points.foreach_set("co", [number for pair in zip(frames, values) for number in pair])
    curve.update()


def add_strip(owner, track_name, action, start, *, blend, extrapolation):
    """A track of its own on top of all others, with one strip whose frames are the action's own. Returns the track."""
    animation = owner.animation_data or owner.animation_data_create()
    track = animation.nla_tracks.new()
    track.name = track_name
    slot = slot_of(action, owner) if layered() else None  # before the strip has one that Blender chose
    strip = track.strips.new(action.name, math.floor(start), action)
    play(strip, action, owner, start, slot)
    strip.blend_type, strip.extrapolation = blend, extrapolation
    strip.use_sync_length = False
    return track


def play(strip, action, owner, start, slot=None):
    """A strip plays an action, at the action's own frames."""
    if layered():
        slot = slot or slot_of(action, owner)
    strip.action = action
    if slot:
        strip.action_slot = slot
    first, last = frame_range(fcurves_of(action, owner)) or (start, start + 1)
    strip.action_frame_start, strip.action_frame_end = first, max(last, first + 1)
    strip.frame_start = min(first, strip.frame_start)  # a start behind its end would be moved
    strip.frame_end = max(last, first + 1)
    strip.frame_start = first


def play_everywhere(strip, begins=None):
    """A strip plays its action as if that were active: at every frame of the scene, or from one on, with what F-curves do outside
    their keys (cycles, straight lines). Blender computes a strip's time in single precision from its start, and a start this
    far away would cost subframes: so the strip's time has a curve of its own, time = frame. Blender leaves keys of such strips
    at their own frames too when they are edited in place."""
    strip.use_sync_length = False
    begins = -FARTHEST if begins is None else begins
    for _ in range(2):  # an end that stands behind the other is moved: the second time neither does
        strip.frame_start, strip.frame_end = begins, FARTHEST
        strip.action_frame_start, strip.action_frame_end = begins, FARTHEST
    strip.use_animated_time = True
    curve = strip.fcurves.find("strip_time")
    while len(curve.keyframe_points):
        curve.keyframe_points.remove(curve.keyframe_points[0])
    if not len(curve.modifiers):
        curve.modifiers.new("GENERATOR")  # 0 + 1 * frame


def repeat(curve, *, before):
    """For ever, behind its last key; before its first too."""
    modifier = curve.modifiers.new("CYCLES")
    modifier.mode_after, modifier.mode_before = "REPEAT", "REPEAT" if before else "NONE"
    curve.update()


def stop_cycle(strip):
    """What play_everywhere made of a strip: it plays its action's frames alone."""
    if strip.use_animated_time:
        strip.use_animated_time = False


def keys_of(curve):
    """Frames and values."""
    points = [number for key in curve.keyframe_points for number in key.co]
    return points[0::2], points[1::2]


def influence_keys(strip):
    """Of a strip whose influence is animated: Blender keys it once by itself."""
    curve = strip.fcurves.find("influence") if strip.use_animated_influence else None
    return list(curve.keyframe_points) if curve is not None else []


def influence_of(strip):
    """1 unless it is animated, whatever Blender computes outside the strip."""
    keys = influence_keys(strip)
    return keys[0].co[1] if len(keys) == 1 else strip.influence if keys else 1.0


def set_influence(strip, value):
    """1 is what strips have by themselves; less must be a curve. One that the artist has keyed stays."""
    if len(influence_keys(strip)) > 1:
        return
    strip.use_animated_influence = value != 1
    for key in influence_keys(strip):
        key.co[1] = key.handle_left[1] = key.handle_right[1] = value
    if value != 1:
        strip.influence = value


# Our actions say what they are, so that they are found again however they are called: "base", "soft" or "fix". The artist's
# are never marked; a result points to the one that it was made for.
KIND, ARTIST = "rigspace_layer", "rigspace_artist"


# What parts a result was made of, with which amounts; and its numbers as they were made, where it is scaled (amounts.py).
AMOUNTS, MADE = "rigspace_amounts", "rigspace_made"
UNUSED = "rigspace_unused_blending"  # settings of the artist's action that had no effect, to give them back: "ADD HOLD 0.5"


def as_made(action, owner):
    """Gives a result that was scaled its own numbers back."""
    for curve in fcurves_of(action, owner) if MADE in action else ():
        values = action[MADE].get(f"{curve.data_path}|{curve.array_index}")
        if values is not None and len(values) == len(curve.keyframe_points):
            set_values(curve, list(values))
    if MADE in action:
        del action[MADE]


def mark(action, kind, artist=None):
    action[KIND] = kind
    if artist is not None:
        action[ARTIST] = artist


def blending(owner):
    """How the active action is blended: kind, what it does outside its keys, influence."""
    animation = owner.animation_data
    return animation.action_blend_type, animation.action_extrapolation, animation.action_influence


def blends(owner):
    """Whether that has an effect: without tracks Blender plays the action as it is, whatever it is set to."""
    return owner.animation_data.use_nla and len(owner.animation_data.nla_tracks) > 0


def set_blending(animation, kind="REPLACE", extrapolation="HOLD", influence=1.0):
    animation.action_blend_type, animation.action_extrapolation, animation.action_influence = kind, extrapolation, influence


def kind_of(action):
    return action.get(KIND, "") if action is not None else ""


class Stack:
    """The layers of a datablock that are ours: `tracks` by kind, base, artist and soft, and `fix`, the active action. Of
    several results that which plays. `artist` is the action that a result was made for, or the active one, or None."""

    def __init__(self, owner):
        self.owner, self.tracks, self.fix, self.artist = owner, {}, None, None
        animation = owner.animation_data
        if animation is None:
            return
        self.fix = animation.action if kind_of(animation.action) == "fix" else None
        self.artist = None if self.fix else animation.action
        found = [(track, action_of(track)) for track in animation.nla_tracks]
        results = [(track, action) for track, action in found if kind_of(action) == "soft"]
        if not results:
            return
        soft, action = next((each for each in results if not each[0].mute), results[0])
        self.tracks["soft"], self.artist = soft, action.get(ARTIST)
        for track, other in found[: found.index((soft, action))]:  # nearest below
            if kind_of(other) == "base":
                self.tracks["base"] = track
            elif self.artist is not None and other == self.artist:
                self.tracks["artist"] = track

    def __bool__(self):
        return bool(self.tracks) or self.fix is not None

    def strip(self, kind):
        return self.tracks[kind].strips[0]

    def curves(self, kind):
        """{(data path, index): F-curve} of a layer."""
        action = self.fix if kind == "fix" else action_of(self.tracks[kind]) if kind in self.tracks else None
        found = fcurves_of(action, self.owner) if action is not None else []
        return {(curve.data_path, curve.array_index): curve for curve in found}

    def base_values(self):
        """{data path: {index: value}}: where channels rest that the artist does not key."""
        values = {}
        for (path, index), curve in self.curves("base").items():
            values.setdefault(path, {})[index] = curve.keyframe_points[0].co[1]
        return values

    def others(self):
        """Tracks that are the artist's own."""
        animation = self.owner.animation_data
        ours = list(self.tracks.values())
        return [track for track in (animation.nla_tracks if animation else ()) if track not in ours and not kind_of(action_of(track))]

    def plays_others(self):
        animation = self.owner.animation_data
        return bool(animation and animation.use_nla and any(not track.mute and track.strips for track in self.others()))


def action_of(track):
    return next((strip.action for strip in track.strips if strip.action), None)


def remove_track(owner, track, *, with_action):
    action = action_of(track)
    owner.animation_data.nla_tracks.remove(track)
    if with_action and action is not None:
        bpy.data.actions.remove(action)


def set_channel(owner, path, index, value):
    """A channel's own value: what is seen where nothing animates it."""
    holder, _, name = path.rpartition(".")
    if not path.endswith("]"):
        target = owner.path_resolve(holder) if holder else owner
        if hasattr(getattr(target, name), "__len__"):
            getattr(target, name)[index] = value
        else:
            setattr(target, name, value)
        return
    holder, _, key = path.rpartition("[")
    target = owner.path_resolve(holder) if holder else owner
    if key[:1] in "\"'":
        target[key[1:-2]] = value
    elif hasattr(target, "__len__"):
        target[int(key[:-1])] = value


def leave_tweak_mode(owner):
    """In which the artist's own action is edited in place of what is active."""
    if owner.animation_data and owner.animation_data.use_tweak_mode:
        owner.animation_data.use_tweak_mode = False


def undress(owner):
    """Takes our layers away: the artist's action is active again, and channels that no one keys are where they rested."""
    leave_tweak_mode(owner)
    stack = Stack(owner)
    if not stack:
        return
    animation = owner.animation_data
    if stack.fix is not None:
        set_action(owner, None)
        bpy.data.actions.remove(stack.fix)
        set_blending(animation)
    for path, values in stack.base_values().items():
        for index, value in values.items():
            set_channel(owner, path, index, value)
    if "artist" in stack.tracks:
        strip, artist = stack.strip("artist"), stack.artist
        settings = strip.blend_type, strip.extrapolation, influence_of(strip)
        kept = action_of(stack.tracks["soft"]).get(UNUSED, "").split()
        set_action(owner, artist)  # while its track says which slot it plays
        remove_track(owner, stack.tracks["artist"], with_action=False)
        set_blending(animation, *(kept[0], kept[1], float(kept[2])) if len(kept) == 3 else settings)
    for kind in ("soft", "base"):
        if kind in stack.tracks:
            remove_track(owner, stack.tracks[kind], with_action=True)
