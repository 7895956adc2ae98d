#!/usr/bin/env python3
"""The bar of examples/python/rig_process.py with faults and extras that the tests ask for.

    bar_host.py FAULT [--at N] [--once FILE]

The fault happens at the N-th question (the first is 1) of a process's life; with --once only while FILE does not exist,
which it then does: so a process that is started again behaves. Faults of the handshake happen at once."""
import argparse
import array
import importlib.util
import json
import math
import os
import pathlib
import signal
import struct
import sys

sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location(
    "rig_process", pathlib.Path(__file__).resolve().parents[3] / "examples/python/rig_process.py")
bar = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bar)

parser = argparse.ArgumentParser()
parser.add_argument("fault")
parser.add_argument("--at", type=int, default=1)
parser.add_argument("--once")
options = parser.parse_args()
out = sys.stdout.buffer


def send(data):
    out.write(data)
    out.flush()


def due(question):
    if options.fault in ("jacobian", "single", "no-noise", "no-controls", "some-points", "some-jacobian"):  # none of answers
        return False
    if question != options.at or (options.once and os.path.exists(options.once)):
        return False
    if options.once:
        pathlib.Path(options.once).touch()
    return True


def hang():
    while True:
        signal.pause()


def derivative(pose, control, h=1e-3):
    """Good to about 1e-11: central differences of sixth order."""
    def at(k):
        moved = list(pose)
        moved[control] += k * h
        return bar.evaluate(moved)
    columns = {k: at(k) for k in (-3, -2, -1, 1, 2, 3)}
    return [(45 * (columns[1][i] - columns[-1][i]) - 9 * (columns[2][i] - columns[-2][i])
             + columns[3][i] - columns[-3][i]) / (60 * h) for i in range(len(columns[1]))]


def say_hello():
    hello = bar.handshake()
    fault = options.fault
    if fault in ("jacobian", "some-jacobian"):
        hello["jacobian"] = True
    if fault in ("some-points", "some-jacobian", "some-few"):
        hello["some_points"] = True
    if fault == "no-noise":
        del hello["noise"]
    elif fault == "single":  # a program that computes in single precision, and does not say so
        del hello["noise"]
    elif fault == "no-controls":
        hello["controls"] = []
    elif fault == "other-rig" and os.path.exists(options.once):
        hello["points"] -= 4
        hello["pieces"] = None
    send(json.dumps(hello).encode() + b"\n")


def evaluate(pose):
    if options.fault == "no-controls":
        pose = [0, 0, 1, 0]
    values = bar.evaluate(pose)
    return list(array.array("f", values)) if options.fault == "single" else values


def answer(op, number, count, body, points):
    values = array.array("d")
    if op in (2, 4):
        pose, columns = struct.unpack("<4d", body[:32]), struct.unpack(f"<{count}I", body[32:])
        for control in columns:
            values.extend(derivative(pose, control))
    else:
        width = 0 if options.fault == "no-controls" else 4
        poses = array.array("d", body)
        for k in range(count):
            values.extend(evaluate(poses[width * k : width * (k + 1)]))
    if points is not None:
        size = 3 * 4 * bar.RINGS
        values = array.array("d", (values[size * k + 3 * i + c] for k in range(count) for i in points for c in range(3)))
    return bar.HEADER.pack(b"RIGA", op, number, len(values)), values.tobytes()


def fail(op, number, head, body):
    fault = options.fault
    if fault in ("kill", "other-rig"):
        print("about to be killed", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    if fault == "kill-halfway":
        send(head + body[: len(body) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
    if fault == "exit":
        sys.exit("Traceback: the licence server is gone")
    if fault == "hang":
        hang()
    if fault == "short":
        send(head + body[:-8])
        hang()
    if fault in ("few", "some-few"):
        send(bar.HEADER.pack(b"RIGA", op, number, len(body) // 8 - 3) + body[:-24])
    if fault == "many":
        send(bar.HEADER.pack(b"RIGA", op, number, len(body) // 8 + 3) + body + body[:24])
    if fault == "huge":
        send(bar.HEADER.pack(b"RIGA", op, number, 2**63))
    if fault == "twice":
        send(head + body + head + body)
    if fault == "nan":
        values = array.array("d", body)
        values[7] = math.nan
        send(head + values.tobytes())
    if fault == "print":
        send(b"Evaluating the rig, please wait\n" + head + body)
    if fault == "cannot":
        words = "the plug-in for feathers is not installed".encode()
        send(bar.HEADER.pack(b"RIGA", 0, number, len(words)) + words)
    if fault == "chatter":  # more than any pipe holds
        sys.stderr.write(("y" * 79 + "\n") * 20_000)
        send(head + body)


def main():
    broken = {"text-first": b"Loading the rig\n", "bad-json": b'{"rigspace": 1, "controls": [}\n', "no-newline": b'{"rigspace": 1'}
    if options.fault in broken:
        send(broken[options.fault])
        hang()
    if options.fault == "mute":
        hang()
    say_hello()
    question = 0
    while header := sys.stdin.buffer.read(bar.HEADER.size):
        _, op, number, count = bar.HEADER.unpack(header)
        width = 0 if options.fault == "no-controls" else 4
        points = None
        if op in (3, 4):
            asked = struct.unpack("<Q", sys.stdin.buffer.read(8))[0]
            points = struct.unpack(f"<{asked}I", sys.stdin.buffer.read(4 * asked))
        body = sys.stdin.buffer.read(8 * width + 4 * count if op in (2, 4) else 8 * width * count)
        head, values = answer(op, number, count, body, points)
        question += 1
        if due(question):
            fail(op, number, head, values)
        else:
            send(head + values)


main()
