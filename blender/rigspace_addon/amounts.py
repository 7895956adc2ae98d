"""A part's amount, changed at once: the deviation is scaled on the curves of its result, without a run. A result says of each part
what amount it was made with and which channels it moves; its own numbers are kept beside them while others play."""
import json
import math

import bpy

from . import curves
from .controls import Turn, Vector, exponential
from .layers import neutral_value


def amount_of(part):
    return part.amount if part.use_amount else 1.0


def is_animated(part):
    scene = part.id_data
    action = scene.animation_data.action if scene.animation_data else None
    path = part.path_from_id("amount")
    return action is not None and any(curve.data_path == path for curve in curves.fcurves_of(action, scene))


def places_of(subject, names):
    """[(datablock, data path, index, what it is at rest)] of the channels that some controls belong to: a turn has all four."""
    found, names = [], set(names)
    for channel in subject.listing.channels:
        own = {subject.listing.controls[column].name for column in channel.columns}
        if not own & names:
            continue
        if isinstance(channel, Turn):
            found += [(channel.owner, channel.path, index, "turn") for index in range(4)]
        elif isinstance(channel, Vector):
            scale = channel.path.rpartition(".")[2] == "scale"
            found += [(channel.owner, channel.path, index, 1.0 if scale else 0.0) for index, column in channel.components.items()
                      if subject.listing.controls[column].name in names]
        else:
            found.append((channel.owner, channel.path, 0, neutral_value(channel)))
    return found


def remember(subject, parts, recipe):
    """Writes into the result's actions what each part was made with. parts: (pattern, amount), in the order of the recipe's."""
    told = {}
    for (pattern, amount), made in zip(parts, recipe["parts"]):
        for owner, path, index, rest in places_of(subject, made.get("controls", [])):
            told.setdefault(owner, {}).setdefault(pattern, {"amount": amount, "places": []})["places"].append((path, index, rest))
    for owner, own in told.items():
        stack = curves.Stack(owner)
        if "soft" in stack.tracks:
            action = curves.action_of(stack.tracks["soft"])
            action[curves.AMOUNTS] = json.dumps({**json.loads(action.get(curves.AMOUNTS, "{}")), **own})


def made_values(action, curve):
    """Of a curve as the run made it, kept from now on."""
    if curves.MADE not in action:
        action[curves.MADE] = {}
    key = f"{curve.data_path}|{curve.array_index}"
    if key not in action[curves.MADE]:
        action[curves.MADE][key] = curves.keys_of(curve)[1]
    return list(action[curves.MADE][key])


def rescale(part, owners):
    """Scales what the results on some datablocks have of a part. Returns whether there was any."""
    done = False
    for owner in owners:
        stack = curves.Stack(owner)
        action = curves.action_of(stack.tracks["soft"]) if "soft" in stack.tracks else None
        own = json.loads(action.get(curves.AMOUNTS, "{}")).get(part.pattern) if action is not None else None
        if own is None or own["amount"] <= 0:
            continue
        factor, found = amount_of(part) / own["amount"], stack.curves("soft")
        turns = {}
        for path, index, rest in own["places"]:
            curve = found.get((path, index))
            if curve is None:
                continue
            done = True
            if rest == "turn":
                turns.setdefault(path, {})[index] = curve
            else:
                curves.set_values(curve, [rest + factor * (value - rest) for value in made_values(action, curve)])
        for path, four in turns.items():
            done = rescale_turn(action, path, four, factor) and done
    return done


def part_of_turn(turn, share):
    """A share of a turn w x y z, about the same axis, by the shorter way."""
    w, *xyz = turn if turn[0] >= 0 else [-c for c in turn]
    sine = math.hypot(*xyz)
    if sine < 1e-12:
        return (1.0, 0.0, 0.0, 0.0)
    angle = 2 * math.atan2(sine, w)
    return exponential([share * angle * c / sine for c in xyz])


def rescale_turn(action, path, four, factor):
    """Four curves of one turn. Axis and angle are added number by number by Blender, which is no scale of a turn: a run is."""
    if path.endswith("axis_angle") or len(four) < 4:
        return False
    turns = zip(*(made_values(action, four[index]) for index in range(4)))
    scaled = [part_of_turn(turn, factor) for turn in turns]
    for index in range(4):
        curves.set_values(four[index], [turn[index] for turn in scaled])
    return True


def changed(part, context):
    """Called by Blender when the artist has changed an amount."""
    from .settings import owners_of

    if is_animated(part):
        return
    for character in part.id_data.rigspace.characters:
        if character.mesh is not None and any(each == part for each in character.parts) and rescale(part, owners_of(character.mesh)):
            scene = bpy.context.scene
            scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
