"""FBX through Blender: a character as .glb for rigspace, and a .glb as .fbx.

    blender -b --factory-startup --python rigspace_fbx.py -- read IN.fbx OUT.glb 3>&1 1>&2
    blender -b --factory-startup --python rigspace_fbx.py -- write IN.glb OUT.fbx 3>&1 1>&2

Says on stream 3, in one line of JSON, what was repaired or left out, or what is wrong: docs/fbx.md. Points are metres, Y up, in
the .glb; the .fbx has centimetres, Y up. Clips are takes of the same name, from their first key on, a key a frame."""
import contextlib
import json
import os
import pathlib
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import numpy  # noqa: E402

import bpy  # noqa: E402

from rigspace_addon.complaint import Complaint  # noqa: E402

RATES = (24, 25, 30, 48, 50, 60, 100, 120, 240)  # Hz: Blender's glTF counts in whole frames per second
LONGEST_NAME = 63  # bytes of a datablock


def with_known(operator, **settings):
    """Calls it with those settings that this Blender has; in its own words if it fails."""
    known = operator.get_rna_type().properties.keys()
    return operator(**{name: value for name, value in settings.items() if name in known})


def datablocks():
    """All that FBX and glTF animate."""
    keys = [item.data.shape_keys for item in bpy.data.objects if item.type == "MESH" and item.data.shape_keys]
    return [*bpy.data.objects, *dict.fromkeys(keys)]


def widen_sliders():
    """Blender cuts shape keys off at the ends of their sliders, which neither format has."""
    for keys in bpy.data.shape_keys:
        for block in keys.key_blocks[1:]:
            block.slider_min, block.slider_max = -10.0, 10.0


# Reading


def colors_at_points():
    """Blender 3.4 writes colours of corners as if they were listed by vertex. FBX has corners: their mean at each vertex."""
    for mesh in bpy.data.meshes if bpy.app.version[:2] == (3, 4) else ():
        owners = numpy.empty(len(mesh.loops), numpy.int32)
        mesh.loops.foreach_get("vertex_index", owners)
        for name in [layer.name for layer in mesh.color_attributes if layer.domain == "CORNER"]:
            corners = numpy.empty(4 * len(owners), numpy.float32)
            mesh.color_attributes[name].data.foreach_get("color", corners)
            means = numpy.zeros((len(mesh.vertices), 4), numpy.float32)
            numpy.add.at(means, owners, corners.reshape(-1, 4))
            means /= numpy.maximum(numpy.bincount(owners, minlength=len(means)), 1)[:, None]
            mesh.color_attributes.remove(mesh.color_attributes[name])
            mesh.color_attributes.new(name, "FLOAT_COLOR", "POINT").data.foreach_set("color", means.ravel())
        if len(mesh.color_attributes):
            mesh.color_attributes.render_color_index = 0


def takes_of(path):
    """[(take, its layers)] by name, in the order of the file."""
    from io_scene_fbx import parse_fbx

    root, _ = parse_fbx.parse(str(path))
    part = lambda name: next((each for each in root.elems if each.id == name), None)  # noqa: E731
    objects, connections = part(b"Objects"), part(b"Connections")
    named = lambda kind: {each.props[0]: each.props[1].split(b"\x00")[0].decode(errors="replace")  # noqa: E731
                          for each in (objects.elems if objects else ()) if each.id == kind}
    stacks, layers = named(b"AnimationStack"), named(b"AnimationLayer")
    links = [(each.props[1], each.props[2]) for each in (connections.elems if connections else ()) if len(each.props) > 2]
    return [(name, [layers[child] for child, parent in links if parent == number and child in layers]) for number, name in stacks.items()]


def actions_of(take, layer, owner):
    """What Blender's importer calls an action of a datablock."""
    name = "|".join((owner.name, take) if take == layer else (owner.name, take, layer))
    return bpy.data.actions.get(name.encode()[:LONGEST_NAME].decode(errors="ignore"))


