"""A rig that is an armature and shape keys and nothing else, told in parts that rigspace builds itself: nodes of a hierarchy,
offsets, weights (docs/blender.md). Whatever else moves the mesh is named, and Blender stays the rig.

Nodes are objects and bones,  world = parent * ( before R S after | origin + axes t );  points at rest are in the mesh's own
space; a joint is a node and the matrix by which it binds them. Channels are a number, [column] of the control that sets them, or
an expression of such: drivers, as far as they are sums and products."""
import base64

import numpy
from mathutils import Quaternion

from . import curves
from .controls import AXES, orientation
from .sources import NotPlain, Sources

HARMLESS = {"WEIGHTED_NORMAL", "NORMAL_EDIT", "UV_PROJECT", "UV_WARP"}  # they move no vertex
LIMITS = {"LIMIT_ROTATION": "rotation_euler", "LIMIT_LOCATION": "location"}
CHAINS = {"IK", "SPLINE_IK"}
INSIDE = -2
EYE = [1, 0, 0, 0, 1, 0, 0, 0, 1]
LEAST = 1e-4  # vertices whose weights add up to less stay where they are, in Blender
Y_UP = numpy.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])


def packed(values, kind):
    """Little endian, in base64."""
    return base64.b64encode(numpy.ascontiguousarray(values, kind).tobytes()).decode()


def matrix(value):
    return numpy.array(value, float)


def rotation_of(holder):
    """As stored."""
    if holder.rotation_mode in ("QUATERNION", "AXIS_ANGLE"):
        return matrix(Quaternion(orientation(holder)).to_matrix())
    return matrix(holder.rotation_euler.to_matrix())


def acts(constraint):
    return not constraint.mute and constraint.influence > 0


