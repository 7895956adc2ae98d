"""Operators that take their time. Each is one generator: it yields (how far it is, 0 to 1, and what it does) and returns a
sentence. `execute` runs it to its end, for scripts; `invoke` lets the artist go on and asks it ten times a second. Nothing of
it is kept in the file, and nothing is changed in the file before its last moment."""
import time

import bpy

from . import program
from .complaint import Complaint


class Current:
    """What runs now, for the panel."""

    work, fraction, words, began = None, 0.0, "", 0.0


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


class Work:
    """Mixed into operators, which give `steps(context)`."""

    bl_options = {"UNDO"}  # without REGISTER: nobody wants a simulation again because a field was touched

    def execute(self, context):
        try:
            self.steps_now = self.begin(context)
            while True:
                try:
                    next(self.steps_now)
                except StopIteration as end:
                    self.report({"INFO"}, end.value)
                    return {"FINISHED"}
                time.sleep(0.02)
        except Complaint as complaint:
            self.report({"ERROR"}, str(complaint))
            return {"CANCELLED"}
        finally:
            self.end(context)

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        try:
            self.steps_now = self.begin(context)
        except Complaint as complaint:
            self.report({"ERROR"}, str(complaint))
            return {"CANCELLED"}
        self.timer = context.window_manager.event_timer_add(0.1, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" or Current.work is None:  # or another file was opened
            self.end(context)
            self.report({"WARNING"}, "stopped; nothing was changed")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        try:
            Current.fraction, Current.words = next(self.steps_now)
        except StopIteration as end:
            self.end(context)
            self.report({"INFO"}, end.value)
            return {"FINISHED"}
        except Complaint as complaint:
            self.end(context)
            self.report({"ERROR"}, str(complaint))
            return {"CANCELLED"}
        self.show(context, status() + "   Esc stops it")
        return {"PASS_THROUGH"}

    def cancel(self, context):
        """Blender is being closed."""
        self.end(context)

    def begin(self, context):
        if Current.work is not None:
            raise Complaint("", "something of rigspace is running already", "wait for it, or press Esc over the 3D view")
        steps = self.steps(context)
        Current.work, Current.fraction, Current.words, Current.began = self, 0.0, "starting", time.monotonic()
        return steps

    def end(self, context):
        if Current.work is self or Current.work is None:
            Current.work = None
        steps, self.steps_now = getattr(self, "steps_now", None), None
        if steps is not None:
            steps.close()  # its `finally` ends the program and takes its files away
        if getattr(self, "timer", None) is not None:
            context.window_manager.event_timer_remove(self.timer)
            self.timer = None
        program.stop_all()
        self.show(context, None)

    def show(self, context, text):
        if bpy.app.background:
            return
        if context.workspace is not None:
            context.workspace.status_text_set(text)
        for window in context.window_manager.windows:
            for area in window.screen.areas:
                if area.type == "VIEW_3D":
                    area.tag_redraw()


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


def register():
    bpy.app.handlers.load_pre.append(before_loading)


def unregister():
    before_loading()
    bpy.app.handlers.load_pre.remove(before_loading)
