"""Where characters come from."""
from __future__ import annotations

import os
from typing import Any, Callable, Iterable, Optional, Sequence, Union

from . import _rigspace
from ._rigspace import Character, Clip, Control


def load(path: Union[str, os.PathLike], *, object: str = "") -> Character:
    """A character from a file: .glb, .gltf, .vrm, .bvh, .rig.json or .blend.

    Of a .blend (docs/blender.md) `object` is the mesh, by default the largest that is rigged. Blender computes it, over
    standard streams, or, where it is an armature with shape keys and nothing else, the library itself: `warnings` says.

    >>> import rigspace
    >>> hero = rigspace.load("hero.glb")
    >>> hero.rig.evaluate(hero.pose_at("Walk", 0.5)).shape == (hero.rig.point_count, 3)
    True
    >>> rigspace.load("nobody.glb")
    Traceback (most recent call last):
    rigspace._errors.InputError: nobody.glb: ...
    """
    return _rigspace.load(os.fspath(path), object)


def cast(name: str, *, skeleton: bool = False) -> Character:
    """A character that comes with the library, in metres; `cast_names()` lists them.

    As an artist would rig it, with deformers, IK and drivers; `skeleton`: what glTF can hold, joints and morphs alone.

    >>> import rigspace
    >>> rigspace.cast("peanut").name
    'peanut'
    """
    return _rigspace.cast(name, skeleton)


def start(command: str, *, processes: int = 1, timeout: float = 60) -> Character:
    """A character whose rig is another program, asked over standard streams (docs/process-rigs.md)."""
    return _rigspace.start(command, processes, timeout)


def black_box(evaluate: Callable[..., Any], controls: Iterable[Union[Control, str]], *,
              triangles: Optional[Any] = None, name: str = "black box", clips: Sequence[Clip] = (),
              batch: bool = False, jacobian: Optional[Callable[..., Any]] = None,
              noise: Optional[float] = None) -> Character:
    """Any callable as a rig: p, shape (n,), to points, shape (N, 3).

    It is called once at rest, which tells N, and nine times more to measure its noise unless that is given (scene
    units). With `triangles`, (T, 3), it has a surface, so that it can be meshed, posed and simulated. With `batch` it
    is given many poses at once, (k, n), and answers (k, N, 3): faster, since derivatives are differences of many. With
    `jacobian`, p to (3 N, n), derivatives are its own.

    >>> import numpy as np, rigspace
    >>> def ring(p):
    ...     a = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    ...     return p[0] * np.stack([np.cos(a), np.sin(a), 0 * a], axis=1)
    >>> box = rigspace.black_box(ring, [rigspace.Control("ring.size", unit="scale", rest=1, min=0.1)])
    >>> box.rig.jacobian([2.0]).shape
    (36, 1)
    """
    made = [Control(each) if isinstance(each, str) else each for each in controls]
    return _rigspace.black_box(evaluate, made, dict(triangles=triangles, name=name, clips=clips, batch=batch,
                                                    jacobian=jacobian, noise=noise))
