"""Points of the surface are pulled, and the rig's controls follow."""
from __future__ import annotations

from typing import Any, Callable, Iterable, Mapping, Optional, Union

import numpy as np

from . import _arguments, _rigspace
from ._errors import UsageError
from ._rigspace import Character, Posed


def _vertex(vertex: Any) -> str:
    if isinstance(vertex, (str, int, np.integer)):
        return str(vertex)
    return "nearest:" + ",".join(_arguments.number(each) for each in vertex)


def _pull(vertex: Any, target: Any) -> tuple:
    if isinstance(target, str):
        return _vertex(vertex), target
    if isinstance(target, tuple) and len(target) == 2:
        return _vertex(vertex), np.asarray(target[0], float), np.asarray(target[1], float)
    place = np.asarray(target, float)
    if place.shape != (3,):
        raise UsageError(f"has the shape {place.shape}", element=f"pull {vertex!r}",
                         remedy="expected (x, y, z), '+x,y,z', or (times, points) for a path")
    return _vertex(vertex), np.zeros(1), place[None]


def pose(character: Character, pull: Mapping[Any, Any], *, hold: Iterable[Any] = (),
         p: Optional[Any] = None, clip: str = "", time: float = 0, fps: float = 24,
         free: Union[str, Iterable[str], None] = None, also: Union[str, Iterable[str], None] = None,
         keep: Union[str, Iterable[str], None] = None, beyond_limits: bool = False, strength: float = 0.1,
         iterations: int = 300, dynamic: bool = False, young: float = 5e4, unit: Optional[float] = None,
         name: str = "Pose", progress: Optional[Callable[[str, float], Optional[bool]]] = None) -> Posed:
    """The pose, of all that bring the pulled points to their targets, whose flesh is strained least.

    pull     {vertex: target}. A vertex is its number, the name of a joint (the vertex nearest to it), or a place
             (x, y, z) that it is nearest to. A target is a place (x, y, z), a text "+x,y,z" (by that much), or a
             pair (times, points) for a path in time.
    hold     vertices that stay
    p, clip, time   the pose to start from: control values, or a moment of a clip in seconds; the rest pose by default
    free, also, keep   patterns of controls: these alone turn; these too; these stay
    dynamic  with momentum, for paths: flesh of stiffness `young` swings after its targets

    >>> import rigspace
    >>> hero = rigspace.cast("bobbin", skeleton=True)
    >>> posed = rigspace.pose(hero, {"head": "+0,0,0.05"})
    >>> posed.reached
    True
    >>> hero.with_clips(posed.clip).clips[-1].name
    'Pose'
    """
    _arguments.above_zero(fps=fps, strength=strength, young=young, unit=unit)
    start = character.pose_at(clip, time) if p is None else p
    return _rigspace.pose(character, dict(
        pull=[_pull(vertex, target) for vertex, target in pull.items()], hold=[_vertex(each) for each in hold], p=start,
        clip=clip, fps=fps, free=_arguments.words(free), also=_arguments.words(also), keep=_arguments.words(keep),
        beyond_limits=beyond_limits, strength=strength, iterations=iterations, dynamic=dynamic, young=young,
        unit=unit or 0, name=name), progress)
