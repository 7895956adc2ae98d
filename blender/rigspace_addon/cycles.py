"""How a clip goes on behind its last key: whether it repeats itself, stands still or moves on, and until when it is simulated."""
import math

REPEATS = ("REPEAT", "REPEAT_OFFSET", "MIRROR")
ENOUGH = 4.0  # seconds in which what swings behind the last key has come to rest, unless a part settles more slowly
CONSTANT = 1e-6


def changing(curve):
    """Whether a curve's keys differ; of curves that are samples, whether there are several."""
    values = [key.co[1] for key in getattr(curve, "keyframe_points", ())]
    return max(values) - min(values) > CONSTANT if len(values) > 1 else bool(len(getattr(curve, "sampled_points", ())))


def repeating(curve):
    """The Cycles modifier that repeats a curve for ever behind its keys, or None."""
    for each in curve.modifiers:
        if (each.type == "CYCLES" and not each.mute and each.mode_after in REPEATS and not each.cycles_after
                and not each.use_restricted_range and not each.use_influence):
            return each
    return None


def length_of(curve):
    """Frames after which a curve repeats itself; None if it does not."""
    modifier = repeating(curve)
    if modifier is None or len(curve.modifiers) > 1:
        return None
    first, last = curve.range()
    return (last - first) * (2 if modifier.mode_after == "MIRROR" else 1)


def curves_in(clip):
    return [curve for found in clip.found().values() for curve in found.values() if curve is not None]


def cycle_of(clip):
    """(frames of a turn, whether it goes on before its first key too) of a clip all of whose curves repeat for ever; None of
    others. The turn is that of the longest curve, in which the others repeat a whole number of times."""
    if not clip.keyed_only:
        return None
    moving = [curve for curve in curves_in(clip) if changing(curve)]
    lengths = [length_of(curve) for curve in moving]
    if not lengths or None in lengths:
        return None
    turn = max(lengths)
    if any(abs(turn / length - round(turn / length)) > 1e-3 for length in lengths):
        return None
    return turn, all(repeating(curve).mode_before in REPEATS for curve in moving)


def stands_still(clip):
    """Whether nothing of it moves behind its last key."""
    return clip.keyed_only and all(curve.extrapolation == "CONSTANT" and not any(not each.mute for each in curve.modifiers)
                                   for curve in curves_in(clip))


def reach_of(clip, scene_end, settle, sags, fps):
    """The last frame to be simulated, of a clip that is no loop: that of the scene, or where all has come to rest before. settle:
    the longest time that a part takes, seconds; sags: whether some part hangs elsewhere even at rest."""
    end = max(math.ceil(clip.last), scene_end)
    if sags or not stands_still(clip):
        return end
    return min(end, math.ceil(clip.last + max(ENOUGH, 2.5 * settle) * fps))
