"""The Rigify human's shot with what animators use today: Blender's own soft body on belly and ears, and spring bones in Python.

    blender -b --factory-startup HUMAN.blend --python bench/blender_peers.py -- OUT.json

The spring bones are ours, in the manner of such add-ons: at each frame the tail of a bone is a point on a spring to where the pose has
it, at the bone's length."""
import json
import pathlib
import sys
import time

import bpy
from mathutils import Matrix

OUT = sys.argv[sys.argv.index("--") + 1]
SOFT = ("belly.C", "belly.L", "belly.R", "longear.L", "longear.tip.L", "longear.R", "longear.tip.R")
STIFFNESS, DRAG, SUBSTEPS = 0.2, 0.3, 2
human, rig = bpy.data.objects["Human"], bpy.data.objects["Human"].find_armature()
scene = bpy.context.scene


def play(each_frame=lambda: None):
    """(seconds of all frames, their number)"""
    scene.frame_set(scene.frame_start)
    began = time.perf_counter()
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        each_frame()
        human.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices[0].co.copy()
    return time.perf_counter() - began, scene.frame_end + 1 - scene.frame_start


def soft_body():
    """The goal holds all points but those of the soft bones."""
    goal = human.vertex_groups.new(name="goal")
    soft = {human.vertex_groups[name].index for name in SOFT if name in human.vertex_groups}
    for vertex in human.data.vertices:
        goal.add([vertex.index], 1 - min(sum(each.weight for each in vertex.groups if each.group in soft), 1), "REPLACE")
    modifier = human.modifiers.new("Soft", "SOFT_BODY")
    modifier.settings.vertex_group_goal, modifier.settings.goal_spring = goal.name, 0.5
    taken = play()
    human.modifiers.remove(modifier)
    return taken


class Springs:
    def __init__(self):
        self.points = {}

    def step(self):
        for name in SOFT:  # parents first
            bone = rig.pose.bones[name]
            bone.matrix_basis = Matrix()
            bpy.context.view_layer.update()
            head, posed = rig.matrix_world @ bone.head, rig.matrix_world @ bone.tail
            now, before = self.points.get(name, (posed, posed))
            for _ in range(SUBSTEPS):
                now, before = now + (now - before) * (1 - DRAG / SUBSTEPS) + (posed - now) * (STIFFNESS / SUBSTEPS), now
                now = head + (now - head).normalized() * (posed - head).length
            self.points[name] = now, before
            turn = (rig.matrix_world.to_3x3() @ (bone.tail - bone.head)).rotation_difference(now - head)
            place = rig.matrix_world @ bone.matrix
            place = Matrix.Translation(place.translation) @ turn.to_matrix().to_4x4() @ Matrix.Translation(-place.translation) @ place
            bone.matrix = rig.matrix_world.inverted() @ place


told = {}
for method, made in (("played, without any", play), ("Blender's soft body", soft_body), ("spring bones in Python", lambda: play(Springs().step))):
    seconds, frames = made()
    told[method] = {"seconds": seconds, "seconds_per_second_of_animation": seconds / (frames / scene.render.fps)}
pathlib.Path(OUT).write_text(json.dumps(told))
