"""The rigspace program at work, on standard streams: progress on one, its answer on the other."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading

import bpy

from .complaint import Complaint

STARTED = set()  # runs that have not ended: none outlives Blender, or the file that it is for


def find_program():
    """As the preferences say; else RIGSPACE_PROGRAM; else on the PATH."""
    addon = bpy.context.preferences.addons.get(__package__)
    told = addon.preferences.program.strip() if addon else ""
    told = os.path.expanduser(told) or os.environ.get("RIGSPACE_PROGRAM", "")
    if told:
        if os.access(told, os.X_OK) and os.path.isfile(told):
            return told
        raise Complaint(f'the rigspace program "{told}"', "cannot be started", "set its path in the preferences of the add-on", told)
    found = shutil.which("rigspace")
    if not found:
        raise Complaint("the rigspace program", "is not on the PATH", "set its path in the preferences of the add-on")
    return found


class Scratch:
    """A folder that is gone afterwards, whatever happens."""

    def __enter__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="rigspace_"))
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


def save_copy(folder):
    """The file as it is now, elsewhere: the artist's own is not saved, and does not become another."""
    copy = folder / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(copy), copy=True, check_existing=False, relative_remap=True)
    return copy


class Run:
    """A command of the program. `stage` and `fraction` say how far it is."""

    def __init__(self, folder, arguments, **environment):
        self.stage, self.fraction, self.words = "starting", 0.0, []
        self.output = folder / "answer.json"
        told = {"RIGSPACE_BLENDER": bpy.app.binary_path, **environment}
        with open(self.output, "wb") as answer:
            self.process = subprocess.Popen(
                [find_program(), "--json", "--progress-lines", *map(str, arguments)], env={**os.environ, **told},
                stdin=subprocess.DEVNULL, stdout=answer, stderr=subprocess.PIPE, start_new_session=True)
        STARTED.add(self)
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()

    def listen(self):
        for line in self.process.stderr:
            text = line.decode(errors="replace").strip()
            try:
                told = json.loads(text)
                self.stage, self.fraction = told["stage"], float(told["fraction"])
            except (ValueError, KeyError, TypeError):
                self.words = [*self.words[-9:], text]

    def working(self):
        return self.process.poll() is None

    def stop(self):
        """At once, with the Blenders that are its rigs."""
        STARTED.discard(self)
        if self.process.poll() is None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # it ended in this very moment
            self.process.wait()
        self.listener.join(timeout=5)
        self.process.stderr.close()

    def answer(self):
        """What it says; a Complaint in its own words if it failed. A result that did not converge is a result."""
        text = self.output.read_text(errors="replace")
        answers = parse_all(text)
        failure = next((each["error"] for each in answers if "error" in each), None)
        result = next((each for each in answers if "error" not in each), None)
        if result is not None and (failure is None or failure["code"] == "not_converged"):
            if failure:
                result.setdefault("notes", []).append(f"{failure['problem']}; {failure['remedy']}")
            return result
        if failure:
            raise Complaint(failure["element"], failure["problem"], failure["remedy"], failure["value"])
        code = self.process.returncode
        raise Complaint("the rigspace program", f"ended with {code}" + (f": {self.words[-1]}" if self.words else ""),
                        "try again; if it stays so, please report it")


def parse_all(text):
    """The JSON values that stand one after another in a text."""
    decoder, found, at = json.JSONDecoder(), [], 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError:
            break
        found.append(value)
    return found


def stop_all(*_):
    for run in list(STARTED):
        run.stop()
