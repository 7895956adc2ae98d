"""Strokes pose the character."""
from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _arguments, _rigspace
from ._errors import InputError, UsageError
from ._rigspace import Character, Sketched, SketchReport

Progress = Callable[[str, float], Optional[bool]]
Path = Union[str, os.PathLike]
_KEYS = {"points": (), "closed": False, "name": "", "curve": "", "time": 0.0, "to": ""}


def _stroke(given: Any, number: int) -> Dict[str, Any]:
    told = dict(given) if isinstance(given, Mapping) else {"points": given}
    for key in told:
        if key not in _KEYS:
            raise UsageError("is no field of a stroke", element=f"{key!r}", value=str(key), remedy="use " + ", ".join(_KEYS))
    try:
        points = np.asarray(told.get("points", ()), float)
    except (TypeError, ValueError):
        raise UsageError("are no numbers", element=f"points of stroke {number + 1}", remedy="expected (n, 2)") from None
    return {**_KEYS, **told, "points": points}


def _drawing(strokes: Any) -> List[Dict[str, Any]]:
    """One stroke, an array (n, 2) or a dict, or several."""
    if isinstance(strokes, Mapping) or (isinstance(strokes, np.ndarray) and strokes.ndim == 2):
        strokes = [strokes]
    return [_stroke(each, number) for number, each in enumerate(strokes)]


def _own(abstraction: Any) -> Tuple[str, str, str]:
    """Its name, and where it is the user's own: the text, and the file that it is from."""
    if isinstance(abstraction, Mapping):
        text, file = json.dumps({"abstractions": [dict(abstraction)]}), "abstraction"
    elif os.fspath(abstraction).endswith(".json"):
        file = os.fspath(abstraction)
        try:
            with open(file, encoding="utf-8") as opened:
                text = opened.read()
        except OSError as error:
            raise InputError("cannot be read", file=file, remedy=str(error.strerror)) from None
    else:
        return os.fspath(abstraction), "", ""
    try:
        name = json.loads(text)["abstractions"][0]["name"]
    except (ValueError, LookupError, TypeError):
        name = "stick"  # the library says what is wrong with the text
    return str(name), text, file


def _options(character: Character, abstraction: Any, camera: Any, size: Optional[Sequence[int]], p: Any, clip: str, time: float,
             **others: Any) -> Dict[str, Any]:
    name, text, file = _own(abstraction)
    width, height = (0, 0) if size is None else (int(each) for each in size)
    if size is not None and not (0 < width <= 1 << 20 and 0 < height <= 1 << 20):
        raise UsageError("is no size of a picture", element=f"size={tuple(size)!r}", remedy="give (width, height) in pixels")
    return dict(abstraction=name, own=text, own_file=file, camera=json.dumps(camera) if isinstance(camera, Mapping) else camera,
                width=width, height=height, p=character.pose_at(clip, time) if p is None else p, **others)


