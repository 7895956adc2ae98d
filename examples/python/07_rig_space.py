#!/usr/bin/env python3
"""Rig-space physics step by step, with an energy of one's own: a magnet draws the belly of the elephant.

    PYTHONPATH=build/python python3 examples/python/07_rig_space.py"""
import time

import numpy as np

import rigspace


class Magnet(rigspace.Energy):
    """-strength / (distance^2 + reach^2) for each tetrahedron, from its middle. Derivatives by differences."""

    def __init__(self, tets, volumes, place, strength=3e3, reach=0.3):
        super().__init__(tets)
        self.strength, self.place, self.reach = strength * volumes, np.asarray(place), reach

    def value(self, x):
        way = x.mean(axis=1) - self.place
        return -self.strength / ((way ** 2).sum(axis=1) + self.reach ** 2)


peanut = rigspace.cast("peanut")
belly = [control.name for control in peanut.rig.controls if control.group == "belly"]


def swing(magnet):
    body = rigspace.RigSpace(peanut, belly, cell=0.08, gravity=(0, -9.8, 0), mass_damping=4)
    if magnet:
        corners = body.rest[body.tets]
        volumes = np.linalg.det(corners[:, 1:] - corners[:, :1]) / 6
        front = body.rest[body.rest[:, 2].argmax()]
        body.add(Magnet(body.tets, volumes, front + [0, -0.2, 0.2]))
    body.step()
    begin = time.perf_counter()
    for _ in range(5):
        assert body.step()["converged"]
    return body, (time.perf_counter() - begin) / 5


plain, seconds = swing(False)
drawn, seconds_drawn = swing(True)
print(f"{len(plain.tets)} tetrahedra, {len(belly)} free controls")
print(f"drawn by {np.linalg.norm(drawn.nodes - plain.nodes, axis=1).max():.3f} m after 0.06 s")
print(f"a step takes {1e3 * seconds:.0f} ms, with the magnet {1e3 * seconds_drawn:.0f} ms: {seconds_drawn / seconds:.1f} times")
assert np.abs(drawn.p - peanut.rig.rest).max() > 1e-4
