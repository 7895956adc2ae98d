"""The channels that an animator turns, by the names that rigspace uses everywhere:

    <bone>.tx|ty|tz|rx|ry|rz|sx|sy|sz      <mesh>:<shape key>      <bone>["property"]      <lattice>.p12.tx

Bones and objects that turn by Euler angles have these as rx ry rz. Of those that turn by quaternions, R = Q exp(r): clips set
Q, on qx qy qz qw, and r, on rx ry rz, is the turn on top of it in the bone's own axes. Values are Blender's own, in the
channel's own space; only points are turned to Y up.

Left out are channels that a driver sets, that are locked (unless they are keyed), the places of connected bones, and bones
that an animator neither sees nor keys, unless they deform and obey no constraint. Those, and lattice points, have no group:
they can be named, and are left out of lists and of posing."""
import math
import re

from . import curves

AXES = "xyz"
AXIS_ANGLE = (0.0, 0.0, 1.0, 0.0)  # what Blender has where nobody turned
CHANNELS = ("location", "scale", "rotation_quaternion", "rotation_euler", "rotation_axis_angle")
LOCKS = {"location": "lock_location", "scale": "lock_scale", "rotation_euler": "lock_rotation"}
TURN, PLACE = 0.5, 0.05  # ordinary changes: radians, and of the rig's size
LATTICE_MOST = 1000  # points of a lattice that are offered one by one


class Control:
    def __init__(self, name, node, unit, rest, *, low=None, high=None, typical=1.0, group=""):
        self.name, self.node, self.unit, self.rest = name, node, unit, rest
        self.low = None if low is None or low <= -1e9 else min(low, rest)
        self.high = None if high is None or high >= 1e9 else max(high, rest)
        self.typical, self.group = typical, group

    def describe(self):
        told = {"name": self.name, "node": self.node, "unit": self.unit, "rest": self.rest, "typical": self.typical}
        more = {"min": self.low, "max": self.high, "group": self.group}
        told.update({key: value for key, value in more.items() if value not in (None, "")})
        return told


class Channel:
    """A property of a datablock that some controls set. `columns` are their numbers; set(p) takes all values, stored() gives
    what it has, {column: value}."""

    def __init__(self, owner, path, columns):
        self.owner, self.path, self.columns = owner, path, columns


class Vector(Channel):
    """location, scale, rotation_euler or a lattice point: components that are no controls stay as they are."""

    def __init__(self, owner, path, holder, attribute, components):
        super().__init__(owner, path, sorted(components.values()))
        self.holder, self.attribute, self.components = holder, attribute, components  # component: column

    def stored(self):
        return {column: getattr(self.holder, self.attribute)[component] for component, column in self.components.items()}

    def set(self, p):
        values = list(getattr(self.holder, self.attribute))
        for component, column in self.components.items():
            values[component] = p[column]
        setattr(self.holder, self.attribute, values)


class Turn(Channel):
    """An orientation, kept as a quaternion or as axis and angle: Q exp(r). `first` is the column of rx, or None if the
    animator may not turn it; `key` that of qx."""

    def __init__(self, owner, path, holder, first, key):
        super().__init__(owner, path, ([first, first + 1, first + 2] if first is not None else []) + [key + k for k in range(4)])
        self.holder, self.first, self.key = holder, first, key

    def stored(self):
        w, x, y, z = orientation(self.holder)
        return {self.key + k: value for k, value in enumerate((x, y, z, w))}

    def set(self, p):
        x, y, z, w = p[self.key : self.key + 4]
        length = math.sqrt(x * x + y * y + z * z + w * w)
        q = (w / length, x / length, y / length, z / length) if length > 0 else (1.0, 0.0, 0.0, 0.0)
        if self.first is not None:
            q = product(q, exponential(p[self.first : self.first + 3]))
        if self.holder.rotation_mode == "AXIS_ANGLE":
            self.holder.rotation_axis_angle = axis_angle(q)
        else:
            self.holder.rotation_quaternion = q


class Followed(Channel):
    """Anything else that is keyed and may move the rig: an influence of a constraint, an offset along a path, a strength of a
    modifier. A clip sets it; it is never simulated."""

    def __init__(self, owner, path, components, kind):
        super().__init__(owner, path, sorted(components.values()))
        self.components, self.kind = components, kind  # component: column; kind: float, int or bool

    def stored(self):
        value = self.owner.path_resolve(self.path)
        return {column: float(value[k] if hasattr(value, "__len__") else value) for k, column in self.components.items()}

    def set(self, p):
        for index, column in self.components.items():
            curves.set_channel(self.owner, self.path, index, p[column] if self.kind is float else self.kind(round(p[column])))