def clip_names(takes):
    """Blender's own exporter names takes "Armature|Walk": without what is before the bar, where that names an object."""
    objects = {item.name for item in bpy.data.objects}
    short = [name.partition("|")[2] if name.partition("|")[0] in objects else name for name, _ in takes]
    return [mine if short.count(mine) == 1 else name for mine, (name, _) in zip(short, takes)]


def from_zero(actions):
    """A take begins where it likes; a clip at 0. All of a take are moved together."""
    first = min((action.frame_range[0] for action in actions), default=0.0)
    for action in actions:
        for curve in action.fcurves if first else ():
            for field in ("co", "handle_left", "handle_right"):
                values = numpy.empty(2 * len(curve.keyframe_points), numpy.float32)
                curve.keyframe_points.foreach_get(field, values)
                values[::2] -= first
                curve.keyframe_points.foreach_set(field, values)
            curve.update()


def tracks_for_takes(takes):
    """One NLA track for each take on each datablock: what Blender's glTF makes one animation of, by the track's name. Returns
    sentences."""
    notes, owners = [], datablocks()
    for owner in owners:
        if owner.animation_data:
            owner.animation_data.action = None
    for clip, (take, layers) in zip(clip_names(takes), takes):
        layer = next((each for each in layers if any(actions_of(take, each, owner) for owner in owners)), None)
        if layer is None:
            continue
        if len(layers) > 1:
            notes.append(f'take "{take}": its first layer "{layer}" is read, others are not: merge them in the program that wrote it')
        found = [(owner, action) for owner in owners if (action := actions_of(take, layer, owner))]
        from_zero([action for _, action in found])
        for owner, action in found:
            animation = owner.animation_data or owner.animation_data_create()
            action.id_root = "KEY" if isinstance(owner, bpy.types.Key) else "OBJECT"
            track = animation.nla_tracks.new()
            track.name = clip
            track.strips.new(clip, 0, action)
    return notes


def read(source, out):
    try:
        takes = takes_of(source)
        with_known(bpy.ops.import_scene.fbx, filepath=source, anim_offset=0.0, use_custom_props=True)
    except Exception as error:  # noqa: BLE001: the importer raises whatever its parser stumbles over
        words = str(error).strip().splitlines()
        raise Complaint("", f"cannot be read by Blender ({words[-1] if words else type(error).__name__})",
                        "is it whole? save it again as binary FBX 7.4") from None
    if not any(item.type == "MESH" for item in bpy.data.objects):
        raise Complaint("", "has no mesh", "export the character with its skin, not the motion alone")
    widen_sliders()
    colors_at_points()
    notes = tracks_for_takes(takes)
    with_known(bpy.ops.export_scene.gltf, filepath=out, export_format="GLB", export_animations=True, export_nla_strips=True,
               export_animation_mode="NLA_TRACKS", export_anim_single_armature=False, export_force_sampling=True,
               export_frame_range=False, export_optimize_animation_size=False, export_current_frame=False, export_all_influences=True,
               export_extras=True, export_yup=True, export_rest_position_armature=True)
    return notes


# Writing


def glb_parts(path):
    """JSON and bytes."""
    data = pathlib.Path(path).read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + size]), data[20 + size + 8 :]


def rate_of(path):
    """The lowest rate at which all keys of all clips are on frames; 60 if there is none."""
    document, data = glb_parts(path)
    times = [numpy.zeros(1)]
    for number in {sampler["input"] for clip in document.get("animations", ()) for sampler in clip["samplers"]}:
        accessor = document["accessors"][number]
        view = document["bufferViews"][accessor["bufferView"]]
        times.append(numpy.frombuffer(data, "<f4", accessor["count"], view.get("byteOffset", 0) + accessor.get("byteOffset", 0)))
    times = numpy.concatenate(times).astype(float)
    return next((rate for rate in RATES if abs(times * rate - (times * rate).round()).max() < 1e-2), 60)


