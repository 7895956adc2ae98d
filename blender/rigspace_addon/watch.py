"""Whether a character is what it was, for a run that an undo comes into."""
import hashlib

import numpy

from . import curves
from .complaint import Complaint
from .rig import Subject


def fingerprint(name):
    """Of the mesh, its rig and its animation, by a settings.CharacterName; None if it is gone or cannot be worked on. Weights
    and materials are left out."""
    try:
        character = name.find()
        subject = Subject(character.mesh.name, view="artist")
    except Complaint:
        return None
    found = hashlib.sha256()
    put = lambda *values: found.update(repr(values).encode())  # noqa: E731
    put([control.name for control in subject.listing.controls], subject.rest.tolist(), [clip.name for clip in subject.clips[:1]])
    for item in subject.objects:
        put(item.name, item.type, [(each.name, each.type, each.show_viewport) for each in item.modifiers])
        if item.type == "ARMATURE":
            put([(bone.name, [tuple(row) for row in bone.matrix_local]) for bone in item.data.bones])
    found.update(numbers(subject.item.data.vertices, "co", 3))
    for owner in subject.owners:
        put_animation(owner, found, put)
    return found.hexdigest()


def put_animation(owner, found, put):
    animation = owner.animation_data
    if animation is None:
        return
    actions = [animation.action]
    for track in animation.nla_tracks:
        put(track.name, track.mute, [(strip.frame_start, strip.frame_end, strip.blend_type, strip.mute) for strip in track.strips])
        actions += [strip.action for strip in track.strips]
    for action in actions:
        put(action.name if action else None)
        for curve in curves.fcurves_of(action, owner) if action else ():
            put(curve.data_path, curve.array_index, curve.extrapolation, curve.mute, [each.type for each in curve.modifiers])
            for field in ("co", "handle_left", "handle_right"):
                found.update(numbers(curve.keyframe_points, field, 2))


def numbers(collection, field, size):
    values = numpy.empty(size * len(collection), numpy.float32)
    collection.foreach_get(field, values)
    return values.tobytes()