class Moment(Channel):
    """The frame, where drivers read it. `owner`: the scene whose frame it is; the rig of a process has one of its own."""

    def __init__(self, scene, column):
        super().__init__(scene, "frame_current", [column])
        self.column = column

    def stored(self):
        return {self.column: self.owner.frame_current_final}

    def set(self, p):
        whole = math.floor(p[self.column])
        self.owner.frame_current, self.owner.frame_subframe = whole, p[self.column] - whole


class Scalar(Channel):
    """A shape key's value or a custom property."""

    def __init__(self, owner, path, holder, key, column):
        super().__init__(owner, path, [column])
        self.holder, self.key, self.column = holder, key, column
        self.whole = key is not None and isinstance(holder[key], int)

    def stored(self):
        return {self.column: float(self.holder.value if self.key is None else self.holder[self.key])}

    def set(self, p):
        value = p[self.column]
        if self.key is None:
            self.holder.value = value
        else:
            self.holder[self.key] = round(value) if self.whole else value


def product(a, b):
    """Of quaternions w x y z."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw)


def exponential(r):
    """The quaternion w x y z of a turn by |r| about r."""
    angle = math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    factor = math.sin(angle / 2) / angle if angle > 1e-12 else 0.5
    return (math.cos(angle / 2), factor * r[0], factor * r[1], factor * r[2])


def turn_by(angle, x, y, z):
    """Axis and angle as a quaternion w x y z."""
    length = math.sqrt(x * x + y * y + z * z) or 1.0
    return exponential([angle * c / length for c in (x, y, z)])


def axis_angle(turn, near=AXIS_ANGLE):
    """A quaternion w x y z as angle and axis: of the many that say the same, the one nearest to another."""
    w, *xyz = turn
    half = math.atan2(math.hypot(*xyz), w)
    length = math.hypot(*near[1:]) or 1.0
    if abs(math.sin(half)) < 1e-9:
        axis, angle = near[1:], 0.0
    else:
        axis, angle = [length * c / math.hypot(*xyz) for c in xyz], 2 * half
    if sum(a * b for a, b in zip(axis, near[1:])) < 0:
        axis, angle = [-c for c in axis], -angle
    return (angle + 2 * math.pi * round((near[0] - angle) / (2 * math.pi)), *axis)


def group_of(name):
    """tail.001, tail_02.L, Tail3: the name without its number."""
    return re.sub(r"[._\- ]?\d+(?=($|[._\-][LlRr]$))", "", name) or name


class Listing:
    """Gathers controls and channels from datablocks. `keyed` holds (datablock, data path) of all that some clip moves; `base`
    where channels rest that results of ours move, {(datablock, data path): {index: value}}."""

    def __init__(self, keyed, size, base=None):
        self.keyed, self.size, self.base = keyed, size, base or {}
        self.controls, self.channels = [], []
        self.nodes, self.driven = {}, {}

    def name_of(self, name):
        """The name for a node; a second of the same name gets #2."""
        count = self.nodes[name] = self.nodes.get(name, 0) + 1
        return name if count == 1 else f"{name}#{count}"

    def is_driven(self, owner, path):
        if owner not in self.driven:
            self.driven[owner] = {(driver.data_path, driver.array_index) for driver in curves.drivers_of(owner)}
        return {index for known, index in self.driven[owner] if known == path}

    def at_rest(self, owner, path, index, stored):
        """What a channel that no clip keys rests at."""
        return self.base.get((owner, path), {}).get(index, stored)

    def add(self, control):
        self.controls.append(control)
        return len(self.controls) - 1

    def add_followed_control(self, owner, path, rest):
        """Of a unit that no part takes, under a name that no pattern of a node meets."""
        return self.add(Control(f"~{owner.name}.{path}", f"~{owner.name}", "scale", rest, typical=0.2))

    def add_vector(self, owner, path, holder, node, kind):
        """kind: (attribute, letter, unit, neutral, typical, group, limits). Where clips key the channel, it rests at `neutral`,
        for what is stored is what they left there; elsewhere, or if neutral is None, at what is stored."""
        attribute, letter, unit, neutral, typical, group, limits = kind
        driven, keyed = self.is_driven(owner, path), (owner, path) in self.keyed
        locks = getattr(holder, LOCKS.get(attribute, ""), None)
        components = {}
        for k in range(3):
            locked = locks is not None and locks[k]
            if k in driven or (locked and not keyed):
                continue
            rest = neutral if keyed and neutral is not None else self.at_rest(owner, path, k, getattr(holder, attribute)[k])
            low, high = limits.get(k, (None, None))
            if locked:  # the clip moves it, and nothing else may
                components[k] = self.add_followed_control(owner, f"{path}[{k}]", rest)
                continue
            components[k] = self.add(Control(f"{node}.{letter}{AXES[k]}", node, unit, rest, low=low, high=high, typical=typical,
                                             group=group))
        if components:
            self.channels.append(Vector(owner, path, holder, attribute, components))

    def add_turn(self, owner, prefix, holder, node, group):
        mode = holder.rotation_mode
        if mode not in ("QUATERNION", "AXIS_ANGLE"):
            limits = limits_of(holder, "LIMIT_ROTATION") if hasattr(holder, "constraints") else {}
            self.add_vector(owner, prefix + "rotation_euler", holder, node, ("rotation_euler", "r", "angle", 0.0, TURN, group, limits))
            return
        path = prefix + ("rotation_quaternion" if mode == "QUATERNION" else "rotation_axis_angle")
        keyed = (owner, path) in self.keyed
        if self.is_driven(owner, path) or (all(holder.lock_rotation) and not keyed):
            return
        first = None
        if not all(holder.lock_rotation):
            first = len(self.controls)
            for axis, locked in zip(AXES, holder.lock_rotation):
                if locked:
                    self.add_followed_control(owner, f"{path} r{axis}", 0.0)
                    continue
                self.add(Control(f"{node}.r{axis}", node, "angle", 0.0, low=-math.pi, high=math.pi, typical=TURN, group=group))
        key = len(self.controls)
        rest = (1.0, 0.0, 0.0, 0.0) if keyed else [self.at_rest(owner, path, k, value) for k, value in enumerate(orientation(holder))]
        for letter, value in zip("xyzw", (*rest[1:], rest[0])):
            self.add(Control(f"{node}.q{letter}", node, "quaternion", value, group=group))
        self.channels.append(Turn(owner, path, holder, first, key))

    def add_transform(self, owner, prefix, holder, node, *, place, typical, group):
        if place:
            limits = limits_of(holder, "LIMIT_LOCATION")
            self.add_vector(owner, prefix + "location", holder, node, ("location", "t", "length", 0.0, typical, group, limits))
        self.add_turn(owner, prefix, holder, node, group)
        self.add_vector(owner, prefix + "scale", holder, node, ("scale", "s", "scale", 1.0, 0.2, group, {}))

    def add_properties(self, owner, prefix, holder, node, group):
        for key in holder.keys():
            value, path = holder[key], f'{prefix}["{key}"]'
            if not isinstance(value, (int, float)) or self.is_driven(owner, path):
                continue
            try:
                told = holder.id_properties_ui(key).as_dict()
            except TypeError:
                told = {}
            rest = float(told.get("default", 0)) if (owner, path) in self.keyed else self.at_rest(owner, path, 0, float(value))
            low, high = told.get("min"), told.get("max")
            span = (high - low) if low is not None and high is not None and high - low < 1e6 else 2.0
            column = self.add(Control(f'{node}["{key}"]', node, "scalar", rest, low=low, high=high, typical=max(span / 2, 1e-6),
                                      group=group))
            self.channels.append(Scalar(owner, path, holder, key, column))

    def add_bones(self, rig):
        scale = max(abs(x) for x in rig.matrix_world.to_scale())
        unit = max(self.size / scale, 1e-9) if scale > 0 else 1.0
        for bone in rig.pose.bones:
            prefix = f'pose.bones["{bone.name}"].'
            keyed = any((rig, prefix + name) in self.keyed for name in CHANNELS)
            seen = keyed or is_visible(rig, bone.bone)
            if not (seen or (bone.bone.use_deform and not len(bone.constraints))):
                continue
            node = self.name_of(bone.name)
            group = group_of(node) if seen else ""
            self.add_transform(rig, prefix, bone, node, place=not (bone.bone.use_connect and bone.parent),
                               typical=max(PLACE * unit, 0.1 * bone.length), group=group)
            self.add_properties(rig, prefix[:-1], bone, node, group)

    def add_shapes(self, item):
        keys = item.data.shape_keys
        if keys is None or not keys.use_relative:
            return
        for block in keys.key_blocks[1:]:
            path = f'key_blocks["{block.name}"].value'
            if self.is_driven(keys, path) or block.mute:
                continue
            rest = 0.0 if (keys, path) in self.keyed else self.at_rest(keys, path, 0, block.value)
            column = self.add(Control(f"{item.name}:{block.name}", item.name, "scalar", rest, low=block.slider_min,
                                      high=block.slider_max, group=item.name))
            self.channels.append(Scalar(keys, path, block, None, column))

    def add_lattice(self, item):
        data = item.data
        if data.shape_keys is not None or len(data.points) > LATTICE_MOST:
            return
        for index, point in enumerate(data.points):
            node = f"{item.name}.p{index}"
            self.add_vector(data, f"points[{index}].co_deform", point, node, ("co_deform", "t", "length", None, 0.25, "", {}))

    def add_object(self, item, main):
        """main: the mesh that is simulated, or an armature: their own places only where a clip moves them."""
        moved = any((item, path) in self.keyed for path in CHANNELS)
        if moved or not main:
            node = self.name_of(item.name)
            self.add_transform(item, "", item, node, place=True, typical=PLACE * self.size, group=group_of(node))
        if item.type == "ARMATURE":
            self.add_bones(item)
        if item.type in ("MESH", "LATTICE", "CURVE"):
            self.add_shapes(item)
        if item.type == "LATTICE":
            self.add_lattice(item)
        self.add_properties(item, "", item, item.name, group_of(item.name))


    def add_followed(self, clips):
        """All that clips key and that is no channel yet, where it is a number."""
        known = {(channel.owner, channel.path) for channel in self.channels}
        for place in sorted(self.keyed - known, key=lambda place: (place[0].name, place[1])):
            owner, path = place
            value = resolved(owner, path)
            if value is None or path.endswith(IGNORED) or path.rpartition(".")[2] in CHANNELS:
                continue
            indices = sorted({index for clip in clips for index in clip.found().get(place, ())})
            parts = {index: value[index] if hasattr(value, "__len__") else value for index in indices}
            if not parts or not all(isinstance(part, (bool, int, float)) for part in parts.values()):
                continue
            driven = self.is_driven(owner, path)
            components = {k: self.add_followed_control(owner, f"{path}[{k}]", float(part)) for k, part in parts.items() if k not in driven}
            if components:
                self.channels.append(Followed(owner, path, components, type(next(iter(parts.values())))))

    def add_moment(self, scene):
        self.channels.append(Moment(scene, self.add(Control("~frame", "~frame", "scale", float(scene.frame_start)))))


