"""A rig in Blender for rigspace, over standard streams: docs/process-rigs.md, docs/blender.md.

    blender -b --factory-startup hero.blend --python rigspace_host.py -- [--object NAME] 3>&1 1>&2

Blender prints to standard output what it likes, so the protocol has stream 3 to itself. With --write it is told results in
one line of JSON instead, saves a copy of the file with them, and says so in one line."""
import argparse
import json
import os
import pathlib
import struct
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve()  # beside the package, or in it
sys.path.insert(0, str(next(folder for folder in HERE.parents if (folder / "rigspace_addon" / "rig.py").is_file())))

import numpy  # noqa: E402

import bpy  # noqa: E402

from rigspace_addon import clips, held, skin, translation  # noqa: E402
from rigspace_addon.complaint import Complaint  # noqa: E402
from rigspace_addon.layers import write_layers  # noqa: E402
from rigspace_addon.rig import BlenderRig, Subject  # noqa: E402

HEADER = struct.Struct("<4sIQQ")
EVALUATE, EVALUATE_SOME, CANNOT = 1, 3, 0


def arguments():
    parser = argparse.ArgumentParser(prog="rigspace_host.py")
    parser.add_argument("--object", default="", help="the mesh; the largest that is rigged by default")
    parser.add_argument("--plain", action="store_true", help="tell what a plain rig is made of, for rigspace to build it itself")
    parser.add_argument("--joints", action="store_true", help="the bones that deform the mesh, as points of a rig that is not plain")
    parser.add_argument("--skin", action="store_true", help="the mesh bound to its bones, for parts to be found on")
    parser.add_argument("--write", action="store_true", help="results into a copy of the file")
    return parser.parse_args(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else [])


def view():
    """What of the file is seen, from which pose, and over which frames: told by the add-on, in the environment."""
    kept = os.environ.get("RIGSPACE_BLENDER_POSE")
    pose = json.loads(pathlib.Path(kept).read_text()) if kept else None
    frames = os.environ.get("RIGSPACE_BLENDER_FRAMES")
    return os.environ.get("RIGSPACE_BLENDER_VIEW", "all"), pose, tuple(map(float, frames.split(":"))) if frames else None


class Streams:
    def __init__(self):
        try:
            self.out = os.fdopen(os.dup(3), "wb")
        except OSError:
            self.out = os.fdopen(os.dup(1), "wb")
            os.dup2(2, 1)
        self.into = os.fdopen(os.dup(0), "rb")

    def send(self, *parts):
        for part in parts:
            self.out.write(part)
        self.out.flush()

    def read(self, count):
        """Exactly as many bytes, or None at the end."""
        data = self.into.read(count)
        return data if len(data) == count else None


def introduction(rig):
    piece = {"name": rig.item.name, "points": rig.count, "triangles": rig.triangles.tolist(), "color": rig.color()}
    joints = {"joints": rig.joints.describe()} if rig.joints else {}
    return {"rigspace": 1, "name": rig.item.name, "points": rig.total(), **joints, "noise": rig.noise, "some_points": True,
            "controls": [control.describe() for control in rig.listing.controls], "pieces": [piece],
            "clips": [clips.describe(clip, rig.listing, rig.fps) for clip in rig.clips], "warnings": rig.warnings}


def question(streams, rig):
    """(what, its number, the points asked for, poses), or None at the end."""
    head = streams.read(HEADER.size)
    if head is None:
        return None
    _, op, number, count = HEADER.unpack(head)
    points = slice(None)
    if op == EVALUATE_SOME:
        some = streams.read(8)
        listed = streams.read(4 * struct.unpack("<Q", some)[0]) if some else None
        if listed is None:
            return None
        points = numpy.frombuffer(listed, "<u4")
    body = streams.read(8 * len(rig.rest) * count)
    return None if body is None else (op, number, points, numpy.frombuffer(body, "<f8").reshape(count, len(rig.rest)))


def answer(streams, rig):
    """One question; False at the end."""
    asked = question(streams, rig)
    if asked is None:
        return False
    op, number, points, poses = asked
    size = 3 * (rig.total() if op == EVALUATE else len(points))
    try:
        first = rig.evaluate(poses[0]) if len(poses) else None
    except Complaint as complaint:
        words = str(complaint).encode()[:2000]
        streams.send(HEADER.pack(b"RIGA", CANNOT, number, len(words)), words)
        return True
    streams.send(HEADER.pack(b"RIGA", op, number, size * len(poses)))
    for k, pose in enumerate(poses):  # within an answer a complaint can only be our last words
        streams.send((first if k == 0 else rig.evaluate(pose))[points].astype("<f8").tobytes())
    return True


def write(streams, options):
    told = json.loads(streams.into.readline())
    notes = write_layers(Subject(options.object), told["layers"])
    bpy.ops.wm.save_as_mainfile(filepath=told["output"], copy=True, check_existing=False)
    return {"rigspace": 1, "warnings": notes}


def main():
    streams, options, rig = Streams(), arguments(), None
    try:
        if not bpy.data.filepath:
            raise Complaint("", "cannot be read by Blender " + bpy.app.version_string, "was it saved by a newer one?")
        if not options.write:
            rig = BlenderRig(options.object, *view())
        turned = held.held_in_words(rig) if rig and options.skin else {}
        bound = skin.describe(rig, turned) if rig and options.skin else None
        plain = translation.describe(rig) if rig and options.plain else None
        if rig and options.joints and (plain is None or "why" in plain):
            rig.show_joints()
        told = introduction(rig) if rig else write(streams, options)
        if plain is not None:
            told["plain"] = plain
        if bound is not None:
            told["skin"] = bound
    except Complaint as complaint:
        told, rig = {"rigspace": 1, "error": complaint.parts}, None
    streams.send(json.dumps(told, allow_nan=False).encode() + b"\n")
    while rig and answer(streams, rig):
        pass


main()
