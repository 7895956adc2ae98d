"""The add-on with a window: progress while the artist goes on, Esc at once, undo after a run and in it, errors.

    blender --factory-startup --enable-event-simulate --python tests/addon/addon_window.py -- ADDON.zip HERO.blend OUT

Needs a display; tests/addon/test_addon.py gives it Xvfb. OUT gets one line: "ok", or what went wrong."""
import contextlib
import os
import pathlib
import signal
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


def press(key, values=("PRESS", "RELEASE")):
    window, area, region = view()
    place = {"x": area.x + area.width // 2, "y": area.y + area.height // 2}
    window.event_simulate(type="MOUSEMOVE", value="NOTHING", **place)
    for value in values:
        window.event_simulate(type=key, value=value, **place)


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


def push(words):
    with inside():
        bpy.ops.ed.undo_push(message=words)


def undo():
    with inside():
        bpy.ops.ed.undo()


def scratch():
    return list(pathlib.Path(os.environ["TMPDIR"]).glob("rigspace_*"))


def go_on(word=signal.SIGCONT):
    from rigspace_addon import program

    for run in program.STARTED:
        os.kill(run.process.pid, word)


@contextlib.contextmanager
def told_fractions():
    """All that the program says of how far it is. The panel shows the last of them ten times a second at most, and on a busy
    machine a short run can go from its beginning to its end between two looks."""
    from rigspace_addon import program

    told = []
    program.Run.fraction = property(lambda run: run.last_told, lambda run, value: (told.append(value), setattr(run, "last_told", value)))
    try:
        yield told
    finally:
        del program.Run.fraction


def started():
    """A simulation, until the program and the Blender that is its rig are at work; there it is held until `go_on`."""
    from rigspace_addon import program, work

    assert invoke(bpy.ops.rigspace.simulate) == {"RUNNING_MODAL"}
    for _ in range(PATIENCE):
        yield
        if work.Current.work is None or (program.STARTED and len(descendants()) > 1):
            break
    assert work.Current.work is not None, "it ended by itself"
    go_on(signal.SIGSTOP)


def ended(words):
    """It has ended, within a few moments, and left nothing."""
    from rigspace_addon import program, work

    for _ in range(5):
        yield
    assert work.Current.work is None, f"{words}: does not end it"
    assert not program.STARTED and not descendants() and not scratch(), f"{words}: something is left"


def scenario():
    bpy.ops.preferences.addon_install(filepath=ZIP)
    bpy.ops.preferences.addon_enable(module="rigspace_addon")
    make_character()
    yield
    for part in (keys_and_progress, undos, errors):
        yield from part()


def keys_and_progress():
    from rigspace_addon import work

    before = state()
    yield from started()
    assert "%" in work.status(), work.status()
    bpy.context.scene.frame_set(5)  # the artist goes on
    for key in ("ESC", "A", "LEFT_SHIFT"):  # keys that were pressed elsewhere and let go here
        press(key, ["RELEASE"])
        yield
        yield
        assert work.Current.work is not None, f"letting go of {key} stops it"
    with inside():
        try:
            bpy.ops.rigspace.check("EXEC_DEFAULT")
            raise AssertionError("two runs at a time")
        except RuntimeError as error:
            assert "running already" in str(error), error
    yield
    assert work.Current.work is not None and descendants(), "a second run that is refused stops the first"
    press("ESC", ["PRESS"])
    yield from ended("Esc")
    assert state() == before, "a stopped run left something"

    seen = []
    with told_fractions() as told:
        assert invoke(bpy.ops.rigspace.simulate) == {"RUNNING_MODAL"}
        for _ in range(PATIENCE):
            yield
            if work.Current.work is None:
                break
            seen.append(work.Current.fraction)
    assert "Walk_soft" in state()[1], "no result"
    assert max(told) > 0.5, f"no progress was told: {told}"
    assert len(set(seen)) > 2, f"no progress was seen: {seen}"
    undo()
    yield
    assert state() == before, "undo does not restore"
    with inside():
        bpy.ops.ed.redo()
    yield
    assert "Walk_soft" in state()[1], "redo does not bring it back"


def undos():
    """In mid run: of something else it goes on; of the character, it ends."""
    from rigspace_addon import work

    make_character()
    yield
    before = state()
    bpy.data.actions["Walk"].fcurves[0].keyframe_points[1].co[1] += 0.1
    push("a key")
    bpy.data.objects.new("Something else", None)
    push("something else")
    yield from started()
    undo()  # as Ctrl+Z
    for _ in range(3):
        yield
    assert "Something else" not in bpy.data.objects and state() != before
    assert work.Current.work is not None, "an undo of something else ends it"
    undo()
    yield from ended("an undo of a key of the character")
    assert state() == before, "an undone run left something"

    bpy.data.objects.new("Something else", None)
    push("something else")
    yield from started()
    undo()
    yield
    go_on()
    for _ in range(PATIENCE):
        yield
        if work.Current.work is None:
            break
    assert "Walk_soft" in state()[1], "no result after an undo of something else"

    make_character()
    yield
    yield from started()
    undo()  # the set up
    yield from ended("an undo of the set up")
    assert not len(bpy.context.scene.rigspace.characters) and state() == before


def errors():
    """That nobody foresaw, in mid run: the next run begins."""
    from rigspace_addon import program, work

    make_character()
    yield
    before = state()
    yield from started()
    was, program.Run.working = program.Run.working, lambda run: {}["nothing"]
    yield
    program.Run.working = was
    yield from ended("an error")
    assert state() == before
    yield from started()
    press("ESC", ["PRESS"])
    yield from ended("Esc")
    assert work.Current.work is None


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
