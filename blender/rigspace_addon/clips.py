"""The artist's actions as curves on controls, in the format of .rigspace.json files (docs/curves.md).

A clip begins at its first key: time 0 is that frame. Curves have a key a frame with the slopes of the F-curve on both sides,
which follows Blender's own to a hair between frames too. Where NLA tracks play, what they give is sampled, frame by frame, over
the range of the scene."""
import math

import bpy

from . import curves
from .complaint import Complaint
from .controls import AXIS_ANGLE, Followed, Moment, Scalar, Turn, Vector, turn_by

STEP = 0.125  # frames: for slopes; F-curves are evaluated in single precision


class Clip:
    """Curves of several datablocks that play together. `sources`: (datablock, action). keyed_only: all of it is F-curves; active:
    it is what the scene plays."""

    keyed_only, active = True, False

    def __init__(self, name, sources):
        self.name, self.sources = name, sources
        ranges = [curves.frame_range(curves.fcurves_of(action, owner)) for owner, action in sources]
        ranges = [each for each in ranges if each]
        self.first = min(each[0] for each in ranges) if ranges else 1.0
        self.last = max(each[1] for each in ranges) if ranges else 1.0

    def cover(self, first, last):
        """From one frame to another, at least: beyond its keys as its curves go on."""
        self.first, self.last = min(self.first, first), max(self.last, last)

    def found(self):
        """{(datablock, data path): {index: F-curve}}"""
        table = {}
        for owner, action in self.sources:
            for curve in curves.fcurves_of(action, owner):
                if not curve.mute and (len(curve.keyframe_points) or len(curve.sampled_points)):
                    table.setdefault((owner, curve.data_path), {})[curve.array_index] = curve
        return table


class SampledCurve:
    """In place of an F-curve: values at whole frames, and a smooth curve through them."""

    def __init__(self, first, values):
        self.first, self.values = first, values

    def evaluate(self, frame):
        place = min(max(frame - self.first, 0.0), len(self.values) - 1.0)
        k = min(int(place), max(len(self.values) - 2, 0))
        at = lambda i: self.values[min(max(i, 0), len(self.values) - 1)]  # noqa: E731
        a, b, c, d, u = at(k - 1), at(k), at(k + 1), at(k + 2), place - k
        return b + 0.5 * u * (c - a + u * (2 * a - 5 * b + 4 * c - d + u * (3 * (b - c) + d - a)))  # Catmull-Rom


class Played(Clip):
    """What NLA tracks and active actions together give."""

    keyed_only, active = False, True

    def __init__(self, name, sources, owners, scene):
        self.name, self.sources, self.owners = name, sources, owners
        self.first, self.last = float(scene.frame_start), float(max(scene.frame_end, scene.frame_start))
        self.table = None

    def places(self):
        """{(datablock, data path): indices} of all that is animated."""
        found = {}
        for owner in self.owners:
            for action in {*curves.nla_actions(owner), curves.active_action(owner)} - {None}:
                for curve in curves.fcurves_of(action, owner):
                    if resolves(owner, curve):
                        found.setdefault((owner, curve.data_path), set()).add(curve.array_index)
        return found

    def found(self):
        return self.table or {place: dict.fromkeys(indices) for place, indices in self.places().items()}

    def sample(self, scene):
        """Plays it in a scene, which must have all that the rig is made of and be free to be played."""
        places, values = self.places(), {}
        for frame in range(round(self.first), round(self.last) + 1):
            scene.frame_set(frame)
            graph = scene.view_layers[0].depsgraph
            for (owner, path), indices in places.items():
                value = owner.evaluated_get(graph).path_resolve(path)
                for index in indices:
                    number = value[index] if hasattr(value, "__len__") else value
                    values.setdefault((owner, path), {}).setdefault(index, []).append(float(number))
        self.table = {place: {index: SampledCurve(self.first, each) for index, each in found.items()}
                      for place, found in values.items()}


def played_name(playing, results):
    """After what an earlier run made Walk_soft of, or the active action of the first datablock that moves, or the scene.
    playing: (active action, whether tracks play), by datablock."""
    if results:
        return results[0].name.removesuffix("_soft")
    action = next(action for action, tracks in playing if action or tracks)
    return action.name if action else bpy.context.scene.name


def find_clips(owners, all_actions, artist_only=False):
    """What plays now, on all datablocks together, is the first clip; every other action that fits a datablock is a clip of its
    own, results of earlier runs among them, so that nobody simulates them again. artist_only: as if our layers were not there."""
    if artist_only:
        stacks = [curves.Stack(owner) for owner in owners]
        playing, results = [(stack.artist, stack.plays_others()) for stack in stacks], []
    else:
        playing = [(curves.active_action(owner), curves.plays_nla(owner)) for owner in owners]
        results = [action for owner in owners for action in curves.nla_actions(owner) if curves.kind_of(action) == "soft"]
    active = [(owner, action) for owner, (action, _) in zip(owners, playing) if action and curves.fcurves_of(action, owner)]
    clips = [Clip(active[0][1].name, active)] if active else []
    for clip in clips:
        clip.active = True
    if any(tracks for _, tracks in playing):
        clips = [Played(played_name(playing, results), active, owners, bpy.context.scene)]
    used = {action for _, action in active}
    left_out = ("base", "fix", "soft") if artist_only else ("base", "fix")
    for action in all_actions:
        if action in used or curves.kind_of(action) in left_out or action.name in (clip.name for clip in clips):
            continue
        fitting = [(owner, action) for owner in owners if any(resolves(owner, curve) for curve in curves.fcurves_of(action, owner))]
        if fitting:
            clips.append(Clip(action.name, fitting[:1]))
    return clips


