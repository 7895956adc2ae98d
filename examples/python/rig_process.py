#!/usr/bin/env python3
"""A rig of your own in another process: a bar that bends, twists, stretches and rises.

    rigspace render --rig-process 'python3 examples/python/rig_process.py' --set bar.bend=60 -o bar.png

The protocol (docs/process-rigs.md has all of it), little endian, on standard streams:
  1. We write one line of JSON: version, controls (angles in radians), number of points, triangles.
  2. We are asked: 4 bytes "RIGQ", uint32 1, uint64 serial number, uint64 count; then count poses of one float64 a control.
  3. We answer: "RIGA", the same 1 and serial number, uint64 number of values; then x y z of each point, pose by pose.
  4. When standard input ends, so do we. Standard output belongs to the protocol: print to standard error."""
import array
import json
import math
import struct
import sys

RINGS, CORNERS = 21, [(0.1, 0.1), (0.1, -0.1), (-0.1, -0.1), (-0.1, 0.1)]
HEADER = struct.Struct("<4sIQQ")


def handshake():
    triangles = [[0, 3, 2], [0, 2, 1]] + [[4 * RINGS - 4 + i for i in corners] for corners in ([0, 1, 2], [0, 2, 3])]
    for ring in range(RINGS - 1):
        for k in range(4):
            a, b = 4 * ring + k, 4 * ring + (k + 1) % 4
            triangles += [[a, b, b + 4], [a, b + 4, a + 4]]
    controls = [{"name": "bar.bend", "node": "bar", "unit": "angle", "min": -3.1, "max": 3.1, "typical": 0.5},
                {"name": "bar.twist", "node": "bar", "unit": "angle", "typical": 0.5},
                {"name": "bar.stretch", "node": "bar", "unit": "scale", "rest": 1, "min": 0.1, "max": 4, "typical": 0.2},
                {"name": "bar.lift", "node": "bar", "unit": "length", "typical": 0.1}]
    return {"rigspace": 1, "name": "bar", "controls": controls, "points": 4 * RINGS, "noise": 0,
            "pieces": [{"name": "bar", "points": 4 * RINGS, "triangles": triangles, "color": [0.8, 0.25, 0.1]}]}


def sinc(t):
    return math.sin(t) / t if abs(t) > 1e-4 else 1 - t * t / 6


def evaluate(pose):
    """x y z of all points: a ring of four at each height, on an arc, turned about it, thinner where it is longer."""
    bend, twist, stretch, lift = pose
    points, thin = [], 1 / math.sqrt(stretch)
    for ring in range(RINGS):
        v = ring / (RINGS - 1)
        arc, turn = bend * v, twist * v
        for x, z in CORNERS:
            out, side = thin * (x * math.cos(turn) + z * math.sin(turn)), thin * (z * math.cos(turn) - x * math.sin(turn))
            points += [stretch * v * math.sin(arc / 2) * sinc(arc / 2) + out * math.cos(arc),
                       stretch * v * sinc(arc) - out * math.sin(arc) + lift, side]
    return points


def main():
    sys.stdout.buffer.write(json.dumps(handshake()).encode() + b"\n")
    sys.stdout.buffer.flush()
    while header := sys.stdin.buffer.read(HEADER.size):
        _, op, number, count = HEADER.unpack(header)
        poses = array.array("d", sys.stdin.buffer.read(8 * 4 * count))
        values = array.array("d")
        for k in range(count):
            values.extend(evaluate(poses[4 * k : 4 * k + 4]))
        sys.stdout.buffer.write(HEADER.pack(b"RIGA", op, number, len(values)) + values.tobytes())
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
