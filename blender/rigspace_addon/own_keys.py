"""The artist's own keys in the timeline and the dope sheet while the fix layer is the active action, which is all that Blender shows
there: as small grey diamonds, and an operator that goes from one to the next."""
import bpy
from bpy.props import BoolProperty

from . import curves
from .manage import OfCharacter
from .settings import character_of, owners_of

SIZE, COLOR = 4.0, (0.62, 0.62, 0.62, 0.9)  # pixels of a half diagonal
HANDLES = []


def frames_of(character, only=None):
    """Frames at which the artist's action beneath a result has keys. only: beginnings of data paths."""
    found = set()
    for owner in owners_of(character.mesh) if character is not None and character.mesh is not None else ():
        stack = curves.Stack(owner)
        if "soft" not in stack.tracks or stack.artist is None or owner.animation_data.use_tweak_mode:
            continue
        for curve in curves.fcurves_of(stack.artist, owner):
            if only is None or curve.data_path.startswith(only):
                found.update(curves.keys_of(curve)[0])
    return sorted(found)


def draw():
    import gpu
    from gpu_extras.batch import batch_for_shader

    context = bpy.context
    space, region = context.space_data, context.region
    if space is None or space.type != "DOPESHEET_EDITOR" or space.mode not in ("TIMELINE", "DOPESHEET", "ACTION"):
        return
    character = character_of(context)
    if character is None:
        return
    scale = context.preferences.system.ui_scale
    height = 0.35 * region.height if space.mode == "TIMELINE" else 10 * scale
    corners = []
    for frame in frames_of(character):
        x, _ = region.view2d.view_to_region(frame, 0, clip=False)
        if -SIZE <= x <= region.width + SIZE:
            s = SIZE * scale
            top, right, bottom, left = (x, height + s), (x + s, height), (x, height - s), (x - s, height)
            corners += [top, right, bottom, bottom, left, top]
    if not corners:
        return
    shader = gpu.shader.from_builtin("2D_UNIFORM_COLOR" if bpy.app.version < (4, 0, 0) else "UNIFORM_COLOR")
    batch = batch_for_shader(shader, "TRIS", {"pos": corners})
    gpu.state.blend_set("ALPHA")
    shader.bind()
    shader.uniform_float("color", COLOR)
    batch.draw(shader)
    gpu.state.blend_set("NONE")


class RIGSPACE_OT_own_key(OfCharacter, bpy.types.Operator):
    """Goes to your next key beneath the result, or the one before"""

    bl_idname = "rigspace.own_key"
    bl_label = "Jump to Your Key"
    bl_options = set()
    back: BoolProperty(name="Back", default=False, options={"SKIP_SAVE"})

    def do(self, context):
        scene, frames = context.scene, frames_of(character_of(context))
        beyond = [frame for frame in frames if (frame < scene.frame_current - 0.5 if self.back else frame > scene.frame_current + 0.5)]
        if beyond:
            scene.frame_set(round(beyond[-1] if self.back else beyond[0]))


def register():
    bpy.utils.register_class(RIGSPACE_OT_own_key)
    if not bpy.app.background:
        HANDLES.append(bpy.types.SpaceDopeSheetEditor.draw_handler_add(draw, (), "WINDOW", "POST_PIXEL"))


def unregister():
    while HANDLES:
        bpy.types.SpaceDopeSheetEditor.draw_handler_remove(HANDLES.pop(), "WINDOW")
    bpy.utils.unregister_class(RIGSPACE_OT_own_key)