class Translation:
    def __init__(self, rig):
        self.item, self.points = rig.item, rig.count
        self.channels = Sources(rig.listing)
        self.nodes, self.numbers, self.locals = [], {}, []  # locals: of each node its matrix to its parent, as stored
        self.chains, self.inside = {}, numpy.eye(4)
        self.armature = self.deforming_armature()

    def describe(self):
        """Raises NotPlain."""
        skin = self.skin()
        return {"nodes": self.nodes, **skin, **self.shapes()}

    # What deforms.

    def deforming_armature(self):
        """(armature, whether it keeps volumes, whether envelopes move what has no weights), or None."""
        found = []
        for modifier in self.item.modifiers:
            if not modifier.show_viewport or modifier.type in HARMLESS:
                continue
            if modifier.type != "ARMATURE":
                raise NotPlain(f'modifier "{modifier.name}" of "{self.item.name}" is no armature')
            if modifier.object is not None:
                self.check_modifier(modifier)
                found.append((modifier.object, modifier.use_deform_preserve_volume, modifier.use_bone_envelopes))
        if self.item.parent and self.item.parent_type == "ARMATURE":
            found.append((self.item.parent, False, True))
        if len(found) > 1:
            raise NotPlain(f'"{self.item.name}" has several armatures')
        return found[0] if found else None

    def check_modifier(self, modifier):
        which = f'modifier "{modifier.name}" of "{self.item.name}"'
        if modifier.use_multi_modifier:
            raise NotPlain(f"{which} blends several")
        if modifier.vertex_group:
            raise NotPlain(f"{which} acts on a vertex group alone")
        if not modifier.use_vertex_groups:
            raise NotPlain(f"{which} deforms by envelopes")

    # Objects and bones.

    def refuse_driven(self, owner, start, properties, what):
        for driver in curves.drivers_of(owner):
            if driver.data_path.startswith(start) and driver.data_path[len(start):].startswith(properties):
                raise NotPlain(f"a driver sets {driver.data_path[len(start):]} of {what}")

    def add(self, name, parent, frame, told, holder):
        """frame: before, axes, after (3 x 3) and origin, in the parent's space. A node without parent is turned to Y up; with
        the parent INSIDE it has none and stays as it is."""
        before, axes, after, origin = frame
        local = numpy.eye(4)
        local[:3, :3] = before @ rotation_of(holder) @ numpy.diag(matrix(holder.scale)) @ after
        local[:3, 3] = origin + axes @ matrix(holder.location)
        self.locals.append(local)
        if parent == -1:
            turn = Y_UP[:3, :3]
            before, axes, origin = turn @ before, turn @ axes, turn @ origin
        frames = {"before": before, "axes": axes, "after": after, "origin": origin}
        self.nodes.append({"name": name, "parent": max(parent, -1), **told, **{key: each.ravel().tolist() for key, each in frames.items()}})
        return len(self.nodes) - 1

    def object_node(self, item):
        """Blender: world = parent * parent inverse * T(t + dt) * (dR R) * S dS."""
        if item in self.numbers:
            return self.numbers[item]
        which = f'object "{item.name}"'
        for constraint in filter(acts, item.constraints):
            raise NotPlain(f'{which} obeys the constraint "{constraint.name}"')
        self.refuse_driven(item, "", ("delta_", "rotation_mode", "modifiers[", "parent"), which)
        parent, above = -1, numpy.eye(4)
        if item.parent is not None:
            parent, above = self.parent_of(item, which)
            above = above @ matrix(item.matrix_parent_inverse)
        euler = item.rotation_mode not in ("QUATERNION", "AXIS_ANGLE")
        delta = item.delta_rotation_euler if euler else item.delta_rotation_quaternion
        turned = matrix(delta.to_matrix()) if euler or item.rotation_mode == "QUATERNION" else numpy.eye(3)
        told = {"place": self.channels.vector(item, "location", item.location), **self.channels.turn(item, "", item),
                "scale": self.channels.vector(item, "scale", item.scale)}
        origin = above[:3, :3] @ matrix(item.delta_location) + above[:3, 3]
        frame = (above[:3, :3] @ turned, above[:3, :3], numpy.diag(matrix(item.delta_scale)), origin)
        self.numbers[item] = self.add(item.name, parent, frame, told, item)
        return self.numbers[item]

    def parent_of(self, item, which):
        if item.parent_type == "BONE":
            bone = item.parent.pose.bones.get(item.parent_bone)
            if bone is not None and not bone.bone.use_relative_parent:
                tip = numpy.eye(4)
                tip[1, 3] = bone.bone.length
                return self.bone_node(item.parent, bone), tip
        elif item.parent_type in ("OBJECT", "ARMATURE") and item.parent.type != "CURVE":
            return self.object_node(item.parent), numpy.eye(4)
        raise NotPlain(f"{which} has a parent of the kind {item.parent_type.lower()}")

    def bone_node(self, rig, bone, inside=False):
        """inside: in the armature's own space."""
        if (rig, bone.name, inside) in self.numbers:
            return self.numbers[rig, bone.name, inside]
        data, prefix = bone.bone, f'pose.bones["{bone.name}"].'
        self.check_bone(rig, bone, prefix)
        rest = matrix(data.matrix_local)
        if bone.parent:
            parent = self.bone_node(rig, bone.parent, inside)
            rest = numpy.linalg.inv(matrix(bone.parent.bone.matrix_local)) @ rest
        else:
            parent = INSIDE if inside else self.object_node(rig)
        told = {"place": self.channels.vector(rig, prefix + "location", bone.location), **self.channels.turn(rig, prefix, bone),
                "scale": self.channels.vector(rig, prefix + "scale", bone.scale), "bone": True}
        frame = (rest[:3, :3], rest[:3, :3] if data.use_local_location else numpy.eye(3), numpy.eye(3), rest[:3, 3])
        self.numbers[rig, bone.name, inside] = number = self.add(bone.name, parent, frame, told, bone)
        return number

    def check_bone(self, rig, bone, prefix):
        which, data = f'bone "{bone.name}"', bone.bone
        if bone.parent and not data.use_inherit_rotation:
            raise NotPlain(f"{which} does not inherit rotation")
        if bone.parent and data.inherit_scale != "FULL":
            raise NotPlain(f"{which} inherits scale in its own way ({data.inherit_scale.lower()})")
        if bone.name in self.chained(rig):
            raise NotPlain(f"{which} obeys the constraint {self.chained(rig)[bone.name]}")
        for constraint in filter(acts, bone.constraints):
            if not self.is_limit(rig, bone, constraint):
                raise NotPlain(f'{which} obeys the constraint "{constraint.name}"')
        self.refuse_driven(rig, prefix, ("rotation_mode",), which)

    def is_limit(self, rig, bone, constraint):
        """A limit in the channel's own space, which is the limit of our controls: within it nothing happens."""
        path = LIMITS.get(constraint.type)
        channel = self.channels.by_place.get((rig, f'pose.bones["{bone.name}"].{path}'))
        if channel is None or constraint.owner_space != "LOCAL" or constraint.influence < 1:
            return False
        low, high = ("use_limit_", "use_limit_") if path == "rotation_euler" else ("use_min_", "use_max_")
        limited = [k for k, axis in enumerate(AXES) if getattr(constraint, low + axis) or getattr(constraint, high + axis)]
        return all(k in channel.components for k in limited)

    def chained(self, rig):
        """{bone: why} of bones that IK moves: those above the one that has it too."""
        if rig not in self.chains:
            self.chains[rig] = {}
            for bone in rig.pose.bones:
                for constraint in bone.constraints:
                    if constraint.type in CHAINS and acts(constraint):
                        for moved in [bone, *bone.parent_recursive][: constraint.chain_count or None]:
                            self.chains[rig][moved.name] = f'"{constraint.name}" of "{bone.name}"'
        return self.chains[rig]

    # The skin.

    def relative(self, rig):
        """inverse(armature) * mesh, which must not move: bones bind the mesh in the armature's space."""
        ours, theirs = self.chain(self.numbers[self.item]), self.chain(self.numbers[rig])
        while ours and theirs and ours[0] == theirs[0]:
            ours, theirs = ours[1:], theirs[1:]
        result = numpy.eye(4)
        for number in ours:
            result = result @ self.fixed(number)
        for number in theirs:
            result = numpy.linalg.inv(self.fixed(number)) @ result
        return result

    def chain(self, number):
        """From the root."""
        return [] if number < 0 else [*self.chain(self.nodes[number]["parent"]), number]

    def fixed(self, number):
        node = self.nodes[number]
        if any(isinstance(value, (list, dict)) for key in ("place", "angles", "key", "scale") for value in node.get(key, [])):
            raise NotPlain(f'"{node["name"]}" moves the mesh against its armature')
        return self.locals[number]

    def skin(self):
        """Joints and weights. `self.inside`, where volumes are preserved: then points are bound in the armature's space, into
        which this matrix takes them, and the armature carries them."""
        mesh, joints, told = self.object_node(self.item), [], {}
        lists, relative, inside = [[] for _ in range(self.points)], None, False
        if self.armature:
            rig, inside, envelopes = self.armature
            carrier = self.object_node(rig)
            relative = self.relative(rig)
            lists, names = self.weights(rig, envelopes)
            if inside:
                told["volume"], self.inside = carrier, relative
            joints = [self.joint(rig, rig.pose.bones[name], numpy.eye(4) if inside else relative, inside) for name in names]
        stay = self.still_node() if inside else mesh  # vertices without weights follow the mesh
        joints.append({"node": stay, "bind": numpy.eye(4)[:3].ravel().tolist()})
        lists = [listed or [(len(joints) - 1, 1.0)] for listed in lists]
        numbers, weights = zip(*[entry for listed in lists for entry in listed])
        return {"joints": joints, "start": packed(numpy.cumsum([0, *map(len, lists)]), "<i4"), "joint": packed(numbers, "<i4"),
                "weight": packed(weights, "<f8"), **told}

    def weights(self, rig, envelopes):
        """Of each vertex (joint, weight), adding up to one as Blender makes them; and the bones' names."""
        bones, places, lists = self.group_bones(rig), {}, []
        for vertex in self.item.data.vertices:
            entries = [(bones[each.group], each.weight) for each in vertex.groups if each.group in bones]
            if envelopes and not entries:
                raise NotPlain(f'vertex {vertex.index} of "{self.item.name}" has no weights and follows envelopes')
            total = sum(weight for _, weight in entries)
            lists.append([(places.setdefault(name, len(places)), weight / total) for name, weight in entries if weight > 0]
                         if total > LEAST else [])
        return lists, list(places)

    def still_node(self):
        self.nodes.append({"name": "still", "parent": -1, "before": EYE, "axes": EYE, "after": EYE, "origin": [0, 0, 0],
                           "place": [0, 0, 0], "key": [0, 0, 0, 1], "angles": [0, 0, 0], "scale": [1, 1, 1]})
        return len(self.nodes) - 1

    def group_bones(self, rig):
        """{vertex group: the bone that it is for}"""
        bones = {}
        for group in self.item.vertex_groups:
            bone = rig.data.bones.get(group.name)
            if bone is None or not bone.use_deform:
                continue
            bones[group.index] = bone.name
        return bones

    def joint(self, rig, bone, relative, inside):
        if bone.bone.bbone_segments > 1:
            raise NotPlain(f'bone "{bone.name}" bends')
        if bone.bone.use_envelope_multiply:
            raise NotPlain(f'bone "{bone.name}" multiplies weights by its envelope')
        bind = numpy.linalg.inv(matrix(bone.bone.matrix_local)) @ relative
        return {"node": self.bone_node(rig, bone, inside), "bind": bind[:3].ravel().tolist()}

    # Shape keys.

    def shapes(self):
        """x = basis + sum of value * mask * (key - the key that it is relative to)."""
        keys = self.item.data.shape_keys
        if keys is None:
            return {"rest": packed(self.bound(self.coordinates(self.item.data.vertices)), "<f8"), "shapes": []}
        if not keys.use_relative:
            raise NotPlain(f'the shape keys of "{self.item.name}" are absolute')
        if self.item.show_only_shape_key:
            raise NotPlain(f'"{self.item.name}" shows one shape key alone')
        rest, shapes = self.coordinates(keys.reference_key.data), []
        for block in keys.key_blocks:
            if block == keys.reference_key or block.mute:
                continue
            path = f'key_blocks["{block.name}"].'
            self.refuse_driven(keys, path, ("mute", "slider", "vertex_group", "relative_key"), f'shape key "{block.name}"')
            offsets = (self.coordinates(block.data) - self.coordinates(block.relative_key.data)) @ self.inside[:3, :3].T
            if block.vertex_group:
                offsets *= self.mask(block.vertex_group)[:, None]
            moved = numpy.flatnonzero(numpy.any(offsets != 0, axis=1))
            shapes.append({"name": block.name, "value": self.value(keys, block, path + "value"),
                           "points": packed(moved, "<i4"), "offsets": packed(offsets[moved], "<f8")})
        return {"rest": packed(self.bound(rest), "<f8"), "shapes": shapes}

    def value(self, keys, block, path):
        return self.channels.scalar(keys, path, block.value, (block.slider_min, block.slider_max))

    def bound(self, points):
        return points @ self.inside[:3, :3].T + self.inside[:3, 3]

    def coordinates(self, owners):
        points = numpy.empty(3 * len(owners), numpy.float32)
        owners.foreach_get("co", points)
        if len(owners) != self.points:
            raise NotPlain(f'"{self.item.name}" has other vertices than it shows')
        return points.reshape(-1, 3).astype(float)

    def mask(self, name):
        group = self.item.vertex_groups.get(name)
        if group is None:
            return numpy.ones(self.points)
        weights = numpy.zeros(self.points)
        for vertex in self.item.data.vertices:
            weights[vertex.index] = next((each.weight for each in vertex.groups if each.group == group.index), 0.0)
        return weights


def describe(rig):
    """Of a BlenderRig at rest: its parts, or {"why": what keeps it from being plain}."""
    try:
        return Translation(rig).describe()
    except NotPlain as reason:
        return {"why": str(reason)}
