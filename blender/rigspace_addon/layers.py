"""Results as layers of their own above the artist's animation, which is neither changed nor moved in time.

On each datablock, from below:
    "Walk base"   what the result moves and the artist's clip does not key, where it rests; without it such channels would
                  stay where the result left them once it is muted
    "Walk"        the artist's action, as it is, at every frame of the scene
    "Walk_soft"   the result: COMBINE adds places, angles and values, and multiplies turns
    "Walk_fix"    the artist's corrections: the active action, so that keys go there by themselves, COMBINE too
Of several clips only the tracks of one play, that of the active action if it is among them; the others are muted, and stand
ready, and so does an action that was active and is no longer."""
import math

import bpy
from mathutils import Euler, Quaternion

from . import curves
from .clips import component, orientation_of
from .controls import Scalar, Turn, Vector, axis_angle, exponential, limits_of, product, turn_by

AXES = "xyz"
WHOLE = 2e-3  # frames
BLEND_FRAMES, BLEND_SHARE = 6.0, 0.25  # at the ends of a range that is made again: as `rigspace rerun --range`


class Layer:
    """Curves of one clip, by datablock: {datablock: {(data path, index): (frames, values, value at rest, group)}}. What is told
    may have `cycle`, True if it repeats behind its last frame, "both" if before its first too."""

    def __init__(self, told, clip, rig):
        self.name, self.clip, self.rig = told["name"], clip, rig
        self.moved, self.left_out, self.limited, self.kept = {}, [], {}, {}  # kept: what stays of an earlier result
        self.cycle = told.get("cycle", False)
        tracks = {track["control"]: track for track in told.get("tracks", [])}
        rotations = {track["node"]: track for track in told.get("rotations", [])}
        for channel in rig.listing.channels:
            self.take(channel, tracks, rotations)
        self.left_out += [f'"{name}"' for name in list(tracks) + list(rotations)]

    def frames(self, track):
        """Whole where they are whole but for rounding: a strip that ends a hair before a frame does not play it."""
        frames = [self.clip.first + time * self.rig.fps for time in track["times"]]
        return [float(round(frame)) if abs(frame - round(frame)) < WHOLE else frame for frame in frames]

    def put(self, channel, index, keys, rest):
        """keys: frames and values."""
        group = self.rig.listing.controls[channel.columns[0]].node
        self.moved.setdefault(channel.owner, {})[channel.path, index] = (*keys, rest, group)

    def take(self, channel, tracks, rotations):
        """What the result says of a channel: a strip's value is what COMBINE adds nothing with, and the deviation."""
        listing = self.rig.listing
        if isinstance(channel, Turn):
            node = listing.controls[channel.key].node
            x, y, z, w = self.rig.rest[channel.key : channel.key + 4]
            back, rest = (w, -x, -y, -z), (w, x, y, z)
            if (track := rotations.pop(node, None)) is not None:
                frames = self.frames(track)
                turns = [product(back, (q[3], q[0], q[1], q[2])) for q in track["values"]]
            else:  # of a bone with locks, axis by axis
                some = {axis: track for axis in AXES if (track := tracks.pop(f"{node}.r{axis}", None)) is not None}
                if not some:
                    return
                frames = self.frames(next(iter(some.values())))
                angles = [[math.radians(value) for value in some[axis]["values"]] if axis in some else [0.0] * len(frames) for axis in AXES]
                turns = [exponential(angle) for angle in zip(*angles)]
            turns = self.within_limits(channel, frames, turns, node)
            if channel.path.endswith("axis_angle"):
                rest = axis_angle(rest)
                turns = self.beside_the_artist(channel, frames, turns, rest)
            for index in range(4):
                self.put(channel, index, (frames, [turn[index] for turn in turns]), rest[index])
            return
        columns = channel.components.items() if isinstance(channel, Vector) else [(0, channel.column)]
        for index, column in columns:
            control = listing.controls[column]
            track = tracks.pop(control.name, None)
            if track is None:
                continue
            unit = 1.0 if control.unit != "angle" else math.pi / 180
            frames = self.frames(track)
            added = [unit * value - control.rest for value in track["values"]]
            self.put(channel, index, (frames, self.as_mixed(channel, index, control, frames, added)), control.rest)

    def as_mixed(self, channel, index, control, frames, added):
        """What a strip says for a deviation: COMBINE multiplies scales, and adds all else to what is neutral. Where a
        constraint limits the channel, the curve keeps within; ranges of shape keys and properties are Blender's to enforce."""
        own = component(self.clip.found().get((channel.owner, channel.path), {}), index, control.rest)
        if control.unit in ("angle", "length") and (control.low is not None or control.high is not None):
            low = -math.inf if control.low is None else control.low
            high = math.inf if control.high is None else control.high
            kept = []
            for frame, deviation in zip(frames, added):
                artist = own(frame)
                bounded = min(max(artist + deviation, min(low, artist)), max(high, artist))
                kept.append(deviation if bounded == artist + deviation else bounded - artist)
            if kept != added:
                self.limited[control.name] = True
            added = kept
        if channel.path.rpartition(".")[2] == "scale":
            return [1.0 + deviation / (artist if abs(artist := own(frame)) > 1e-6 else 1.0) for frame, deviation in zip(frames, added)]
        neutral = neutral_value(channel)
        return [neutral + deviation for deviation in added]

    def within_limits(self, channel, frames, turns, node):
        """Turns on top of the artist's that a Limit Rotation lets pass: Blender clamps the Euler angles of both together."""
        limits = limits_of(channel.holder, "LIMIT_ROTATION") if hasattr(channel.holder, "constraints") else {}
        if not limits:
            return turns
        artist = orientation_of(channel, self.clip.found().get((channel.owner, channel.path), {}), self.rig.rest_of(channel))
        kept = []
        for frame, turn in zip(frames, turns):
            x, y, z, w = artist(frame)
            own = Quaternion((w, x, y, z)).normalized()
            shown, alone = (own @ Quaternion(turn)).to_euler("XYZ"), own.to_euler("XYZ")
            clamped = shown.copy()
            for k, (low, high) in limits.items():
                clamped[k] = min(max(shown[k], min(low, alone[k])), max(high, alone[k]))
            if clamped != shown:
                turn = tuple(own.inverted() @ clamped.to_quaternion())
                self.limited[node] = True
            kept.append(turn)
        return kept

    def beside_the_artist(self, channel, frames, turns, rest):
        """COMBINE adds angles and axes number by number, whatever their rest is: so a strip has what is to be added."""
        found = self.clip.found().get((channel.owner, channel.path), {})
        own = [component(found, k, rest[k]) for k in range(4)]
        told = []
        for frame, turn in zip(frames, turns):
            artist = tuple(part(frame) for part in own)
            both = axis_angle(product(turn_by(*artist), turn), artist)
            told.append([b - a for b, a in zip(both, artist)])
        return told

    def base_action(self, owner):
        """Where channels rest that the clip does not key, or None if there is none of them."""
        found = self.clip.found()
        keyed = {(path, index) for (other, path), present in found.items() if other is owner for index in present}
        unkeyed = {place: keys for place, keys in self.moved[owner].items() if place not in keyed}
        if not unkeyed:
            return None
        action = curves.new_action(f"{self.clip.name} base {owner.name}", owner)
        curves.mark(action, "base")
        for place, (frames, _, rest, group) in unkeyed.items():
            curves.set_linear_keys(curves.new_fcurve(action, owner, place, group), frames[:1], [rest])
        return action

    def soft_action(self, owner):
        first = next(iter(self.moved)) is owner  # others, shape keys mostly, need an action of their own: "Key Walk_soft"
        action = curves.new_action(self.name if first else f"{owner.name} {self.name}", owner)
        curves.mark(action, "soft", self.artist_of(owner))
        for place, (frames, values, _, group) in self.moved[owner].items():
            curves.set_linear_keys(curves.new_fcurve(action, owner, place, group), frames, values)
        return action

    def artist_of(self, owner):
        return next((action for other, action in self.clip.sources if other is owner), None)

    def stack_up(self, owner, playing):
        """All tracks of a datablock, above those that are there; muted unless they are to play."""
        tracks, artist = [], self.artist_of(owner)
        settings, unused = artist_settings(owner, artist)
        if base := self.base_action(owner):
            tracks.append(self.strip(owner, self.clip.name + " base", base, ("REPLACE", "HOLD")))
        if artist is not None:
            tracks.append(self.strip(owner, self.clip.name, artist, settings))
            as_if_active(tracks[-1].strips[0])
        soft = self.soft_action(owner)
        if unused:
            soft[curves.UNUSED] = unused
        tracks.append(self.strip(owner, self.name, soft, ("COMBINE", "NOTHING")))
        self.place(tracks[-1].strips[0], soft, owner)
        for track in tracks:
            track.mute = not playing

    def place(self, strip, action, owner):
        """The result in its strip: at its own frames, or repeating as the artist's cycle does."""
        if not self.cycle:
            curves.stop_cycle(strip)
            curves.play(strip, action, owner, self.clip.first)
            return
        curves.play(strip, action, owner, self.clip.first)
        for curve in curves.fcurves_of(action, owner):
            curves.repeat(curve, before=self.cycle == "both")
        curves.play_everywhere(strip, None if self.cycle == "both" else curves.frame_range(curves.fcurves_of(action, owner))[0])

    def strip(self, owner, name, action, kind):
        """kind: how it is blended, what it does outside its frames and, if it is less than whole, its influence."""
        track = curves.add_strip(owner, name, action, self.clip.first, blend=kind[0], extrapolation=kind[1])
        curves.set_influence(track.strips[0], *kind[2:] or (1.0,))
        return track