IGNORED = ("hide_viewport", "hide_render", "hide", "show_viewport", "show_render", "show_in_front")


def resolved(owner, path):
    """A number or several, or None."""
    try:
        value = owner.path_resolve(path)
    except ValueError:
        return None
    return value if isinstance(value, (bool, int, float)) or (hasattr(value, "__len__") and not isinstance(value, str)) else None


def orientation(holder):
    """Stored, as a quaternion w x y z."""
    if holder.rotation_mode == "QUATERNION":
        return tuple(holder.rotation_quaternion)
    return turn_by(*holder.rotation_axis_angle)


def is_visible(rig, bone):
    if bone.hide:
        return False
    if hasattr(bone, "layers"):  # before Blender 4.0
        return any(a and b for a, b in zip(bone.layers, rig.data.layers))
    return not bone.collections or any(collection.is_visible for collection in bone.collections)


def limits_of(holder, kind):
    """{axis: (low, high)} of constraints that hold a channel within limits in its own space."""
    limits = {}
    for constraint in holder.constraints:
        if constraint.type != kind or constraint.mute or constraint.influence < 1 or constraint.owner_space != "LOCAL":
            continue
        for k, axis in enumerate(AXES):
            if kind == "LIMIT_ROTATION":
                if getattr(constraint, f"use_limit_{axis}"):
                    limits[k] = (getattr(constraint, f"min_{axis}"), getattr(constraint, f"max_{axis}"))
            else:
                low = getattr(constraint, f"min_{axis}") if getattr(constraint, f"use_min_{axis}") else None
                high = getattr(constraint, f"max_{axis}") if getattr(constraint, f"use_max_{axis}") else None
                limits[k] = (low, high)
    return limits