def sketch_pose(character: Character, strokes: Any, *, abstraction: Any = "stick", camera: Union[str, Mapping[str, Any]] = "",
                size: Optional[Sequence[int]] = None, p: Optional[Any] = None, clip: str = "", time: float = 0,
                free: Union[str, Iterable[str], None] = None, keep: Union[str, Iterable[str], None] = None,
                scales: bool = False, shapes: bool = False, beyond_limits: bool = False, name: str = "Sketch",
                progress: Optional[Progress] = None) -> Sketched:
    """The pose whose abstraction lies on what was drawn, as `rigspace sketch pose` finds it.

    strokes      a file (.svg or .json), one array (n, 2), or several. A stroke may also be a dict: points, and closed,
                 name, curve (the curve that it stands for), time (seconds: strokes of one time are one pose), to (the
                 name of another stroke: this one is drawn on the character, that one says where the line goes)
    abstraction  "stick", "outline", "action", the name of one in the rig file, a .json file of such, or one as a dict
    camera       "front", "left", .., or {"azimuth": 20}, {"eye": .., "target": .., "fov": 28}; the file's own, or front
    size         (width, height): arrays are pixels from the top left; without it view units, (0, 0) the centre, 1 the top
    p, clip, time   the pose to start from: control values, or a moment of a clip in seconds; the rest pose by default
    free, keep   patterns of controls: these alone turn; these stay
    scales, shapes, beyond_limits   bones may change their lengths; morphs move too; limits do not hold

    >>> import rigspace
    >>> hero = rigspace.cast("bobbin", skeleton=True)
    >>> arm = rigspace.SketchPoser(hero).seen["clavicle_l"]
    >>> arm[:, 1] += 0.2 * (arm[:, 0] - arm[0, 0])         # raised towards its end
    >>> sketched = rigspace.sketch_pose(hero, arm)
    >>> sketched.report.strokes[0].curve, sketched.reached
    ('clavicle_l', True)
    >>> hero.with_clips(sketched.clip).clips[-1].name
    'Sketch'
    """
    drawing = os.fspath(strokes) if isinstance(strokes, (str, os.PathLike)) else _drawing(strokes)
    return _rigspace.sketch_pose(character, drawing, _options(
        character, abstraction, camera, size, p, clip, time, free=_arguments.words(free), keep=_arguments.words(keep),
        scales=scales, shapes=shapes, beyond_limits=beyond_limits, name=name), progress)


class SketchPoser:
    """Follows a pen: keeps the abstraction, what it has computed of the rig, and the pose between strokes.

    Arguments are those of `sketch_pose`. Strokes and curves are in view units, or in pixels with `size`.

    >>> import rigspace
    >>> poser = rigspace.SketchPoser(rigspace.cast("bobbin", skeleton=True), camera="front")
    >>> arm = poser.seen["clavicle_l"] * [1, 1.1]
    >>> report = poser.solve([arm])
    >>> report.unreached
    []
    """

    def __init__(self, character: Character, abstraction: Any = "stick", camera: Union[str, Mapping[str, Any]] = "", *,
                 size: Optional[Sequence[int]] = None, p: Optional[Any] = None, clip: str = "", time: float = 0,
                 free: Union[str, Iterable[str], None] = None, keep: Union[str, Iterable[str], None] = None,
                 scales: bool = False, shapes: bool = False, beyond_limits: bool = False):
        self._poser = _rigspace.StrokePoser(character, _options(
            character, abstraction, camera, size, p, clip, time, free=_arguments.words(free), keep=_arguments.words(keep),
            scales=scales, shapes=shapes, beyond_limits=beyond_limits, name=""))

    def solve(self, strokes: Any, *, go_on: bool = False, progress: Optional[Progress] = None) -> SketchReport:
        """Poses the character. `go_on`: from the last pose rather than that of `set_pose`, while a stroke is being drawn.
        Bad strokes raise, and the pose stays; strokes that no pose reaches are in the report."""
        return self._poser.solve(_drawing(strokes), go_on, progress)

    def set_pose(self, p: Any) -> None:
        """The pose that the next strokes start from; controls that are not free stay there."""
        self._poser.set_pose(p)

    @property
    def p(self) -> np.ndarray:
        """All control values of the present pose."""
        return self._poser.p

    @property
    def seen(self) -> Dict[str, np.ndarray]:
        """The abstraction in the present pose: {curve: (n, 2)}."""
        return self._poser.seen()

    @property
    def free(self) -> List[int]:
        """Indices of the controls that may turn."""
        return self._poser.free

    @property
    def limits(self) -> np.ndarray:
        """(free, 2): the lowest and highest value of each free control, infinite where there is none."""
        return np.stack([self._poser.lower, self._poser.upper], axis=1)

    @property
    def size(self) -> float:
        """Of the character, scene units: what shares of the size refer to."""
        return self._poser.size

    @property
    def camera(self) -> Dict[str, Any]:
        """As `camera` takes it."""
        return json.loads(self._poser.camera)

    def __repr__(self) -> str:
        return f"<rigspace.SketchPoser, {self._poser.abstraction}: {', '.join(self.seen)}>"
