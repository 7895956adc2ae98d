"""The parts in motion while the scene plays, without a run: `rigspace live` steps them frame by frame (docs/realtime.md), and what
it answers is written over what the artist's action says. Nothing of it is keyed or saved; *Simulate* makes the result.

The program is asked with the pose of a little later, as much as it is late by, since the action says what that will be: so the
preview is not late. Where it begins, the frames before are run through first, from where a run would begin: so it is near the result at
whatever frame one looks."""
import contextlib
import json
import math
import struct
import subprocess
import threading
import time

import bpy
import numpy

from . import curves, program
from .complaint import Complaint
from .poses import Poses
from .program import Scratch, find_program, save_copy
from .settings import CharacterName, character_of, fps_of, owners_of, part_name
from .work import Work

STEP, RESET, SET = 1, 2, 4
HEAD = struct.Struct("<IId")
JUMP_POSES = 6  # in the time that the program is late by: a step of its grid each
FARTHEST_STEP = 4.5  # frames: what is farther from the last one shown is a jump
RUN_IN = 3.0, 1.0, 10.0  # settle times of the slowest part before the frame that one jumps to; at least, at most, seconds
PATIENCE = 0.4  # seconds that running in may take


class Live:
    """A character that is previewed: the program, and which frame it has been asked for last."""

    def __init__(self, process, told, name, scene, span, fps):
        """span: the frames of a run, as a simulate.Span."""
        self.process, self.name, self.scene = process, name, scene
        self.names, self.free_names, self.latency = told["controls"], told.get("free", []), told["latency"]
        self.notes, self.last, self.poses, self.signature, self.muted = told.get("notes", []), None, None, None, []
        self.frames, self.cost = 0, 1e-3  # seconds of a pose
        self.before = None  # of each channel that is shown, its values when the preview began
        self.begins, self.covers, self.cycle = span.begins, span.covers, bool(span.cycle)
        self.turn = None if span.once else told["period"] * fps or None  # frames after which all repeats itself
        slowest = max((part["settle"] for part in told.get("parts", [])), default=1.0)
        self.run_in = min(max(RUN_IN[0] * slowest, RUN_IN[1]), RUN_IN[2])

    def ask(self, what, values, seconds):
        data = numpy.ascontiguousarray(values, "<f8").tobytes()
        return self.answer(HEAD.pack(what, len(values), seconds) + data)

    def answer(self, question):
        """The deviation of the free controls."""
        size, data = 8 * len(self.free), b""
        with contextlib.suppress(OSError):  # of a pipe that nobody reads any more
            self.process.stdin.write(question)
            self.process.stdin.flush()
            data = self.process.stdout.read(size)
        if len(data) != size:
            raise Complaint("the rigspace program", "ended", "start the preview again")
        return numpy.frombuffer(data, "<f8")

    def set(self, part, field, value):
        text = f"{part}.{field}={value:.9g}".encode()
        self.answer(HEAD.pack(SET, len(text), 0.0) + text)

    def look(self):
        """Datablocks, looked for anew when they may have changed: an undo reads them again."""
        character = self.name.find()
        now = signature(character.mesh)
        if self.poses is None or now != self.signature:
            from .simulate import artists_view

            subject = artists_view(character.mesh)
            names = [control.name for control in subject.listing.controls]
            if names != self.names:
                raise Complaint(f'the rig of "{self.name.mesh}"', "has changed", "start the preview again")
            self.poses, self.signature = Poses(subject), now
            self.free = [names.index(each) for each in self.free_names]
            moved = set(self.free)
            self.channels = [channel for channel in subject.listing.channels if moved.intersection(channel.columns)]
            if self.before is None:
                self.before = [values_of(channel.owner.path_resolve(channel.path)) for channel in self.channels]
        return self.poses

    def show(self, scene):
        """The parts at the frame of now."""
        poses, frame = self.look(), scene.frame_current_final
        gap = None if self.last is None else self.ahead(frame - self.last)
        if not self.cycle and not self.begins - 0.001 <= frame <= self.covers[1] + 0.001:
            self.last, deviation = None, 0.0  # a run has no result there
        elif gap is None or not -0.001 <= gap <= FARTHEST_STEP:
            self.last, deviation = frame, self.jump(poses, frame)
        else:
            self.last, deviation = frame, self.advance(poses, frame - gap, gap, max(round(gap), 1))
        self.frames += 1
        values = poses.at(frame)
        values[self.free] += deviation
        self.write(values)

    def ahead(self, gap):
        """Of a loop that begins again, the frames to it."""
        return gap % self.turn if self.turn and gap < -0.001 else gap

    def pose(self, poses, frame):
        if self.turn and not self.cycle:
            frame = self.covers[0] + (frame - self.covers[0]) % self.turn
        return poses.at(round(frame, 6))  # the same each time that the same frame is shown: rigs in Blender remember what they evaluated

    def jump(self, poses, frame):
        """To another frame, through those before it: from where a run begins, at rest, or of a loop long enough for it to repeat itself."""
        fps, lead = poses.subject.fps, self.latency * poses.subject.fps
        most = min(self.run_in, PATIENCE / self.cost / fps)
        most = math.floor(fps * most)  # whole frames, as playing has them
        begin = frame - most if self.turn else max(self.begins, frame - most)
        self.ask(RESET, self.pose(poses, begin), 0.0)
        deviation = self.advance(poses, begin - lead, lead, JUMP_POSES)  # the speed between the first two is taken for that before
        if frame - begin < 0.001:
            return deviation
        began, count = time.perf_counter(), math.ceil(frame - begin - 0.001)
        deviation = self.advance(poses, begin, frame - begin, count)
        self.cost = max((time.perf_counter() - began) / count, 1e-4)
        return deviation

    def advance(self, poses, frame, gap, count):
        """From a frame on, in so many poses."""
        fps, lead = poses.subject.fps, self.latency * poses.subject.fps
        for k in range(1, count + 1):
            deviation = self.ask(STEP, self.pose(poses, frame + lead + gap * k / count), gap / fps / count)
        return deviation

    def write(self, values):
        told = values.tolist()
        for channel in self.channels:
            channel.set(told)
        for owner in {channel.owner for channel in self.channels}:
            owner.update_tag()

    def put_back(self):
        """What the artist's clip keys comes back with the next frame; the rest is where it was, to the bit."""
        self.look()
        for channel, values in zip(self.channels, self.before or ()):
            for index, value in enumerate(values):
                curves.set_channel(channel.owner, channel.path, index, value)
            channel.owner.update_tag()

    def mute_results(self):
        for owner in owners_of(self.name.find().mesh):
            stack = curves.Stack(owner)
            if "soft" in stack.tracks and not stack.tracks["soft"].mute:
                stack.tracks["soft"].mute = True
                self.muted.append((owner.name_full, stack.tracks["soft"].name))

    def unmute_results(self):
        for owner in owners_of(self.name.find().mesh):
            for track in owner.animation_data.nla_tracks if owner.animation_data else ():
                if (owner.name_full, track.name) in self.muted:
                    track.mute = False