def plain_under_colors():
    """A colour that vertex colours replace is not used, and FBX would multiply with it."""
    for material in bpy.data.materials:
        for node in material.node_tree.nodes if material.use_nodes else ():
            base = node.inputs.get("Base Color")
            if base is not None and base.is_linked and base.links[0].from_node.type == "VERTEX_COLOR":
                base.default_value = (1.0, 1.0, 1.0, 1.0)


class Clips:
    """Clips of an imported glTF: {name: [(datablock, action)]}; tracks of the same name are one."""

    def __init__(self):
        self.found = {}
        for owner in datablocks():
            animation = owner.animation_data
            for track in animation.nla_tracks if animation else ():
                self.found.setdefault(track.name, []).extend((owner, strip.action) for strip in track.strips if strip.action)
            while animation and animation.nla_tracks:
                animation.nla_tracks.remove(animation.nla_tracks[0])
        self.rest = {item: item.matrix_basis.copy() for item in bpy.data.objects}

    def play(self, name):
        """This clip, and nothing that another has left."""
        for owner in datablocks():
            if owner.animation_data:
                owner.animation_data.action = None
        for item, matrix in self.rest.items():
            item.matrix_basis = matrix
            for bone in item.pose.bones if item.type == "ARMATURE" else ():
                bone.matrix_basis.identity()
        for keys in bpy.data.shape_keys:
            for block in keys.key_blocks:
                block.value = 0.0
        for owner, action in self.found[name]:
            owner.animation_data.action = action

    def last_frame(self, name):
        return max(action.frame_range[1] for _, action in self.found[name])


def exporter_with(clips):
    """Blender's FBX writes actions of an object or strips of an object as takes, never a clip of several datablocks: shape keys
    beside joints. This does, by its own functions."""
    from io_scene_fbx import export_fbx_bin

    def animations(scene_data):
        made, animated, last = [], set(), 0.0
        for name in clips.found:
            clips.play(name)
            holder = bpy.data.actions.get(name) or bpy.data.actions.new(name)  # whose name the take has
            anim = export_fbx_bin.fbx_animations_do(scene_data, holder, 0.0, clips.last_frame(name), True, force_keep=True)
            if anim is None:
                continue
            made.append(anim)
            last = max(last, anim[5])
            animated |= {(key, prop) for key, (_, nodes) in anim[1].items() for prop in nodes}
        return made, animated, 0.0, last

    @contextlib.contextmanager
    def instead():
        was, export_fbx_bin.fbx_animations = export_fbx_bin.fbx_animations, animations
        try:
            yield
        finally:
            export_fbx_bin.fbx_animations = was

    return instead()


def write(source, out):
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = rate_of(source), 1.0
    with_known(bpy.ops.import_scene.gltf, filepath=source, bone_heuristic="BLENDER", disable_bone_shape=True)
    widen_sliders()
    plain_under_colors()
    clips = Clips()
    with exporter_with(clips):
        with_known(bpy.ops.export_scene.fbx, filepath=out, object_types={"ARMATURE", "MESH", "EMPTY"}, add_leaf_bones=False,
                   apply_scale_options="FBX_SCALE_NONE", use_mesh_modifiers=False, use_armature_deform_only=False, bake_anim=bool(clips.found),
                   bake_anim_use_all_bones=True, bake_anim_simplify_factor=0.0, bake_anim_step=1.0, path_mode="COPY", embed_textures=True,
                   use_custom_props=True)
    return []


def main():
    numpy.bool = bool  # Blender 3.4's glTF says numpy.bool, which newer numpy does not have
    stream = os.fdopen(os.dup(3), "w")
    what, source, out = sys.argv[sys.argv.index("--") + 1 :]
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    try:
        told = {"rigspace": 1, "warnings": {"read": read, "write": write}[what](source, out)}
    except Complaint as complaint:
        told = {"rigspace": 1, "error": complaint.parts}
    stream.write(json.dumps(told) + "\n")
    stream.flush()


main()
