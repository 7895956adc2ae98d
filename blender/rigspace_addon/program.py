"""The rigspace program at work, on standard streams: progress on one, its answer on the other."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading

import bpy

from .complaint import Complaint

STAGE_SHARE, WHOLE_SHARE = 0.3, 0.8  # of what is left: to a stage, and to a pass through the whole run
STARTED = set()  # runs that have not ended: none outlives Blender, or the file that it is for


HERE = pathlib.Path(__file__).resolve().parent


def packed(*names):
    """A file of the zip that has the program in it; None of the zip that has not."""
    path = HERE.joinpath("program", *names)
    if not path.is_file():
        return None
    if path.suffix in ("", ".exe") and not os.access(path, os.X_OK):
        path.chmod(0o755)  # what unpacks zips leaves this out
    return str(path)


def find_program():
    """As the preferences say; else RIGSPACE_PROGRAM; else the one that came with the add-on; else on the PATH."""
    addon = bpy.context.preferences.addons.get(__package__)
    told = addon.preferences.program.strip() if addon else ""
    told = os.path.expanduser(told) or os.environ.get("RIGSPACE_PROGRAM", "")
    if told:
        if os.access(told, os.X_OK) and os.path.isfile(told):
            return told
        raise Complaint(f'the rigspace program "{told}"', "cannot be started", "set its path in the preferences of the add-on", told)
    found = packed("rigspace") or packed("rigspace.exe") or shutil.which("rigspace")
    if not found:
        raise Complaint("the rigspace program", "is not on the PATH", "set its path in the preferences of the add-on")
    return found


def environment(**more):
    """Of the program: which Blender is the rig, and with which script."""
    told = {"RIGSPACE_BLENDER": bpy.app.binary_path, **more}
    if (host := packed("rigspace_host.py")) and "RIGSPACE_BLENDER_HOST" not in os.environ:
        told["RIGSPACE_BLENDER_HOST"] = host
    return {**os.environ, **told}


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
    """A command of the program. `stage` and `fraction` say how far it is. keep: the folder stays if we die, for the next run."""

    def __init__(self, folder, arguments, *, keep=False, **told):
        self.stage, self.fraction, self.words = "starting", 0.0, []
        self.last_stage, self.last, self.stage_from = "", 0.0, 0.0
        self.output = folder / "answer.json"
        # We hold its standard input open: once we die, it ends, its Blenders with it, and takes the folder away.
        command = [find_program(), "--json", "--progress-lines", "--while-input", *([] if keep else ["--scratch", folder]), *arguments]
        with open(self.output, "wb") as answer:
            self.process = subprocess.Popen(list(map(str, command)), env=environment(**told), stdin=subprocess.PIPE,
                                            stdout=answer, stderr=subprocess.PIPE)
        STARTED.add(self)
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()

    def listen(self):
        for line in self.process.stderr:
            text = line.decode(errors="replace").strip()
            try:
                told = json.loads(text)
                self.stage, self.fraction = told["stage"], self.further(told)
            except (ValueError, KeyError, TypeError):
                self.words = [*self.words[-9:], text]

    def further(self, told):
        """How far it is, which never falls. Stages, and passes through the same one, begin anew, and nobody knows how many
        follow: each is given a share of what is left."""
        whole = float(told.get("whole", -1))
        stage, now = ("whole", whole) if whole >= 0 else (told["stage"], float(told["fraction"]))
        now = min(max(now, 0.0), 1.0)
        if stage != self.last_stage or now < self.last - 0.02:
            self.stage_from = self.fraction
        self.last_stage, self.last = stage, now
        share = WHOLE_SHARE if whole >= 0 else STAGE_SHARE
        return max(self.fraction, self.stage_from + share * (1 - self.stage_from) * now)

    def working(self):
        return self.process.poll() is None

    def stop(self):
        """At once. The Blenders that are its rigs end with it: their standard input does."""
        STARTED.discard(self)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdin.close()
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
            raise complaint_of(failure)
        code = self.process.returncode
        raise Complaint("the rigspace program", f"ended with {code}" + (f": {self.words[-1]}" if self.words else ""),
                        "try again; if it stays so, please report it")


# What the program advises at a command line, and what is meant in Blender.
REMEDIES = (("--part", "select bones in pose mode, or a shape key, and press + under Parts"),
            ("rigspace info", "bones are called as in the outliner, tail*; Body:smile is a shape key, chest[\"breath\"] a property"),
            ("--loop", "choose Loop, No, or give the setting the same value at both ends"),
            ("--object", "select the character's mesh"), ("--unit", "set Metres per unit, under Simulate"),
            ("--end", "change First and Last, under Simulate"), ("--start", "change First and Last, under Simulate"))


def complaint_of(failure):
    """In the words of the panel. The copy of the file is nobody's business."""
    remedy = next((ours for theirs, ours in REMEDIES if theirs in failure["remedy"]), failure["remedy"])
    return Complaint(failure["element"] or "the character", failure["problem"], remedy, failure["value"])


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
