#!/usr/bin/env python3
"""The body inside a surface: tetrahedra for physics, of any soup of triangles that encloses something.

    PYTHONPATH=build/python python3 examples/python/04_mesh.py"""
import numpy as np

import rigspace

hero = rigspace.cast("bobbin")
body = rigspace.mesh(hero, vertices=1500)
print(body, "cells of", round(body.cell, 4))
for name, value in body.quality.items():
    print(f"  {name} {value:.4g}")
assert body.quality["inverted"] == 0
body.save("body.msh")

# Arrays of your own: an octahedron.
points = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], float)
faces = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
filled = rigspace.mesh((points, faces), cell=0.1)
print(f"octahedron: volume {filled.volumes.sum():.4f} of {4 / 3:.4f}")
assert abs(filled.volumes.sum() - 4 / 3) < 0.02
