#!/usr/bin/env python3
"""An energy of one's own: a St. Venant-Kirchhoff solid in NumPy, all tetrahedra at once, beside the library's.

    PYTHONPATH=build/python python3 examples/python/06_energy.py"""
import numpy as np

import rigspace


class Solid(rigspace.Energy):
    """V (mu |E|^2 + lambda/2 (tr E)^2) with E = (F^T F - I) / 2."""

    def __init__(self, points, tets, young=5e4, poisson=0.3):
        super().__init__(tets)
        self.mu, self.lam = young / 2 / (1 + poisson), young * poisson / (1 + poisson) / (1 - 2 * poisson)
        rest = self.edges(points[self.elements])
        self.inverse, self.volume = np.linalg.inv(rest), np.linalg.det(rest) / 6

    def edges(self, x):
        return (x[:, 1:] - x[:, :1]).transpose(0, 2, 1)

    def strain(self, x):
        F = self.edges(x) @ self.inverse
        return F, (F.transpose(0, 2, 1) @ F - np.eye(3)) / 2

    def value(self, x):
        _, E = self.strain(x)
        trace = np.trace(E, axis1=1, axis2=2)
        return self.volume * (self.mu * (E ** 2).sum(axis=(1, 2)) + self.lam / 2 * trace ** 2)

    def gradient(self, x):  # leave it out, and it comes from differences
        F, E = self.strain(x)
        S = 2 * self.mu * E + self.lam * np.trace(E, axis1=1, axis2=2)[:, None, None] * np.eye(3)
        forces = (self.volume[:, None, None] * (F @ S @ self.inverse.transpose(0, 2, 1))).transpose(0, 2, 1)
        return np.concatenate([-forces.sum(axis=1, keepdims=True), forces], axis=1)


corners = np.array([[x, y, z] for x in (0, 1) for y in (0, .25) for z in (0, .25)], float)
faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
         (1, 5, 7), (1, 7, 3)]
beam = rigspace.mesh((corners, faces), cell=0.125)
points, tets = beam.points, beam.tets
mine = Solid(points, tets)
ours = rigspace.solid(points, tets, young=5e4, poisson=0.3, material="st-venant-kirchhoff")

moved = points + 0.02 * np.sin(7 * points[:, ::-1])
broken = rigspace.check_energy(mine, moved, length=0.1, tolerance=1e-4)
print(broken or "it keeps the laws that solvers rely on")
assert not broken

# The beam is held at one end and sags: the same under both.
wall = np.flatnonzero(points[:, 0] < 0.01)
weight = rigspace.constant_forces(np.tile([0, -9.8 * 10 / len(points), 0], (len(points), 1)))
minima = [rigspace.minimise([energy, weight], points, fixed=wall) for energy in (mine, ours)]
for name, minimum in zip(("mine", "ours"), minima):
    print(f"{name}: {minimum}, sags by {points[:, 1].min() - minimum.x[:, 1].min():.4f} m")
difference = np.abs(minima[0].x - minima[1].x).max()
print(f"they differ by {difference:.1e} m")
assert difference < 1e-5
