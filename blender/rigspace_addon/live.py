"""The parts in motion while the scene plays, without a run: `rigspace live` steps them frame by frame (docs/realtime.md), and what
it answers is written over what the artist's action says. Nothing of it is keyed or saved; *Simulate* makes the result.

The program is asked with the pose of a little later, as much as it is late by, since the action says what that will be: so the
preview is not late, and near the result."""
import contextlib
import json
import struct
import subprocess
import threading

import bpy
import numpy

from . import clips, curves, program
from .complaint import Complaint
from .controls import AXIS_ANGLE, Moment, Turn
from .program import Scratch, find_program, save_copy
from .settings import CharacterName, character_of, owners_of, part_name
from .work import Work

STEP, RESET, TELEPORT, SET = 1, 2, 3, 4
HEAD = struct.Struct("<IId")
JUMP_POSES = 6  # in the time that the program is late by: a step of its grid each
FARTHEST_STEP = 4.5  # frames: what is farther from the last one shown is a jump


class Poses:
    """All controls of a character at any frame, from its F-curves."""

    def __init__(self, subject):
        self.subject, self.clip = subject, subject.clips[0]
        self.channels = {(channel.owner, channel.path): channel for channel in subject.listing.channels}
        self.moments = [channel for channel in subject.listing.channels if isinstance(channel, Moment)]

    def at(self, frame):
        p = self.subject.rest.copy()
        for place, found in self.clip.found().items():
            channel = self.channels.get(place)
            if channel is None:
                continue
            if isinstance(channel, Turn):
                rest = AXIS_ANGLE if channel.path.endswith("axis_angle") else (1.0, 0.0, 0.0, 0.0)
                p[channel.key : channel.key + 4] = clips.orientation_of(channel, found, rest)(frame)
            elif hasattr(channel, "components"):
                for index, column in channel.components.items():
                    if index in found:
                        p[column] = found[index].evaluate(frame)
            elif 0 in found:
                p[channel.column] = found[0].evaluate(frame)
        for channel in self.moments:
            p[channel.column] = frame
        return p


class Live:
    """A character that is previewed: the program, and which frame it has been asked for last."""

    def __init__(self, process, told, name, scene):
        self.process, self.name, self.scene = process, name, scene
        self.names, self.free_names, self.latency = told["controls"], told.get("free", []), told["latency"]
        self.notes, self.last, self.poses, self.signature, self.muted = told.get("notes", []), None, None, None, []
        self.frames = 0

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
        return self.poses

    def show(self, scene):
        """The parts at the frame of now."""
        poses, frame = self.look(), scene.frame_current_final
        gap = 0.0 if self.last is None else frame - self.last
        if self.last is None or not -0.001 <= gap <= FARTHEST_STEP:
            deviation = self.jump(poses, frame, self.last is not None and frame <= scene.frame_start + 0.5 and is_playing())
        else:
            deviation = self.advance(poses, frame - gap, gap, max(round(gap), 1))
        self.last, self.frames = frame, self.frames + 1
        values = poses.at(frame)
        values[self.free] += deviation
        self.write(values)

    def jump(self, poses, frame, looped):
        """To another frame: at rest there; where playing begins anew, with the deviation of its end."""
        lead = self.latency * poses.subject.fps
        self.ask(TELEPORT if looped else RESET, poses.at(frame), 0.0)
        return self.advance(poses, frame - lead, lead, JUMP_POSES)  # the speed between the first two is taken for that before

    def advance(self, poses, frame, gap, count):
        """From a frame on, in so many poses."""
        fps, lead = poses.subject.fps, self.latency * poses.subject.fps
        for k in range(1, count + 1):
            deviation = self.ask(STEP, poses.at(frame + lead + gap * k / count), gap / fps / count)
        return deviation

    def write(self, values):
        told = values.tolist()
        for channel in self.channels:
            channel.set(told)
        for owner in {channel.owner for channel in self.channels}:
            owner.update_tag()

    def put_back(self):
        """What the artist's clip keys comes back with the next frame; the rest is where it was."""
        self.look()
        self.write(self.poses.subject.rest)

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


def starting(name, told, scene):
    """The generator: a copy of the file, and the program made ready with it."""
    with Scratch() as folder:
        yield 0.0, "writing a copy of the file"
        copy = save_copy(folder)
        command = [find_program(), "--json", "--while-input", "--scratch", folder, "live", copy, *told]
        process = subprocess.Popen(list(map(str, command)), env=program.environment(RIGSPACE_BLENDER_VIEW="artist"), stdin=subprocess.PIPE,
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
    live = Live(process, answer, name, scene)
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
        return starting(CharacterName(character), live_arguments(context, character), context.scene.name)


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