def artist_settings(owner, action):
    """As the action was blended while it was the active one; and, if that had no effect, what it was set to (curves.UNUSED)."""
    plain = "REPLACE", "HOLD", 1.0
    if action is None or curves.active_action(owner) != action:
        return plain, ""
    told = curves.blending(owner)
    if curves.blends(owner):
        return told, ""
    return plain, "" if told == plain else " ".join(map(str, told))


def as_if_active(strip):
    """The artist's action goes on outside its keys as it did, unless it was set to do nothing there."""
    if strip.extrapolation != "NOTHING":
        curves.play_everywhere(strip)


def neutral_value(channel):
    """What a strip says to change nothing: Blender counts from a property's default."""
    if isinstance(channel, Scalar) and channel.key is not None:
        try:
            return float(channel.holder.id_properties_ui(channel.key).as_dict().get("default", 0))
        except TypeError:
            return 0.0
    return 0.0


def write_layers(rig, told):
    """Adds results to the file that is open; told: clips as in .rigspace.json, each with its `base`. Returns sentences."""
    notes = []
    clips = {clip.name: clip for clip in rig.clips}
    layers = [Layer(each, clips[each["base"]], rig) for each in told]
    playing = next((layer for layer in layers if layer.clip is rig.clips[0]), layers[0] if layers else None)
    for layer in layers:
        for owner in layer.moved:
            layer.stack_up(owner, layer is playing)
        notes += remarks(layer)
    for owner in playing.moved if playing else ():
        action = curves.active_action(owner)
        if action and action not in curves.nla_actions(owner):
            start = (curves.frame_range(curves.fcurves_of(action, owner)) or (1,))[0]
            track = curves.add_strip(owner, action.name, action, start, blend="REPLACE", extrapolation="HOLD")
            as_if_active(track.strips[0])
            track.mute = True
        ready_for_fixes(owner, playing.clip.name)
    refresh()
    return notes


