"""Secondary motion on a character."""
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _arguments, _rigspace
from ._arguments import Time
from ._rigspace import Character

Progress = Callable[[str, float], Optional[bool]]


class Curves(NamedTuple):
    """Deviations from the artist's motion over a clip."""

    times: np.ndarray  #: seconds, (T,)
    controls: List[str]  #: names
    values: np.ndarray  #: (controls, T): radians, or scene units of the joint's parent


class Result:
    """A finished simulation. Nothing is written until `save`."""

    def __init__(self, run: Any):
        self._run = run

    @property
    def character(self) -> Character:
        """As it was simulated, with its soft joints where it got any, and the soft clips beside the artist's."""
        return self._run.character

    @property
    def curves(self) -> Dict[str, Curves]:
        """By the names of the soft clips."""
        return {name: Curves(*curves) for name, curves in self._run.curves().items()}

    @property
    def report(self) -> Dict[str, Any]:
        """What `rigspace simulate --json` answers: notes, and for each clip its parts with their figures."""
        return json.loads(self._run.report())

    @property
    def converged(self) -> bool:
        """No step failed."""
        return not any(clip["failed_steps"] for clip in self.report["clips"])

    @property
    def stopped(self) -> bool:
        """The run was cancelled, and this is what it had finished (keep_partial)."""
        return self._run.stopped

    def save(self, path: Union[str, os.PathLike], *, progress: Optional[Progress] = None) -> List[Path]:
        """Writes what `rigspace simulate -o` writes, and returns the paths.

        Of joints and skin x.glb or x.gltf, the artist's own file with Walk_soft beside Walk; of other rigs
        x.rigspace.json, the curves, and x.glb, played out. Beside it a page, x.html; and, if the character is a file,
        a recipe, x.json, for `rigspace rerun`.
        """
        return self._run.save(os.fspath(path), progress)

    def __str__(self) -> str:
        return self._run.summary()

    def __repr__(self) -> str:
        return f"<rigspace.Result, clips {', '.join(self.curves)}>"


def simulate(character: Character, parts: Union[str, Iterable[str], Mapping[str, str], None] = None, *,
             clip: Union[str, Iterable[str], None] = None,
             set: Union[Mapping[str, Any], Iterable[str], None] = None,
             hit: Union[Mapping[str, Any], Iterable[str], None] = None,
             fix: Union[str, os.PathLike, None] = None,
             on: Union[str, os.PathLike, None] = None,
             unit: Optional[float] = None,
             soft: str = "auto", chains: str = "auto", protect: Union[str, Iterable[str], None] = None,
             collide: Union[str, Iterable[str], None] = None, friction: float = 0.3,
             gravity: Union[float, Sequence[float], None] = None,
             start: Time = 0, end: Optional[Time] = None, preroll: Time = 0, loop: Union[str, bool] = "auto",
             fps: Optional[float] = None, additive: bool = False, keys: str = "linear", keep_partial: bool = False,
             step: Optional[float] = None, follow: str = "animation", material: str = "stable-neo-hookean",
             stiffness: Optional[Mapping[str, float]] = None, young: Optional[float] = None, poisson: float = 0.4,
             density: float = 1000, integrator: str = "bdf2", max_influences: int = 4,
             pure: bool = False, paper: bool = False, method: str = "fast", quality: float = 0.5,
             interior: str = "dynamic", solver: Optional[str] = None,
             report: Union[str, os.PathLike, None] = None, dump: Union[str, os.PathLike, None] = None,
             progress: Optional[Progress] = None) -> Result:
    """Secondary motion on a character, as clips beside the artist's own. Options are those of `rigspace simulate`.

    parts            {pattern: preset} or ["tail*=tail"] on joints, or on controls of rigs; found by themselves by default
    clip             a clip's name, or several; all by default
    set              {"tail.amount": 0.6}, or keys over time: {"belly.amount": [(0, 1), ("24f", 0.3)]}
    hit              {"belly": [0.5, "36f"]}: moments at which a part is in the artist's pose
    fix              a file of corrections on top of the simulated layer, see docs/curves-editing.md
    on               what an earlier run wrote: its Walk_soft is Walk here
    unit             metres per unit; guessed by default
    soft             flesh as "joints", "morphs" or "auto"
    chains           tails, ears and trunks as "rods", "solids" or "auto"
    protect          patterns of joints whose skin flesh leaves alone
    collide          "self", "parts", "ground", "sphere:x,y,z,r", "capsule:x,y,z,x,y,z,r", or a character's file
    gravity          m/s^2, downward or (x, y, z); 9.81 by default, under which the artist's shape is in balance
    start, end, preroll   seconds, or frames as "12f"
    loop             "auto", True or False
    fps, keys        keys a second of the result; "linear" or "cubic"
    additive         Walk_soft_add too, the deviation alone
    keep_partial     cancelled, it returns what is finished instead of raising Cancelled
    step, follow, material, stiffness, young, poisson, density, integrator, max_influences   physics
    pure             the equations of motion alone: nothing is searched for, smoothed, eased, held, scaled or faded
    quality          of the fast method, 0 (coarse and quick) to 1 (fine and slow)
    paper, method, interior, solver, report, dump   for research, see docs/rig-space-physics.md
    progress         called with (stage, fraction 0..1); returning False cancels, and so does Ctrl-C

    >>> import rigspace
    >>> hero = rigspace.load("hero.glb")
    >>> result = rigspace.simulate(hero, {"tail*": "tail"}, clip="Walk", set={"tail.amount": 0.8})
    >>> list(result.curves)
    ['Walk_soft']
    >>> [path.name for path in result.save("hero.soft.glb")]
    ['hero.soft.glb', 'hero.soft.html', 'hero.soft.json']
    """
    _arguments.above_zero(unit=unit, fps=fps, step=step, young=young, density=density)
    if isinstance(loop, bool):
        loop = "yes" if loop else "no"
    options = dict(
        clip=_arguments.words(clip), parts=_arguments.parts(parts), set=_arguments.settings(set),
        hit=_arguments.hits(hit), stiffness=_arguments.settings(stiffness), protect=_arguments.words(protect),
        collide=[os.fspath(each) for each in _arguments.words(collide)], friction=friction,
        start=_arguments.time(start), preroll=_arguments.time(preroll),
        loop=_arguments.choice("loop", loop, ("auto", "yes", "no")),
        soft=_arguments.choice("soft", soft, ("auto", "joints", "morphs")),
        chains=_arguments.choice("chains", chains, ("auto", "rods", "solids")),
        keys=_arguments.choice("keys", keys, ("linear", "cubic")),
        follow=_arguments.choice("follow", follow, ("animation", "rest")),
        integrator=_arguments.choice("integrator", integrator, ("bdf2", "euler")),
        max_influences=_arguments.choice("max_influences", max_influences, (4, 8)),
        additive=additive, keep_partial=keep_partial, material=material, poisson=poisson, density=density,
        pure=pure, paper=paper, method=method, quality=quality, interior=interior)
    if gravity is not None:
        gravity = ",".join(repr(float(each)) for each in np.atleast_1d(gravity))
    optional = dict(unit=unit, gravity=gravity, fps=fps, step=step, young=young, solver=solver,
                    end=None if end is None else _arguments.time(end), on=None if on is None else os.fspath(on),
                    fix=None if fix is None else os.fspath(fix),
                    report=None if report is None else os.fspath(report), dump=None if dump is None else os.fspath(dump))
    options.update({name: value for name, value in optional.items() if value is not None})
    return Result(_rigspace.simulate(character, options, progress))