class Current:
    live, failed = None, ""


def values_of(value):
    return tuple(value) if hasattr(value, "__len__") else (value,)


def signature(mesh):
    """Changes with the armature's bones: those of another pose are other memory."""
    rig = mesh.find_armature()
    return (rig.name_full, len(rig.pose.bones), rig.pose.bones[0].as_pointer()) if rig and len(rig.pose.bones) else ()


def is_playing():
    return any(window.screen.is_animation_playing for window in bpy.context.window_manager.windows)


def end(process):
    process.kill()
    process.wait()
    with contextlib.suppress(OSError):  # of what was not written
        process.stdin.close()
    process.stdout.close()


@bpy.app.handlers.persistent
def stop(*_):
    """The program ends, and the character is the artist's again."""
    live, Current.live = Current.live, None
    if live is None:
        return
    end(live.process)
    try:
        live.put_back()
        live.unmute_results()
    except (Complaint, ReferenceError):
        return  # the character is gone
    scene = bpy.data.scenes.get(live.scene)
    if scene is not None:
        scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)


@bpy.app.handlers.persistent
def on_frame(scene, *_):
    live = Current.live
    if live is None or scene.name != live.scene:
        return
    try:
        live.show(scene)
    except (Complaint, OSError, ValueError, ReferenceError) as error:
        Current.failed = str(error)
        print(f"rigspace: the preview has ended: {error}")
        stop()


