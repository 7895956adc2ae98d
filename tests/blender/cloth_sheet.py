"""A sheet on a sphere by Blender's own cloth: SHEET.obj SPHERE.obj OUT.pc2 SECONDS.txt. Cotton with self-collision, five
steps a frame; stiffness raised until the stretch is that of cotton."""
import struct
import sys
import time

import bpy

sheet_file, sphere_file, out, seconds_file = sys.argv[sys.argv.index("--") + 1:]
FRAMES, RATE = 24, 24


def load(path, name):
    points, faces = [], []
    for line in open(path):
        words = line.split()
        if words[0] == "v":
            points.append(tuple(float(w) for w in words[1:]))
        elif words[0] == "f":
            faces.append(tuple(int(w) - 1 for w in words[1:]))
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], faces)
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(thing)
    return thing


for thing in list(bpy.data.objects):
    bpy.data.objects.remove(thing)
scene = bpy.context.scene
scene.render.fps = RATE
scene.frame_start, scene.frame_end = 1, FRAMES + 1
scene.gravity = (0, -9.80665, 0)
sphere, sheet = load(sphere_file, "sphere"), load(sheet_file, "sheet")
sphere.modifiers.new("Collision", "COLLISION")
sphere.collision.thickness_outer = 0.002
sphere.collision.cloth_friction = 5
cloth = sheet.modifiers.new("Cloth", "CLOTH")
settings = cloth.settings
settings.quality = 5
settings.mass = 0.2 / len(sheet.data.vertices)  # a point's share of 200 g on a square metre
settings.tension_stiffness = settings.compression_stiffness = 15
settings.shear_stiffness = 5
settings.bending_stiffness = 1e-5
# Blender's forces are per point: with its defaults, made for 300 g a point, such light cloth hovers in the air.
settings.air_damping = 2e-4
settings.tension_damping = settings.compression_damping = settings.shear_damping = 0.01
settings.bending_damping = 1e-4
cloth.collision_settings.use_self_collision = True
cloth.collision_settings.distance_min = 0.002
cloth.collision_settings.self_distance_min = 0.002
cloth.collision_settings.collision_quality = 2
cloth.point_cache.frame_start, cloth.point_cache.frame_end = 1, FRAMES + 1

frames, seconds, processor = [], 0.0, 0.0
for frame in range(1, FRAMES + 2):
    begin, worked = time.perf_counter(), time.process_time()
    scene.frame_set(frame)
    shape = sheet.evaluated_get(bpy.context.evaluated_depsgraph_get())
    seconds += time.perf_counter() - begin
    processor += time.process_time() - worked
    frames.append([c for v in shape.data.vertices for c in v.co])
count = len(sheet.data.vertices)
with open(out, "wb") as file:
    file.write(b"POINTCACHE2\0" + struct.pack("<iiffi", 1, count, 0.0, 1.0, len(frames)))
    for points in frames:
        file.write(struct.pack(f"<{3 * count}f", *points))
with open(seconds_file, "w") as file:
    file.write(f"{seconds} {processor}")