def remarks(layer):
    said = [f"{layer.name}: {', '.join(layer.left_out)} cannot be written as a layer and is left out"] if layer.left_out else []
    if layer.limited:
        said.append(f"{layer.name}: {', '.join(layer.limited)} meet their limits in Blender, and are held there")
    return said


def refresh():
    bpy.context.scene.frame_set(bpy.context.scene.frame_current)


def ready_for_fixes(owner, clip):
    """An action on top for the artist's corrections; what was active stands on a track by now."""
    animation = owner.animation_data
    if curves.kind_of(animation.action) == "fix":
        return
    action = curves.new_action(f"{clip}_fix", owner)
    curves.mark(action, "fix")
    curves.set_action(owner, action)
    curves.set_blending(animation, "COMBINE")


def replace_layer(rig, told, *, frames=None, keep=False):
    """A result in place of the last one, on all datablocks of the character; fixes stay. frames: only these, (first, last),
    blended into what there was; keep: channels that it says nothing of stay. rig: a Subject that sees the artist's. Returns
    sentences."""
    layer = Layer(told, next(clip for clip in rig.clips if clip.name == told["base"]), rig)
    for owner in rig.owners:
        curves.leave_tweak_mode(owner)
        stack = curves.Stack(owner)
        mix_in(layer, stack, frames, keep)
        if owner in layer.moved:
            put_in_place(layer, stack)
        elif "soft" in stack.tracks:
            curves.undress(owner)
    refresh()
    return remarks(layer)


