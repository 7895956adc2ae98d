"""Energies of one's own, and what minimises them."""
from __future__ import annotations

from typing import Any, Callable, Iterable, Optional, Sequence, Union

import numpy as np

from . import _arguments, _rigspace
from ._errors import UsageError
from ._rigspace import Character, Minimum, Rig


class Energy:
    """An energy that is a sum over elements of m points each: derive from it and write `value`.

    `elements`, (k, m), names the points. All elements are computed at once: x has the shape (k, m, 3). `gradient` and
    `hessian`, if they are left as None, come from differences: of the gradient where there is one, which is much
    faster. The solver makes Hessians positive definite by itself.

    >>> import numpy as np, rigspace
    >>> class Springs(rigspace.Energy):
    ...     def value(self, x):
    ...         return (np.linalg.norm(x[:, 1] - x[:, 0], axis=1) - 1) ** 2
    >>> x = np.array([[0, 0, 0], [3, 0, 0]], float)
    >>> minimum = rigspace.minimise([Springs([[0, 1]])], x, fixed=[0])
    >>> round(float(np.linalg.norm(minimum.x[1])), 6)
    1.0
    """

    #: (k, m, 3) to (k, m, 3), or None
    gradient: Any = None
    #: (k, m, 3) to (k, 3 m, 3 m), or None
    hessian: Any = None

    def __init__(self, elements: Any):
        self.elements = np.ascontiguousarray(elements, dtype=np.int32)

    def value(self, x: np.ndarray) -> np.ndarray:
        """(k, m, 3) to (k,)."""
        raise NotImplementedError(f"{type(self).__name__} has no value")


def minimise(energies: Sequence[Any], x: Any = None, *, fixed: Iterable[int] = (), rig: Union[Rig, Character, None] = None,
             p: Any = None, free: Optional[Iterable[Union[int, str]]] = None, tolerance: float = 1e-6,
             floor: float = 1e-12, step_tolerance: float = 0, max_iterations: int = 100,
             progress: Optional[Callable[[str, float], Optional[bool]]] = None) -> Minimum:
    """The least sum of energies, by Newton's method: over points x, or through a rig over its controls.

    energies   energies, yours or ours, or pairs (weight, energy)
    x          points to start from, (n, 3); `fixed` ones stay
    rig, p     in place of x: points are s(p); of the controls `free` (names or indices, all by default) are found,
               within their limits, and the others stay as in p (the rest pose by default)
    tolerance  converged when forces are in balance to this share of their sum, or below `floor`

    >>> import numpy as np, rigspace
    >>> hero = rigspace.cast("bobbin", skeleton=True)
    >>> s = hero.rig.evaluate(hero.rig.rest)
    >>> top = int(s[:, 1].argmax())
    >>> pull = rigspace.pulls(len(s), [top], s[[top]] + [0.02, -0.01, 0])
    >>> rigspace.minimise([pull], rig=hero, free=["head.rx", "head.rz"]).value < 0.5 * 0.02 ** 2
    True
    """
    options = dict(tolerance=tolerance, floor=floor, step_tolerance=step_tolerance, max_iterations=max_iterations,
                   progress=progress)
    if (x is None) == (rig is None):
        raise UsageError("has to be given" if x is None else "and rig are both given", element="x",
                         remedy="give points, x, or a rig")
    if rig is None:
        return _rigspace.minimise_points(energies, x, np.asarray(list(fixed), dtype=np.int32), options)
    rig = rig.rig if isinstance(rig, Character) else rig
    return _rigspace.minimise_controls(energies, rig, rig.rest if p is None else p, _indices(rig, free), options)


def _indices(rig: Rig, free: Optional[Iterable[Union[int, str]]]) -> list:
    if free is None:
        return [k for k, control in enumerate(rig.controls) if control.unit != "quaternion"]
    return [rig.find(each) if isinstance(each, str) else int(each) for each in free]


class RigSpace(_rigspace.RigSpaceBody):
    """A character as one elastic body whose skin follows its rig, stepped in time, with energies of your own.

    The setting of the papers: gravity, about the rest shape, some controls keyed, the others `free` (names or indices).
    `simulate` is for animators; this is for research. Lengths are scene units, of `unit` metres. A step has converged
    when forces are in balance to `tolerance` of their sum, or below `floor`, newtons.

    >>> import rigspace
    >>> peanut = rigspace.cast("peanut")
    >>> belly = [control.name for control in peanut.rig.controls if control.group == "belly"]
    >>> body = rigspace.RigSpace(peanut, belly, cell=0.12, gravity=(0, -9.8, 0))
    >>> body.step()["converged"]
    True
    """

    def __init__(self, character: Character, free: Iterable[Union[int, str]], *, cell: float = 0, step: float = 0.01,
                 integrator: str = "bdf2", material: str = "stable-neo-hookean", young: float = 5e4,
                 poisson: float = 0.4, density: float = 1000, gravity: Sequence[float] = (0, 0, 0), unit: float = 1,
                 mass_damping: float = 0, keep_limits: bool = False, tolerance: float = 1e-6, floor: float = 1e-9,
                 max_iterations: int = 50):
        _arguments.choice("integrator", integrator, ("bdf2", "euler"))
        super().__init__(character, _indices(character.rig, list(free)), dict(
            cell=cell, step=step, integrator=integrator, material=material, young=young, poisson=poisson,
            density=density, gravity=list(gravity), unit=unit, mass_damping=mass_damping, keep_limits=keep_limits,
            tolerance=tolerance, floor=floor, max_iterations=max_iterations))
