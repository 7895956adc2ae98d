"""What another object of the scene does over its frames, as a file that `rigspace inverse apply` takes: bones as .bvh, points of a
mesh as .pc2. Y up, scene units."""
import struct

import bpy
from mathutils import Matrix

from .complaint import Complaint

UP = Matrix(((1, 0, 0), (0, 0, 1), (0, -1, 0)))  # Blender's z up to y up


def below(bone):
    return 1 + sum(below(child) for child in bone.children)


def turns(bone):
    """How far the bone and all of its armature turned from rest, in the scene's axes."""
    placed, rest = bone.id_data.matrix_world @ bone.matrix, bone.id_data.matrix_world @ bone.bone.matrix_local
    return (UP @ (placed.to_quaternion() @ rest.to_quaternion().inverted()).to_matrix() @ UP.transposed()).normalized()


def resting(rig, point):
    return UP @ (rig.matrix_world @ point)


def numbers(values):
    return " ".join(f"{value:.6f}" for value in values)


def write_bvh(path, rig, frames):
    """The largest tree of bones; a joint's axes are those of the scene, as BVH has them."""
    roots = [bone for bone in rig.pose.bones if bone.parent is None]
    if not roots:
        raise Complaint(f'"{rig.name}"', "has no bones", "select another armature")
    root, order, lines = max(roots, key=below), [], ["HIERARCHY"]

    def joint(bone, depth):
        order.append(bone.name)
        head, inner = resting(rig, bone.bone.head_local), "\t" * (depth + 1)
        offset = head - resting(rig, bone.bone.parent.head_local) if depth else head
        lines.extend(["\t" * depth + ("JOINT " if depth else "ROOT ") + bone.name.replace(" ", "_"), "\t" * depth + "{",
                      f"{inner}OFFSET {numbers(offset)}",
                      inner + ("CHANNELS 3" if depth else "CHANNELS 6 Xposition Yposition Zposition") + " Zrotation Xrotation Yrotation"])
        for child in bone.children:
            joint(child, depth + 1)
        if not bone.children:
            tail = resting(rig, bone.bone.tail_local) - head
            lines.extend([f"{inner}End Site", inner + "{", f"{inner}\tOFFSET {numbers(tail)}", inner + "}"])
        lines.append("\t" * depth + "}")

    joint(root, 0)
    scene = bpy.context.scene
    lines.extend(["MOTION", f"Frames: {len(frames)}", f"Frame Time: {scene.render.fps_base / scene.render.fps:.9f}"])
    degrees = 57.29577951308232
    for frame in frames:
        scene.frame_set(frame)
        row = list(resting(rig, rig.pose.bones[root.name].head))
        for name in order:
            bone = rig.pose.bones[name]
            local = turns(bone.parent).inverted() @ turns(bone) if name != order[0] else turns(bone)
            y = local.to_euler("YXZ")  # y first: R = Rz Rx Ry
            row += [degrees * y.z, degrees * y.x, degrees * y.y]
        lines.append(numbers(row))
        yield
    path.write_text("\n".join(lines) + "\n")


def write_pc2(path, item, frames):
    scene, data, count = bpy.context.scene, [], len(item.data.vertices)
    for frame in frames:
        scene.frame_set(frame)
        posed = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
        if len(posed.data.vertices) != count:
            raise Complaint(f'"{item.name}"', "has modifiers that change its number of points", "switch these off")
        for vertex in posed.data.vertices:
            data.extend(UP @ (posed.matrix_world @ vertex.co))
        yield
    head = struct.pack("<12siiffi", b"POINTCACHE2", 1, count, 0.0, 1.0, len(frames))
    path.write_bytes(head + struct.pack(f"<{len(data)}f", *data))
