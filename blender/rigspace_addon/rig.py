"""A mesh object of a .blend as a function from control values to points."""
import math
import os
import re
import tempfile

import bpy
import numpy

from . import clips, controls, curves
from .complaint import Complaint
from .joints import Joints

DEFORMING = {"ARMATURE", "LATTICE", "CURVE", "HOOK", "MESH_DEFORM", "SURFACE_DEFORM", "SHRINKWRAP", "SIMPLE_DEFORM", "CAST",
             "CORRECTIVE_SMOOTH", "LAPLACIANDEFORM", "LAPLACIANSMOOTH", "SMOOTH", "WARP", "WAVE", "DISPLACE"}
# These make other vertices than there are, or depend on more than the pose.
DISABLED = {
    "adds vertices": ("SUBSURF", "MULTIRES", "BEVEL", "EDGE_SPLIT"),
    "makes new vertices": ("REMESH", "WIREFRAME", "BOOLEAN", "VOLUME_TO_MESH", "MESH_TO_VOLUME"),
    "removes vertices": ("DECIMATE", "WELD"),
    "makes other faces": ("TRIANGULATE", "EXPLODE"),
    "moves over time": ("BUILD", "OCEAN", "PARTICLE_SYSTEM", "PARTICLE_INSTANCE", "FLUID", "DYNAMIC_PAINT", "WAVE"),
    "is a simulation of its own": ("CLOTH", "SOFT_BODY"),
    "plays a file": ("MESH_SEQUENCE_CACHE", "MESH_CACHE"),
}
# Behind the armature these dress its result up: physics is that of what the armature moves.
DRESSING = ("SOLIDIFY", "NODES", "ARRAY", "MIRROR", "SCREW", "SKIN", "MASK")
FLOAT = 2.0**-23  # single precision


def choose_object(name):
    """The mesh that is meant; without a name the only one that is rigged, or the largest of those."""
    meshes = [item for item in bpy.data.objects if item.type == "MESH" and item.name in bpy.context.scene.objects] or \
             [item for item in bpy.data.objects if item.type == "MESH"]
    names = ", ".join(f'"{item.name}"' for item in meshes[:12])
    lost = [library.filepath for library in bpy.data.libraries if not os.path.exists(bpy.path.abspath(library.filepath))]
    if lost and (not meshes or (name and name not in bpy.data.objects)):
        raise Complaint(f'library "{lost[0]}"', "is not there, and what is linked from it is missing",
                        "put that file back, or relocate the library in Blender", lost[0])
    if name:
        item = bpy.data.objects.get((name, None)) or bpy.data.objects.get(name)  # ours before one that is linked
        if item is None:
            raise Complaint(f'object "{name}"', "is not in the file", f"its meshes are {names}" if meshes else "it has no mesh", name)
        if item.type != "MESH":
            raise Complaint(f'object "{name}"', f"is no mesh but {item.type.lower()}",
                            f"its meshes are {names}" if meshes else "it has no mesh", name)
        return item
    rigged = [item for item in meshes if is_rigged(item)]
    if not rigged:
        raise Complaint("", "has no mesh that an armature, a lattice, shape keys or another deformer moves",
                        f"name one: --object; its meshes are {names}" if meshes else "it has no mesh at all")
    return max(rigged, key=lambda item: len(item.data.vertices))


def is_rigged(item):
    return (item.data.shape_keys is not None or item.parent_type in ("ARMATURE", "LATTICE", "BONE")
            or any(modifier.type in DEFORMING and modifier.show_viewport for modifier in item.modifiers))


def require_ours(item):
    """Linked data cannot be animated in this file."""
    if item.library is not None:
        path = item.library.filepath
        raise Complaint(f'object "{item.name}"', f"is linked from {path} and cannot be animated here",
                        "make a library override of it in Blender, or give that file", path)


def objects_behind(item):
    """All objects that an object's shape depends on, itself first: parents, modifiers, constraints, drivers."""
    found = []

    def visit(each):
        if each is None or each in found:
            return
        found.append(each)
        visit(each.parent)
        stacks = list(each.modifiers) + list(each.constraints)
        if each.type == "ARMATURE":
            stacks += [constraint for bone in each.pose.bones for constraint in bone.constraints]
        for stacked in stacks:
            for other in pointed_objects(stacked):
                visit(other)
        for owner in (each, each.data, getattr(each.data, "shape_keys", None)):
            for driver in curves.drivers_of(owner) if owner is not None and hasattr(owner, "animation_data") else []:
                for variable in driver.driver.variables:
                    for target in variable.targets:
                        visit(target.id if isinstance(target.id, bpy.types.Object) else None)

    visit(item)
    return found