@bpy.app.handlers.persistent
def forget_datablocks(*_):
    if Current.live is not None:
        Current.live.poses = None


@bpy.app.handlers.persistent
def before_saving(*_):
    if Current.live is not None:
        Current.live.put_back()


def changed(part, name):
    """A number of a part was changed by the artist: the preview has it from the next frame on."""
    live = Current.live
    if live is None:
        return
    used, neutral = getattr(part, "use_" + name), {"amount": 1.0, "mix": 1.0, "rate": 0.0, "settle": 0.0}.get(name)
    if used or neutral is not None:
        try:
            live.set(part_name(part.pattern), name, getattr(part, name) if used else neutral)
        except (Complaint, OSError) as error:
            Current.failed = str(error)
            stop()


def introduction(process):
    """A thread that reads until the program has said what it is, or why it is not; what it read is in the list."""
    lines = []

    def read():
        for line in process.stdout:
            lines.append(line)
            try:
                json.loads(b"".join(lines))
                return
            except ValueError:
                continue

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    return thread, lines


def starting(name, told, span, scene):
    """The generator: a copy of the file, and the program made ready with it."""
    with Scratch() as folder:
        yield 0.0, "writing a copy of the file"
        copy = save_copy(folder)
        command = [find_program(), "--json", "--while-input", "--scratch", folder, "live", copy, *told]
        process = subprocess.Popen(list(map(str, command)), env=program.environment(
            RIGSPACE_BLENDER_VIEW="artist", RIGSPACE_BLENDER_FRAMES="{!r}:{!r}".format(*span.covers)), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        thread, lines = introduction(process)
        ready = False
        try:
            while thread.is_alive():
                yield 0.3, "finding rates"
            words = b"".join(lines).decode(errors="replace")
            answer = next(iter(program.parse_all(words)), {"error": None})
            if answer.get("error"):
                raise program.complaint_of(answer["error"])
            if "rigspace_live" not in answer:
                raise Complaint("the rigspace program", f"ended with {process.wait()}", "try again; if it stays so, please report it")
            ready = True
        finally:
            if not ready:
                end(process)
    stop()
    live = Live(process, answer, name, scene, span, fps_of(bpy.data.scenes[scene]))
    live.look()
    live.mute_results()
    Current.live, Current.failed = live, ""
    now = bpy.data.scenes[scene]
    now.frame_set(now.frame_current, subframe=now.frame_subframe)
    return "the preview is on: play the scene"


class RIGSPACE_OT_live(Work, bpy.types.Operator):
    """Shows the parts in motion while the scene plays, without a result; again, to end it. Simulate makes the result"""

    bl_idname = "rigspace.live"
    bl_label = "Live Preview"
    bl_options = set()

    @classmethod
    def poll(cls, context):
        return character_of(context) is not None

    def steps(self, context):
        if Current.live is not None:
            return ending()
        from .simulate import live_arguments

        character = character_of(context)
        return starting(CharacterName(character), *live_arguments(context, character), context.scene.name)


def ending():
    stop()
    return "the preview is off"
    yield


HANDLERS = (("frame_change_post", on_frame), ("undo_post", forget_datablocks), ("redo_post", forget_datablocks), ("load_pre", stop),
            ("save_pre", before_saving))


def register():
    bpy.utils.register_class(RIGSPACE_OT_live)
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)


def unregister():
    stop()
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).remove(handler)
    bpy.utils.unregister_class(RIGSPACE_OT_live)
