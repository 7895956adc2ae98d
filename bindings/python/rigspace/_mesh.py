"""The body of tetrahedra inside a surface."""
from __future__ import annotations

import os
from typing import Any, Callable, Optional, Union

from . import _arguments, _rigspace
from ._errors import UsageError
from ._rigspace import Character, TetMesh


def mesh(surface: Union[Character, tuple, str, os.PathLike], *, cell: Optional[float] = None,
         vertices: Optional[int] = None,
         progress: Optional[Callable[[str, float], Optional[bool]]] = None) -> TetMesh:
    """Fills a character at rest, or a surface (points, triangles), with tetrahedra; or reads a .msh or .mesh.

    `cell` is the edge of a cell in scene units, 2 % of the size by default; `vertices` asks for about so many nodes
    instead.

    >>> import numpy as np, rigspace
    >>> corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    >>> faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6),
    ...          (0, 6, 4), (1, 5, 7), (1, 7, 3)]
    >>> body = rigspace.mesh((corners, faces), cell=0.25)
    >>> abs(body.volumes.sum() - 1) < 0.05
    True
    """
    if cell is not None and vertices is not None:
        raise UsageError("and vertices are both given", element="cell", remedy="give one of them")
    _arguments.above_zero(cell=cell, vertices=vertices)
    if isinstance(surface, Character):
        return _rigspace.mesh_of_character(surface, cell or 0, vertices or 0, progress)
    if isinstance(surface, (str, os.PathLike)):
        if cell is not None or vertices is not None:
            raise UsageError("are for surfaces", element="cell and vertices", remedy="a file of tetrahedra is as it is")
        return _rigspace.read_mesh(os.fspath(surface))
    points, triangles = surface
    return _rigspace.mesh_of_surface(points, triangles, cell or 0, vertices or 0, progress)