def read_by_drivers(owners):
    """Datablocks other than objects that drivers read properties of: a scene's, another armature's data."""
    found = []
    for owner in owners:
        for driver in curves.drivers_of(owner):
            for target in (target for variable in driver.driver.variables for target in variable.targets):
                if target.id is not None and not isinstance(target.id, bpy.types.Object) and target.id not in found:
                    found.append(target.id)
    return found


def follows_frame(driver):
    return driver.driver.type == "SCRIPTED" and re.search(r"\bframe\b", driver.driver.expression) is not None


def pointed_objects(stacked):
    for prop in stacked.bl_rna.properties:
        if prop.type == "POINTER":
            value = getattr(stacked, prop.identifier, None)
            if isinstance(value, bpy.types.Object):
                yield value
    for target in getattr(stacked, "targets", []):
        if getattr(target, "target", None) is not None:
            yield target.target


class Captured:
    """What Blender itself prints meanwhile, on either stream."""

    def __enter__(self):
        self.file = tempfile.TemporaryFile()
        self.saved = [os.dup(1), os.dup(2)]
        os.dup2(self.file.fileno(), 1)
        os.dup2(self.file.fileno(), 2)
        return self

    def __exit__(self, *_):
        for number, saved in zip((1, 2), self.saved):
            os.dup2(saved, number)
            os.close(saved)
        self.file.seek(0)
        self.text = self.file.read().decode(errors="replace")
        self.file.close()


def cycle_in(text):
    """The first dependency cycle that Blender has printed, in short: belly -> tail2 -> belly. Empty if none."""
    found = re.search(r"Dependency cycle detected:\s*\n((?:\s+\S.*\n?)+)", text)
    if not found:
        return ""
    names = []
    for place in re.findall(r"^\s*(\S+?)\(\)", found.group(1), re.M):
        parts = [part for part in place.split("/") if not part.isupper()]  # OBRig/tail2/BONE_DONE
        name = parts[1] if len(parts) > 1 else parts[0][2:] if parts else place
        if not names or names[-1] != name:
            names.append(name)
    return " <- ".join(names[:8])


def without_jumping_modifiers(item, warnings):
    moved = False  # by an armature, so far
    for modifier in item.modifiers:
        why = next((why for why, kinds in DISABLED.items() if modifier.type in kinds), None)
        if moved and modifier.type in DRESSING:
            why = "dresses up what the armature has moved"
        moved = moved or modifier.type == "ARMATURE"
        if why and modifier.show_viewport:
            modifier.show_viewport = False
            warnings.append(f'modifier "{modifier.name}" of "{item.name}" is switched off, since it {why}')


class Subject:
    """A mesh and what moves it: controls and clips. Leaves the file as it is. view: "all", as it plays; "artist", as if our
    layers were not there; "pose", without clips, every control resting where it is now."""

    def __init__(self, name="", view="all", frames=None):
        self.item = choose_object(name)
        require_ours(self.item)
        scene = bpy.context.scene
        self.fps = scene.render.fps / scene.render.fps_base
        self.objects = objects_behind(self.item)
        self.owners = self.datablocks()
        self.clips = clips.find_clips(self.owners, list(bpy.data.actions), view == "artist") if view != "pose" else []
        self.plays = bool(self.clips) and self.clips[0].active
        for clip in self.clips:
            clips.check_keys(clip)
        if frames and self.clips:
            self.clips[0].first, self.clips[0].last = frames
        base = {(owner, path): values for owner in self.owners if view == "artist"
                for path, values in curves.Stack(owner).base_values().items()}
        self.listing = controls.Listing(clips.keyed_paths(self.clips), self.rig_size(), base)
        for each in sorted(self.objects, key=lambda each: each.type != "ARMATURE"):
            self.listing.add_object(each, main=each is self.item or each.type in ("ARMATURE", "MESH"))
        self.listing.add_followed(self.clips)
        if self.clips and any(follows_frame(driver) for owner in self.owners for driver in curves.drivers_of(owner)):
            self.listing.add_moment(scene)
        self.make_names_unique()
        self.rest = numpy.array([control.rest for control in self.listing.controls], float)

    def datablocks(self):
        owners = []
        for each in sorted(self.objects, key=lambda each: each.type != "ARMATURE"):
            for owner in (each, each.data, getattr(each.data, "shape_keys", None)):
                if owner is not None and owner not in owners:
                    owners.append(owner)
        return owners + [each for each in read_by_drivers(owners) if each not in owners]

    def rig_size(self):
        points = numpy.empty(3 * len(self.item.data.vertices), numpy.float32)
        self.item.data.vertices.foreach_get("co", points)
        extent = float(numpy.ptp(points.reshape(-1, 3), axis=0).max()) if len(points) else 1.0
        return max(extent * max(abs(value) for value in self.item.matrix_world.to_scale()), 1e-6)

    def rest_of(self, turn):
        """Where a Turn rests, as its channel has it: w x y z, or angle and axis."""
        x, y, z, w = self.rest[turn.key : turn.key + 4]
        return controls.axis_angle((w, x, y, z)) if turn.path.endswith("axis_angle") else (w, x, y, z)

    def make_names_unique(self):
        seen = {}
        for control in self.listing.controls:
            count = seen[control.name] = seen.get(control.name, 0) + 1
            if count > 1:
                control.name = f"{control.name}#{count}"