def mix_in(layer, stack, frames, keep):
    """What stays of the last result on a datablock, into the new one."""
    if frames and "soft" in stack.tracks:
        curves.as_made(curves.action_of(stack.tracks["soft"]), stack.owner)
    old, base = stack.curves("soft"), stack.base_values()
    moved = layer.moved.get(stack.owner, {})
    for place, (times, values, rest, group) in moved.items():
        if frames and place in old:
            moved[place] = (times, spliced(old[place], (times, values), frames), rest, group)
    if frames:
        make_unit(moved)
    if keep or frames:
        for place, curve in old.items():
            if place not in moved:
                path, index = place
                layer.kept.setdefault(stack.owner, set()).add(f"{path}|{index}")
                moved[place] = (*curves.keys_of(curve), base.get(path, {}).get(index, 0.0), curve.group.name if curve.group else "")
        if moved:
            layer.moved[stack.owner] = moved


def spliced(old, keys, frames):
    """Old values, new ones between the frames, and smooth passages. Outside the frames they are the old ones to the bit."""
    known = dict(zip(*curves.keys_of(old)))
    first, last = frames
    blend = max(min(BLEND_FRAMES, BLEND_SHARE * (last - first)), 1e-6)
    begins, ends = min(known), max(known)
    values = []
    for frame, value in zip(*keys):
        before = known[frame] if frame in known else old.evaluate(frame)
        enter = 1.0 if first <= begins else smooth((frame - first) / blend)
        leave = 1.0 if last >= ends else smooth((last - frame) / blend)
        weight = min(enter, leave) if first <= frame <= last else 0.0
        values.append(before if weight == 0 else value if weight == 1 else before + weight * (value - before))
    return values


def smooth(u):
    u = min(max(u, 0.0), 1.0)
    return u * u * (3 - 2 * u)


def make_unit(moved):
    """Mixed turns have length one again."""
    for path in {path for path, _ in moved if path.endswith("rotation_quaternion")}:
        parts = [moved[path, k] for k in range(4)]
        turns = []
        for turn in zip(*(part[1] for part in parts)):
            length = math.sqrt(sum(c * c for c in turn)) or 1.0
            turns.append(turn if abs(length - 1) < 1e-6 else tuple(c / length for c in turn))
        for k, part in enumerate(parts):
            moved[path, k] = (part[0], [turn[k] for turn in turns], *part[2:])


def put_in_place(layer, stack):
    """The tracks of a datablock: those that are there keep their place, whether they are muted, and their influence."""
    owner = stack.owner
    base, had_base = layer.base_action(owner), "base" in stack.tracks
    if "soft" not in stack.tracks or bool(base) != had_base:
        muted = stack.tracks["soft"].mute if "soft" in stack.tracks else False
        influence = curves.influence_of(stack.strip("soft")) if "soft" in stack.tracks else 1.0
        if base:
            bpy.data.actions.remove(base)
        keep_fix = stack.fix
        if "soft" in stack.tracks:
            take_down(stack)
        layer.stack_up(owner, True)
        fresh = curves.Stack(owner)
        fresh.tracks["soft"].mute = muted
        curves.set_influence(fresh.strip("soft"), influence)
        curves.set_action(owner, keep_fix)
        ready_for_fixes(owner, layer.clip.name)
        return
    if base is not None:
        swap(stack.strip("base"), base, lambda strip: curves.play(strip, base, owner, layer.clip.first))
    soft = layer.soft_action(owner)
    keep_amounts(stack.strip("soft").action, soft, layer.kept.get(owner, ()))
    swap(stack.strip("soft"), soft, lambda strip: layer.place(strip, soft, owner))
    if "artist" in stack.tracks:
        as_if_active(stack.strip("artist"))  # of a result that an older version made


def take_down(stack):
    """Removes the tracks, to be put up again: the artist's action is active, as it was before."""
    fix = stack.fix
    if fix is not None:
        curves.set_action(stack.owner, None)
        fix[curves.KIND] = ""  # undress would throw it away
    curves.undress(stack.owner)
    if fix is not None:
        fix[curves.KIND] = "fix"


def keep_amounts(old, new, places):
    """What is known of the parts whose curves stay."""
    if not places:
        return
    if curves.AMOUNTS in old:
        new[curves.AMOUNTS] = old[curves.AMOUNTS]
    kept = {key: list(values) for key, values in old.get(curves.MADE, {}).items() if key in places}
    if kept:
        new[curves.MADE] = kept


def swap(strip, action, put):
    """Another action in a strip, under the name of the one before. put(strip) places it."""
    old = strip.action
    name = old.name
    if curves.UNUSED in old:
        action[curves.UNUSED] = old[curves.UNUSED]
    put(strip)
    bpy.data.actions.remove(old)
    action.name = name
