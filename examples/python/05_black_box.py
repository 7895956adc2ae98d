#!/usr/bin/env python3
"""Any function as a rig: a bar that bends and slides. Its bend is simulated while its slide is keyed.

    PYTHONPATH=build/python python3 examples/python/05_black_box.py"""
import numpy as np

import rigspace

RINGS, AROUND = 21, 8
height = np.repeat(np.linspace(0, 1, RINGS), AROUND)
angle = np.tile(np.linspace(0, 2 * np.pi, AROUND, endpoint=False), RINGS)
x, z = 0.1 * np.cos(angle), 0.1 * np.sin(angle)


def bar(poses):
    """(k, 2) to (k, points, 3): a rod on an arc, each ring turned with it."""
    bend, slide = poses.T[:, :, None]
    turn = bend * height
    out = np.stack([height * np.sinc(turn / 2 / np.pi) * np.sin(turn / 2) + x * np.cos(turn) + slide,
                    height * np.sinc(turn / np.pi) - x * np.sin(turn),
                    np.broadcast_to(z, turn.shape)], axis=2)
    return out


def tube():
    first, last = np.arange(AROUND), np.arange(AROUND) + AROUND * (RINGS - 1)
    caps = [(0, first[k], first[k + 1]) for k in range(1, AROUND - 1)]
    caps += [(last[0], last[k + 1], last[k]) for k in range(1, AROUND - 1)]
    sides = []
    for ring in range(RINGS - 1):
        for k in range(AROUND):
            a, b = AROUND * ring + k, AROUND * ring + (k + 1) % AROUND
            sides += [(a, a + AROUND, b), (b, a + AROUND, b + AROUND)]
    return np.array(caps + sides)


push = rigspace.Clip("Push", {"bar.slide": ([0, 0.3, 1.5], [0, 0.4, 0.4])}, interpolation="catmull_rom")
character = rigspace.black_box(
    bar, [rigspace.Control("bar.bend", unit="angle", min=-3, max=3, typical=0.5, node="bar"),
          rigspace.Control("bar.slide", unit="length", typical=0.1, node="bar")],
    triangles=tube(), name="bar", clips=[push], batch=True, noise=0)
print(character)

# The base is held where the bend does not reach; what is above sways after the push.
result = rigspace.simulate(character, {"bar.bend": "tail"}, loop=False)
curves = result.curves["Push_soft"]
print(result)
print(f"{curves.controls} sway by up to {np.degrees(np.abs(curves.values).max()):.1f} degrees")
assert curves.controls == ["bar.bend"] and np.abs(curves.values).max() > 0.05
print("wrote", *result.save("bar.rigspace.json"))