class BlenderRig(Subject):
    """A function from control values to points. What was repaired or left out is in `warnings`.

    It lives in a scene of its own, so that its neighbours need not be evaluated, and has forgotten its animation: nothing
    sets a channel but us. For a process that never saves the file."""

    def __init__(self, name="", view="all", pose=None, frames=None):
        """pose: with view "pose", where controls rest, {name: value}."""
        if view == "artist":
            for owner in [*bpy.data.objects, *bpy.data.shape_keys, *bpy.data.armatures, *bpy.data.lattices, *bpy.data.curves]:
                curves.undress(owner)
        super().__init__(name, view, frames)
        for k, control in enumerate(self.listing.controls):
            control.rest = self.rest[k] = (pose or {}).get(control.name, control.rest)
        self.warnings = []
        without_jumping_modifiers(self.item, self.warnings)
        self.look_at_scales()
        self.look_at_drivers()
        self.make_scene()
        for clip in self.clips:
            if isinstance(clip, clips.Played):
                clip.sample(self.scene)
        for owner in self.owners:
            curves.forget_animation(owner)
        self.slot = numpy.zeros(len(self.rest), int)  # the channel of each control
        for number, channel in enumerate(self.listing.channels):
            self.slot[channel.columns] = number
        self.pose = self.rest.copy()
        self.pose[:] = math.nan  # nothing is set yet
        self.count = self.joints = None
        self.set_up()

    def look_at_scales(self):
        for each in self.objects:
            scale = [abs(value) for value in each.scale]
            if each.type in ("MESH", "ARMATURE") and max(scale) > 1.001 * min(scale):
                shown = ", ".join(f"{value:.4g}" for value in each.scale)
                self.warnings.append(f'object "{each.name}" is scaled unevenly ({shown}), which shears what turns in it; '
                                     "apply its scale in Blender if that is not meant")

    def look_at_drivers(self):
        """Python in a file is not run unless Blender is told to trust it."""
        trusted = bpy.context.preferences.filepaths.use_scripts_auto_execute
        for owner in self.owners:
            for driver in curves.drivers_of(owner):
                if driver.driver.type != "SCRIPTED":
                    continue
                which, text = f'the driver of {driver.data_path} of "{owner.name}"', driver.driver.expression
                if not trusted and not driver.driver.is_simple_expression:
                    self.warnings.append(f"{which} is Python ({text!r}), which is not run; RIGSPACE_BLENDER_TRUST=1 says that the "
                                         "file may run its scripts")

    def make_scene(self):
        self.scene = bpy.data.scenes.new("rigspace")
        self.scene.render.fps = bpy.context.scene.render.fps
        self.scene.frame_current = bpy.context.scene.frame_current
        for channel in self.listing.channels:
            if isinstance(channel, controls.Moment):
                channel.owner = self.scene
        self.scene.collection.objects.link(self.item)
        self.item.hide_viewport = False
        for each in self.objects:
            if each.type == "ARMATURE" and each.data.pose_position == "REST" and each.data.library is None:
                each.data.pose_position = "POSE"
                self.warnings.append(f'armature "{each.name}" was shown at rest; it is posed here')
        self.layer = self.scene.view_layers[0]
        with Captured() as said:
            self.layer.update()
        self.cycle = cycle_in(said.text)

    def set_up(self):
        """The rest pose, and whether the rig is a function with the same points everywhere."""
        self.set(self.rest)
        mesh = self.mesh()
        self.count = len(mesh.vertices)
        if self.count == 0:
            raise Complaint(f'object "{self.item.name}"', "has no vertices", "name another: --object")
        mesh.calc_loop_triangles()
        self.triangles = numpy.empty(3 * len(mesh.loop_triangles), numpy.int32)
        mesh.loop_triangles.foreach_get("vertices", self.triangles)
        self.triangles = self.triangles.reshape(-1, 3)
        self.buffer = numpy.empty(3 * self.count, numpy.float32)
        first = self.points()
        if not numpy.isfinite(first).all():
            raise Complaint(f'object "{self.item.name}"', "has points that are not finite at rest", "check its vertices and its rig")
        self.noise = FLOAT * float(numpy.abs(first).max())
        self.evaluate(self.moved_pose())
        again = self.evaluate(self.rest)
        gap = float(numpy.abs(again - first).max())
        if gap > 1e-3 * float(numpy.ptp(first, axis=0).max()):
            raise Complaint(f'object "{self.item.name}"', "is not where it was when its rest pose is set a second time" + (
                f": there is a dependency cycle, {self.cycle}" if self.cycle else ""),
                "break it: leave out a constraint or driver" if self.cycle else "look for physics, or drivers that read the frame")
        if self.cycle:
            self.warnings.append(f"there is a dependency cycle, {self.cycle}; what hangs on it may lag behind by a pose")

    def moved_pose(self):
        """Some pose, every control off its rest by a tenth of an ordinary change."""
        p = self.rest.copy()
        for k, control in enumerate(self.listing.controls):
            if control.unit != "quaternion":
                p[k] += 0.1 * control.typical * (1 if k % 2 else -1)
                p[k] = max(p[k], p[k] if control.low is None else control.low)
                p[k] = min(p[k], p[k] if control.high is None else control.high)
        return p

    def set(self, p):
        changed = numpy.flatnonzero(p != self.pose)
        if len(changed) == 0:
            return
        values = p.tolist()
        touched = set()
        for number in numpy.unique(self.slot[changed]):
            channel = self.listing.channels[number]
            channel.set(values)
            touched.add(channel.owner)
        self.pose = p.copy()
        for owner in touched:
            self.tag(owner)
        self.layer.update()

    def tag(self, owner):
        """Blender notices itself what is set through its own properties, but not custom ones and lattice points."""
        if owner is self.scene:
            return  # its graph compares the frame with its own
        if isinstance(owner, bpy.types.Object):
            owner.update_tag(refresh={"OBJECT", "DATA"} if owner.type == "LATTICE" else {"OBJECT"})
            return
        owner.update_tag()
        for each in self.objects:
            if each.data is owner or getattr(each.data, "shape_keys", None) is owner:
                each.update_tag(refresh={"DATA"})

    def mesh(self):
        self.shape = self.item.evaluated_get(self.layer.depsgraph)
        return self.shape.data

    def points(self):
        """World space, Y up, float64 (n, 3)."""
        mesh = self.mesh()
        if len(mesh.vertices) != self.count:
            suspects = ", ".join(f'"{modifier.name}"' for modifier in self.item.modifiers if modifier.show_viewport)
            raise Complaint(f'object "{self.item.name}"', f"has {len(mesh.vertices)} vertices in this pose and {self.count} at rest",
                            f"switch off the modifier that changes their number: one of {suspects}")
        mesh.vertices.foreach_get("co", self.buffer)
        matrix = numpy.array(self.shape.matrix_world)
        world = self.buffer.reshape(-1, 3).astype(float) @ matrix[:3, :3].T + matrix[:3, 3]
        shape = numpy.stack([world[:, 0], world[:, 2], -world[:, 1]], axis=1)
        return shape if self.joints is None else numpy.concatenate([shape, self.joints.points(self.layer.depsgraph)])

    def show_joints(self):
        """From here on the bones that deform the mesh are points too, behind its own."""
        joints = Joints(self.item, self.rig_size())
        self.joints = joints if joints.bones else None

    def total(self):
        return self.count + (4 * len(self.joints.bones) if self.joints else 0)

    def evaluate(self, p):
        self.set(numpy.asarray(p, float))
        return self.points()

    def color(self):
        material = next((slot.material for slot in self.item.material_slots if slot.material), None)
        return [min(max(float(value), 0.0), 1.0) for value in material.diffuse_color[:3]] if material else [0.8, 0.8, 0.8]
