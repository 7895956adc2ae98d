"""Bones that deform a mesh, for rigs that Blender itself evaluates: each as four points, its head and one along each of its axes, so
that motions can be given for them (`rigspace inverse`, docs/inverse.md)."""
import numpy

REACH = 0.1  # of the rig's size: how far the points of the axes are from the head
SAME = 0.02  # of a bone's length


def armatures_of(item):
    found = [modifier.object for modifier in item.modifiers if modifier.type == "ARMATURE" and modifier.show_viewport]
    if item.parent and item.parent_type == "ARMATURE":
        found.append(item.parent)
    return [each for each in dict.fromkeys(found) if each is not None]


def coincide(a, b):
    least = SAME * max(a.length, b.length)
    return (a.head_local - b.head_local).length < least and (a.tail_local - b.tail_local).length < least


def parent_of(bone, deforming):
    """The nearest deforming bone above; a bone above that does not deform stands for the one that lies where it lies, as rigs have
    layers of bones, one that is constrained to the next."""
    above = bone.parent
    while above is not None:
        if above in deforming:
            return above
        for other in deforming:
            if other is not bone and bone not in ancestors(other) and coincide(above, other):
                return other
        above = above.parent
    return None


def ancestors(bone):
    while bone.parent is not None:
        bone = bone.parent
        yield bone


class Joints:
    """Of the first armature that deforms the mesh, bones that have weights there, or in any of these meshes; parents first. Empty if
    there are none."""

    def __init__(self, item, size, meshes=()):
        self.reach, self.bones, self.parents, self.armature = REACH * size, [], [], None
        armature = next(iter(armatures_of(item)), None)
        if armature is None:
            return
        self.armature = armature
        named = {group.name for each in (item, *meshes) for group in each.vertex_groups}
        deforming = [bone for bone in armature.data.bones if bone.use_deform and bone.name in named]
        parents = {bone: parent_of(bone, deforming) for bone in deforming}
        left = list(deforming)
        while left:  # a bone whose parent is listed; where parents go in a circle, the first goes without
            bone = next((each for each in left if parents[each] is None or parents[each].name in self.bones), left[0])
            left.remove(bone)
            above = parents[bone].name if parents[bone] is not None else None
            self.parents.append(self.bones.index(above) if above in self.bones else -1)
            self.bones.append(bone.name)
        numbers = {bone.name: k for k, bone in enumerate(armature.pose.bones)}
        self.numbers = [numbers[name] for name in self.bones]
        self.buffer = numpy.empty(16 * len(numbers), numpy.float32)

    def describe(self):
        return [{"name": name, "parent": parent} for name, parent in zip(self.bones, self.parents)]

    def points(self, depsgraph):
        """World space, Y up, float64 (4 n, 3)."""
        shown = self.armature.evaluated_get(depsgraph)
        shown.pose.bones.foreach_get("matrix", self.buffer)
        local = self.buffer.reshape(-1, 4, 4)[self.numbers].astype(float)  # of each a column in a row
        world = local @ numpy.array(shown.matrix_world).T
        axes = world[:, :3, :3] / numpy.maximum(numpy.linalg.norm(world[:, :3, :3], axis=2, keepdims=True), 1e-12)
        head = world[:, 3:4, :3]
        points = numpy.concatenate([head, head + self.reach * axes], axis=1).reshape(-1, 3)
        return numpy.stack([points[:, 0], points[:, 2], -points[:, 1]], axis=1)
