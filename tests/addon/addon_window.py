"""The add-on with a window: progress while the artist goes on, Esc at once, undo.

    blender --factory-startup --enable-event-simulate --python tests/addon/addon_window.py -- ADDON.zip HERO.blend OUT

Needs a display; tests/addon/test_addon.py gives it Xvfb. OUT gets one line: "ok", or what went wrong."""
import os
import pathlib
import sys
import traceback

import bpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from processes import descendants  # noqa: E402

ZIP, HERO, OUT = sys.argv[sys.argv.index("--") + 1 :]
PATIENCE = 3000  # tenths of a second


def state():
    return ({action.name: [[tuple(key.co) for key in curve.keyframe_points] for curve in action.fcurves] for action in bpy.data.actions},
            [track.name for item in bpy.data.objects if item.animation_data for track in item.animation_data.nla_tracks])


def view():
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    return window, area, region


def inside():
    window, area, region = view()
    return bpy.context.temp_override(window=window, area=area, region=region)


def invoke(operator):
    with inside():
        return operator("INVOKE_DEFAULT")


def press(key):
    window, area, region = view()
    place = {"x": area.x + area.width // 2, "y": area.y + area.height // 2}
    window.event_simulate(type="MOUSEMOVE", value="NOTHING", **place)
    window.event_simulate(type=key, value="PRESS", **place)
    window.event_simulate(type=key, value="RELEASE", **place)


def make_character():
    bpy.ops.wm.open_mainfile(filepath=HERO)
    bpy.context.view_layer.objects.active = bpy.data.objects["Body"]
    bpy.ops.rigspace.set_up()
    character = bpy.context.scene.rigspace.characters[0]
    part = character.parts.add()
    part.pattern, part.preset, part.use_rate, part.rate = "tail?.r?", "tail", True, 3.0
    character.use_range, character.first, character.last, character.loop = True, 1, 13, "no"
    with inside():
        bpy.ops.ed.undo_push(message="set up")


def scenario():
    bpy.ops.preferences.addon_install(filepath=ZIP)
    bpy.ops.preferences.addon_enable(module="rigspace_addon")
    make_character()
    from rigspace_addon import program, work

    before = state()
    yield
    assert invoke(bpy.ops.rigspace.simulate) == {"RUNNING_MODAL"}
    for _ in range(PATIENCE):
        yield
        if program.STARTED and len(descendants()) > 1:  # the program and the Blender that is its rig
            break
    assert work.Current.work is not None and "%" in work.status(), work.status()
    bpy.context.scene.frame_set(5)  # the artist goes on
    press("ESC")
    yield
    yield
    assert work.Current.work is None, "Esc does not stop it"
    assert not program.STARTED and not descendants(), "something is left running"
    assert state() == before, "a stopped run left something"

    assert invoke(bpy.ops.rigspace.simulate) == {"RUNNING_MODAL"}
    seen = []
    for _ in range(PATIENCE):
        yield
        if work.Current.work is None:
            break
        seen.append(work.Current.fraction)
    assert "Walk_soft" in state()[1], "no result"
    assert max(seen) > 0.5 and len(set(seen)) > 2, f"no progress was seen: {seen}"
    with inside():
        bpy.ops.ed.undo()
    yield
    assert state() == before, "undo does not restore"
    with inside():
        bpy.ops.ed.redo()
    yield
    assert "Walk_soft" in state()[1], "redo does not bring it back"


def finish(words):
    pathlib.Path(OUT).write_text(words + "\n")
    os._exit(0 if words == "ok" else 3)


STEPS = scenario()


def tick():
    try:
        next(STEPS)
    except StopIteration:
        finish("ok")
    except BaseException:  # noqa: BLE001: whatever it is, someone waits for a word
        finish(traceback.format_exc())
    return 0.1


bpy.app.timers.register(tick, first_interval=1.0, persistent=True)
