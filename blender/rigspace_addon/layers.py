"""Results as layers of their own above the artist's animation, which is neither changed nor moved in time.

On each datablock, from below:
    "Walk base"   what the result moves and the artist's clip does not key, where it rests; without it such channels would
                  stay where the result left them once it is muted
    "Walk"        the artist's action, as it is
    "Walk_soft"   the result: COMBINE adds places, angles and values, and multiplies turns
Of several clips only the tracks of one play, that of the active action if it is among them; the others are muted, and stand
ready, and so does an action that was active and is no longer."""
import bpy

from . import curves
from .controls import Scalar, Turn, Vector, product

BASE = " base"


class Layer:
    """Curves of one clip, by datablock: {datablock: [(data path, index, frames, values, value at rest, group)]}."""

    def __init__(self, told, clip, rig):
        self.name, self.clip, self.rig = told["name"], clip, rig
        self.moved, self.left_out = {}, []
        tracks = {track["control"]: track for track in told.get("tracks", [])}
        rotations = {track["node"]: track for track in told.get("rotations", [])}
        for channel in rig.listing.channels:
            self.take(channel, tracks, rotations)
        self.left_out += [f'"{name}"' for name in list(tracks) + list(rotations)]

    def frames(self, track):
        return [self.clip.first + time * self.rig.fps for time in track["times"]]

    def put(self, channel, index, keys, rest):
        """keys: frames and values."""
        group = self.rig.listing.controls[channel.columns[0]].node
        self.moved.setdefault(channel.owner, []).append((channel.path, index, *keys, rest, group))

    def take(self, channel, tracks, rotations):
        """What the result says of a channel: a strip's value is what COMBINE adds nothing with, and the deviation."""
        listing = self.rig.listing
        if isinstance(channel, Turn):
            node = listing.controls[channel.key].node
            track = rotations.pop(node, None)
            if track is None:
                return
            if channel.path.endswith("axis_angle"):
                self.left_out.append(f'"{node}", which turns by axis and angle,')
                return
            x, y, z, w = self.rig.rest[channel.key : channel.key + 4]
            back = (w, -x, -y, -z)
            turns = [product(back, (q[3], q[0], q[1], q[2])) for q in track["values"]]
            for index in range(4):
                self.put(channel, index, (self.frames(track), [turn[index] for turn in turns]), (w, x, y, z)[index])
            return
        columns = channel.components.items() if isinstance(channel, Vector) else [(0, channel.column)]
        for index, column in columns:
            control = listing.controls[column]
            track = tracks.pop(control.name, None)
            if track is None:
                continue
            scale = 1.0 if control.unit != "angle" else 3.141592653589793 / 180
            neutral = neutral_value(channel)
            values = [neutral + scale * value - control.rest for value in track["values"]]
            self.put(channel, index, (self.frames(track), values), control.rest)

    def write(self, playing):
        """Adds the tracks; those of other clips than the playing one are muted."""
        found = self.clip.found()
        for owner, moved in self.moved.items():
            keyed = {(path, index) for (other, path), present in found.items() if other is owner for index in present}
            unkeyed = [each for each in moved if each[:2] not in keyed]
            tracks = []
            if unkeyed:
                action = curves.new_action(f"rigspace {self.clip.name}{BASE} {owner.name}", owner)
                for path, index, frames, _, rest, group in unkeyed:
                    curves.set_linear_keys(curves.new_fcurve(action, owner, (path, index), group), frames[:1], [rest])
                tracks.append(self.strip(owner, self.clip.name + BASE, action, ("REPLACE", "HOLD")))
            for other, action in self.clip.sources:
                if other is owner:
                    tracks.append(self.strip(owner, self.clip.name, action, ("REPLACE", "HOLD")))
            first = next(iter(self.moved)) is owner  # others, shape keys mostly, need an action of their own: "Key Walk_soft"
            action = curves.new_action(self.name if first else f"{owner.name} {self.name}", owner)
            for path, index, frames, values, _, group in moved:
                curves.set_linear_keys(curves.new_fcurve(action, owner, (path, index), group), frames, values)
            tracks.append(self.strip(owner, self.name, action, ("COMBINE", "NOTHING")))
            for track in tracks:
                track.mute = not playing

    def strip(self, owner, name, action, kind):
        return curves.add_strip(owner, name, action, self.clip.first, blend=kind[0], extrapolation=kind[1])


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
        layer.write(layer is playing)
        if layer.left_out:
            notes.append(f"{layer.name}: {', '.join(layer.left_out)} cannot be written as a layer and is left out")
    for owner in playing.moved if playing else ():
        action = curves.active_action(owner)
        if action and action not in curves.nla_actions(owner):
            start = (curves.frame_range(curves.fcurves_of(action, owner)) or (1,))[0]
            curves.add_strip(owner, action.name, action, start, blend="REPLACE", extrapolation="HOLD").mute = True
        owner.animation_data.action = None
    bpy.context.scene.frame_set(bpy.context.scene.frame_current)
    return notes
