"""Where the properties that a plain rig is made of have their values from: a number, [column] of the control that sets it, or
{"expression", "variables"}: a driver, as far as that is sums and products."""
import re

import bpy

from . import curves
from .controls import Scalar, Turn, Vector, orientation

NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
PLAIN = re.compile(r"[\w\s.,+\-*/()]+")
NOT_PLAIN = re.compile(r"\*\*|//|/(?!\s*[1-9])|\d\s*\(")  # powers, and divisors that may be 0


class NotPlain(Exception):
    """Why a rig is more than an armature and shape keys: one clause."""


class Sources:
    """What sets a property: constants, columns of controls, drivers."""

    def __init__(self, listing):
        self.by_place = {(channel.owner, channel.path): channel for channel in listing.channels}

    def vector(self, owner, path, values):
        told = [float(value) for value in values]
        channel = self.by_place.get((owner, path))
        if isinstance(channel, Vector):
            for component, column in channel.components.items():
                told[component] = [column]
        for driver in drivers_on(owner, path):
            told[driver.array_index] = self.driven(driver, owner)
        return told

    def scalar(self, owner, path, value, limits):
        for driver in drivers_on(owner, path):
            told = self.driven(driver, owner)
            return {**told, "expression": "clamp({}, {!r}, {!r})".format(told["expression"], *limits)}
        channel = self.by_place.get((owner, path))
        return [channel.column] if isinstance(channel, Scalar) else float(value)

    def turn(self, owner, prefix, holder):
        mode = holder.rotation_mode
        if mode not in ("QUATERNION", "AXIS_ANGLE"):
            return {"order": mode, "angles": self.vector(owner, prefix + "rotation_euler", holder.rotation_euler)}
        path = prefix + ("rotation_quaternion" if mode == "QUATERNION" else "rotation_axis_angle")
        for driver in drivers_on(owner, path):
            raise NotPlain(f"a driver sets {driver.data_path}")
        channel = self.by_place.get((owner, path))
        if not isinstance(channel, Turn):
            w, x, y, z = orientation(holder)
            return {"key": [float(value) for value in (x, y, z, w)], "angles": [0.0, 0.0, 0.0]}
        angles = [0.0, 0.0, 0.0] if channel.first is None else [[column] for column in range(channel.first, channel.first + 3)]
        return {"key": [[column] for column in range(channel.key, channel.key + 4)], "angles": angles}

    def driven(self, driver, owner):
        """Sums, products, abs, min and max of properties: what has a value everywhere."""
        which, made = f'the driver of {driver.data_path} of "{owner.name}"', driver.driver
        bends = [each for each in driver.modifiers if each.type != "GENERATOR" or list(each.coefficients) != [0.0, 1.0]]
        if len(driver.keyframe_points) or bends:
            raise NotPlain(f"{which} has a curve")
        names = {variable.name: f"v{k}" for k, variable in enumerate(made.variables)}
        text = made.expression if made.type == "SCRIPTED" else {
            "SUM": " + ".join(names), "AVERAGE": f"({' + '.join(names)}) / {len(names)}", "MIN": f"min({', '.join([*names, *names])})",
            "MAX": f"max({', '.join([*names, *names])})"}.get(made.type, "")
        words = set(NAME.findall(text))
        if not made.is_valid or not PLAIN.fullmatch(text) or NOT_PLAIN.search(text) or not words <= {*names, "abs", "min", "max"}:
            raise NotPlain(f"{which} is more than sums and products ({text!r})")
        told = {names[variable.name]: self.read(variable, which) for variable in made.variables if variable.name in words}
        return {"expression": NAME.sub(lambda found: names.get(found.group(), found.group()), text), "variables": told}

    def read(self, variable, which):
        """The channel that a variable reads."""
        target = variable.targets[0]
        if variable.type != "SINGLE_PROP" or not isinstance(target.id, (bpy.types.Object, bpy.types.Key, bpy.types.Armature)):
            raise NotPlain(f"{which} reads more than properties")
        path, _, index = re.fullmatch(r"(.*?)(\[(\d)\])?", target.data_path).groups()
        channel = self.by_place.get((target.id, path))
        if drivers_on(target.id, path) or isinstance(channel, Turn) or getattr(channel, "whole", False):
            raise NotPlain(f"{which} reads {target.data_path}, which is no plain channel")
        if isinstance(channel, Vector) and index and int(index) in channel.components:
            return [channel.components[int(index)]]
        return [channel.column] if isinstance(channel, Scalar) else float(target.id.path_resolve(target.data_path))


def drivers_on(owner, path):
    return [driver for driver in curves.drivers_of(owner) if driver.data_path == path and not driver.mute]