def resolves(owner, curve):
    try:
        owner.path_resolve(curve.data_path)
        return True
    except ValueError:
        return False


def keyed_paths(clips):
    return {place for clip in clips for place in clip.found()}


def check_keys(clip):
    for (owner, path), found in clip.found().items():
        for index, curve in found.items():
            bad = curves.first_bad_key(curve) if hasattr(curve, "keyframe_points") else None
            if bad:
                raise Complaint(f'action "{clip.name}": {path}[{index}] of "{owner.name}"', "has a key that is not a finite number",
                                "delete it in the graph editor", bad)


def slopes(evaluate, frame):
    """Values a frame, from the left and from the right."""
    here = evaluate(frame)
    left = (3 * here - 4 * evaluate(frame - STEP) + evaluate(frame - 2 * STEP)) / (2 * STEP)
    right = (-3 * here + 4 * evaluate(frame + STEP) - evaluate(frame + 2 * STEP)) / (2 * STEP)
    return here, left, right


def frames_of(clip):
    """Whole frames from its first, and its end."""
    count = math.floor(clip.last - clip.first + 1e-4)
    frames = [clip.first + k for k in range(count + 1)]
    if clip.last - frames[-1] > 1e-3:
        frames.append(clip.last)
    return frames


def component(found, index, otherwise):
    """A function of the frame: the F-curve, or what the channel rests at."""
    return found[index].evaluate if index in found else lambda frame: otherwise


def track(control, evaluate, frames, fps):
    sampled = [slopes(evaluate, frame) for frame in frames]
    surface = math.degrees(1) if control.unit == "angle" else 1.0
    column = lambda k, scale: [scale * each[k] for each in sampled]  # noqa: E731
    return {"control": control.name, "unit": "degree" if control.unit == "angle" else control.unit, "interpolation": "hermite",
            "times": [(frame - frames[0]) / fps for frame in frames], "values": column(0, surface),
            "in_tangents": column(1, surface * fps), "out_tangents": column(2, surface * fps)}


def rotation(node, evaluate, frames, fps):
    """evaluate: frame to a quaternion x y z w. Signs are made continuous: F-curves go through components."""
    sampled = [[slopes(lambda frame, k=k: evaluate(frame)[k], frame) for k in range(4)] for frame in frames]
    return {"node": node, "interpolation": "hermite", "times": [(frame - frames[0]) / fps for frame in frames],
            "values": [[each[k][0] for k in range(4)] for each in sampled],
            "in_tangents": [[fps * each[k][1] for k in range(4)] for each in sampled],
            "out_tangents": [[fps * each[k][2] for k in range(4)] for each in sampled]}


def orientation_of(channel, found, rest):
    """The keyed orientation of a Turn as a function of the frame, x y z w. rest: w x y z, or angle and axis."""
    parts = [component(found, k, rest[k]) for k in range(4)]
    if channel.path.endswith("rotation_axis_angle"):
        def turned(frame):
            w, *xyz = turn_by(*(part(frame) for part in parts))
            return (*xyz, w)
        return turned
    return lambda frame: (parts[1](frame), parts[2](frame), parts[3](frame), parts[0](frame))


def describe(clip, listing, fps):
    """The clip in the format of a .rigspace.json."""
    check_keys(clip)
    found, frames = clip.found(), frames_of(clip)
    tracks, rotations = [], []
    for channel in listing.channels:
        controls = listing.controls
        if isinstance(channel, Moment):
            tracks.append(track(controls[channel.column], float, frames, fps))
        keyed = found.get((channel.owner, channel.path))
        if not keyed:
            continue
        if isinstance(channel, Turn):
            rest = AXIS_ANGLE if channel.path.endswith("axis_angle") else (1.0, 0.0, 0.0, 0.0)
            rotations.append(rotation(controls[channel.key].node, orientation_of(channel, keyed, rest), frames, fps))
        elif isinstance(channel, (Vector, Followed)):
            for index, column in channel.components.items():
                if index in keyed:
                    tracks.append(track(controls[column], keyed[index].evaluate, frames, fps))
        elif isinstance(channel, Scalar) and 0 in keyed:
            tracks.append(track(controls[channel.column], keyed[0].evaluate, frames, fps))
    return {"name": clip.name, "duration": (frames[-1] - frames[0]) / fps, "tracks": tracks, "rotations": rotations}
