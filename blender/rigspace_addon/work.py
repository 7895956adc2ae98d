"""Operators that take their time. Each is one generator: it yields (how far it is, 0 to 1, and what it does) and returns a
sentence. `execute` runs it to its end, for scripts; `invoke` lets the artist go on and asks it ten times a second. Nothing of
it is kept in the file, and nothing is changed in the file before its last moment.

The artist may undo meanwhile, which reads datablocks anew: a generator holds names, never datablocks (settings.CharacterName).
However a run ends, `end` is called: the program is stopped, its files are gone, and the next run can begin."""
import contextlib
import time
import traceback

import bpy

from . import program
from .complaint import Complaint
from .settings import CharacterName, character_of
from .watch import fingerprint


class Current:
    """What runs now, for the panel. name: whose it is; changes_file: set by a generator when it begins to; undone: why an undo
    ends it."""

    work, fraction, words, began = None, 0.0, "", 0.0
    name, changes_file, before_undo, undone = None, False, None, None


def time_left(fraction, began):
    if fraction < 0.02:
        return ""
    seconds = (time.monotonic() - began) * (1 - fraction) / fraction
    return f"{seconds:.0f} s left" if seconds < 90 else f"{seconds / 60:.0f} min left"


def status_lines():
    """How far; what, how long."""
    done = round(10 * Current.fraction)
    left = time_left(Current.fraction, Current.began)
    return f"{'█' * done}{'░' * (10 - done)} {100 * Current.fraction:.0f} %", Current.words + (f", {left}" if left else "")


def status():
    return "  ".join(status_lines())


class Stopped(Exception):
    """By the artist, or because another file was opened."""


def sentence(error):
    """What is said of an error that nobody foresaw; all of it goes to the console."""
    traceback.print_exception(type(error), error, error.__traceback__)
    words = " ".join(str(error).split()) or "without words"
    rest = "undo takes back what was begun" if Current.changes_file else "nothing was changed"
    return f"rigspace failed ({type(error).__name__}: {words[:200]}); {rest}, please report it"


class Work:
    """Mixed into operators of a character, which give `steps(context)`."""

    bl_options = {"UNDO"}  # without REGISTER: nobody wants a simulation again because a field was touched

    def execute(self, context):
        with self.guarded(context) as outcome:
            self.begin(context)
            while outcome.running:
                self.advance(outcome)
                time.sleep(0.02 if outcome.running else 0)
        return outcome.result

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        with self.guarded(context) as outcome:
            self.begin(context)
            self.timer = context.window_manager.event_timer_add(0.1, window=context.window)
            context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"} if outcome.running else outcome.result

    def modal(self, context, event):
        with self.guarded(context) as outcome:
            if Current.work is not self or (event.type == "ESC" and event.value == "PRESS"):
                raise Stopped
            if event.type == "TIMER":
                self.advance(outcome)
                self.show(context, status() + "   Esc stops it")
        return {"PASS_THROUGH"} if outcome.running else outcome.result

    def cancel(self, context):
        """Blender is being closed, or opens another file."""
        self.end(context)

    @contextlib.contextmanager
    def guarded(self, context):
        """Whatever is raised within is one sentence and the end of the run."""
        outcome = Outcome()
        try:
            yield outcome
            if outcome.running:
                return
            self.report({"INFO"}, outcome.said)
        except Stopped:
            outcome.fail(self, "WARNING", "stopped; nothing was changed")
        except Complaint as complaint:
            outcome.fail(self, "ERROR", str(complaint))
        except Exception as error:  # noqa: BLE001: the next run must be possible, whatever this is
            outcome.fail(self, "ERROR", sentence(error))
        except BaseException:  # Ctrl+C in a script
            outcome.running = False
            raise
        finally:
            if not outcome.running:
                self.end_quietly(context)

    def character(self, context):
        return character_of(context)

    def whose(self, context):
        """The character of the run, by names alone."""
        return CharacterName(self.character(context))

    def begin(self, context):
        if Current.work is not None:
            raise Complaint("", "something of rigspace is running already", "wait for it, or press Esc over the 3D view")
        name = self.whose(context)
        self.steps_now = self.steps(context)
        Current.work, Current.fraction, Current.words, Current.began = self, 0.0, "starting", time.monotonic()
        Current.name, Current.changes_file, Current.before_undo, Current.undone = name, False, None, None

    def advance(self, outcome):
        if Current.undone:
            raise Complaint(*Current.undone)
        try:
            Current.fraction, Current.words = next(self.steps_now)
        except StopIteration as end:
            outcome.finish(end.value)

    def end_quietly(self, context):
        try:
            self.end(context)
        except Exception as error:  # noqa: BLE001
            self.report({"WARNING"}, f"rigspace: while it was cleared up, {sentence(error)}")

    def end(self, context):
        """All of it is done, even if some of it fails. A run of another operator is left alone."""
        steps, self.steps_now = getattr(self, "steps_now", None), None
        timer, self.timer = getattr(self, "timer", None), None
        ours = Current.work is self or Current.work is None
        with contextlib.ExitStack() as to_do:  # from the last to the first
            to_do.callback(self.show, context, None)
            if timer is not None:
                to_do.callback(context.window_manager.event_timer_remove, timer)
            if ours:
                to_do.callback(program.stop_all)
                Current.work = Current.name = None
            if steps is not None:
                to_do.callback(steps.close)  # its `finally` ends the program and takes its files away

    def show(self, context, text):
        if bpy.app.background:
            return
        if context.workspace is not None:
            context.workspace.status_text_set(text)
        for window in context.window_manager.windows:
            for area in window.screen.areas:
                if area.type == "VIEW_3D":
                    area.tag_redraw()


class Outcome:
    """Of a run so far. result: what Blender is told at its end; FINISHED gives an undo step, CANCELLED none."""

    running, said, result = True, "", {"FINISHED"}

    def finish(self, said):
        self.running, self.said = False, said

    def fail(self, operator, kind, said):
        self.running, self.result = False, {"FINISHED"} if Current.work is operator and Current.changes_file else {"CANCELLED"}
        operator.report({kind}, said)


def follow(run, *, share=(0.0, 1.0)):
    """Progress of a run, until it ends; it ends too if we are not asked any more."""
    low, high = share
    try:
        while run.working():
            yield low + (high - low) * min(max(run.fraction, 0.0), 1.0), run.stage
    finally:
        run.stop()


@bpy.app.handlers.persistent
def before_loading(*_):
    Current.work = None
    program.stop_all()


@bpy.app.handlers.persistent
def before_undo(*_):
    """Or redo."""
    Current.before_undo = fingerprint(Current.name) if Current.work is not None else None


@bpy.app.handlers.persistent
def after_undo(*_):
    if Current.work is None:
        return
    now = fingerprint(Current.name)
    if now is None or now != Current.before_undo:
        Current.undone = (f'the character "{Current.name.mesh}"', "was changed by an undo while it was worked on, and nothing was written",
                          "start again")


HANDLERS = (("load_pre", before_loading), ("undo_pre", before_undo), ("redo_pre", before_undo), ("undo_post", after_undo),
            ("redo_post", after_undo))


def register():
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)


def unregister():
    before_loading()
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).remove(handler)
