"""What is odd about a rig, and a look at the body inside the mesh. What was found is kept in memory alone."""
import bpy
import numpy

from .program import Run, Scratch, save_copy
from .rig import Subject
from .settings import character_of
from .work import Work, follow

FOUND = {}  # by mesh: sentences
BODIES = {}  # by mesh: corners of edges, (2 n, 3), world space, at rest
HANDLE = []


def sentences(health, warnings):
    said = list(warnings)
    told = (("noisy", "noisy, hard to find derivatives of"), ("without_effect", "without effect on the mesh"))
    for key, words in told:
        names = health.get(key, [])
        if names:
            said.append(f"{words}: {', '.join(names[:12])}" + (f" and {len(names) - 12} more" if len(names) > 12 else ""))
    said += [f"{a} and {b} move the same" for a, b in health.get("doubles", [])]
    said += list(health.get("unreached", [])) + list(health.get("broken", []))
    return said or [f"nothing is odd: {health['controls']} controls, {health['points']} points"]


def checking(mesh):
    """mesh: its name, as in all that takes its time."""
    with Scratch() as folder:
        yield 0.0, "writing a copy of the file"
        copy = save_copy(folder)
        run = Run(folder, ["rig", "check", copy, "--object", mesh], RIGSPACE_BLENDER_VIEW="artist")
        yield from follow(run, share=(0.1, 0.7))
        health = run.answer()
        run = Run(folder, ["info", copy, "--object", mesh], RIGSPACE_BLENDER_VIEW="artist")
        yield from follow(run, share=(0.7, 1.0))
        FOUND[mesh] = sentences(health, run.answer().get("warnings", []))
    return f"{mesh}: " + "; ".join(FOUND[mesh])


def meshing(mesh):
    with Scratch() as folder:
        yield 0.0, "writing a copy of the file"
        copy, out = save_copy(folder), folder / "body.mesh"
        run = Run(folder, ["mesh", copy, "--object", mesh, "-o", out], RIGSPACE_BLENDER_VIEW="artist")
        yield from follow(run, share=(0.1, 1.0))
        run.answer()
        nodes, tets = read_medit(out)
    BODIES[mesh] = edges_of(nodes, tets)
    return f"{mesh}: {len(tets)} tetrahedra with {len(nodes)} nodes"


def read_medit(path):
    """Nodes in Blender's world, Z up, and tetrahedra."""
    words, at, found = path.read_text().split(), 0, {}
    widths = {"Vertices": 4, "Tetrahedra": 5, "Triangles": 4}
    while at < len(words):
        if words[at] in widths:
            name, count = words[at], int(words[at + 1])
            size = count * widths[name]
            found[name] = numpy.array(words[at + 2 : at + 2 + size], float).reshape(count, widths[name])
            at += 2 + size
        else:
            at += 1
    x, y, z = found["Vertices"][:, :3].T
    return numpy.stack([x, -z, y], axis=1), found["Tetrahedra"][:, :4].astype(int) - 1


def edges_of(nodes, tets):
    pairs = numpy.concatenate([tets[:, [a, b]] for a in range(4) for b in range(a + 1, 4)])
    pairs = numpy.unique(numpy.sort(pairs, axis=1), axis=0)
    return nodes[pairs.ravel()].astype(numpy.float32)


def draw():
    import gpu
    from gpu_extras.batch import batch_for_shader

    for mesh, points in list(BODIES.items()):
        item = bpy.data.objects.get(mesh)
        if item is None or not item.visible_get():
            continue
        shader = gpu.shader.from_builtin("3D_UNIFORM_COLOR" if bpy.app.version < (4, 0, 0) else "UNIFORM_COLOR")
        batch = batch_for_shader(shader, "LINES", {"pos": points.tolist()})
        gpu.state.blend_set("ALPHA")
        shader.bind()
        shader.uniform_float("color", (1.0, 0.55, 0.1, 0.25))
        batch.draw(shader)
        gpu.state.blend_set("NONE")


class Diagnosis(Work):
    bl_options = set()

    @classmethod
    def poll(cls, context):
        return character_of(context) is not None


class RIGSPACE_OT_check(Diagnosis, bpy.types.Operator):
    """Noisy controls, controls without effect, doubles, poses that break, modifiers that are switched off"""

    bl_idname = "rigspace.check"
    bl_label = "Check Rig"

    def steps(self, context):
        mesh = character_of(context).mesh.name
        Subject(mesh, view="artist")  # complains about what cannot be done
        return checking(mesh)


class RIGSPACE_OT_show_body(Diagnosis, bpy.types.Operator):
    """Shows the tetrahedra inside the mesh at rest, or hides them"""

    bl_idname = "rigspace.show_body"
    bl_label = "Show Body"

    def steps(self, context):
        mesh = character_of(context).mesh.name
        return meshing(mesh) if BODIES.pop(mesh, None) is None else iter_of("hidden")


def iter_of(sentence):
    """A generator that is at its end."""
    return sentence
    yield


CLASSES = (RIGSPACE_OT_check, RIGSPACE_OT_show_body)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)
    if not bpy.app.background:
        HANDLE.append(bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", "POST_VIEW"))


def unregister():
    while HANDLE:
        bpy.types.SpaceView3D.draw_handler_remove(HANDLE.pop(), "WINDOW")
    FOUND.clear()
    BODIES.clear()
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
