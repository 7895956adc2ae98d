"""Flesh that an animator shapes by forces (docs/forces.md).

    >>> import rigspace
    >>> arm = rigspace.forces.lattice(rigspace.cast("arm", skeleton=True), cells=20)
    >>> arm = rigspace.forces.place(arm, "bulge", bone="upper_arm")
    >>> flexed = arm.character.rig.evaluate(arm.character.rig.pose({"upper_arm_bulge": 1}))
    >>> arm = rigspace.forces.fit(arm, flexed, name="again")
    >>> arm.report["after"] < 0.5 * arm.report["before"]
    True

A force rig is never changed: each function gives another one, whose `report` says what was done.
"""
import os

import numpy as np

from ._rigspace import ForceMotion, ForceRig, forces_lattice, forces_load

__all__ = ["ForceMotion", "ForceRig", "change", "drag", "fit", "lattice", "load", "place", "remove", "simulate", "transfer"]

_OPTIONS = {"cells", "cell", "young", "poisson", "density", "twist", "twist_radius", "unit"}


def lattice(character, **options):
    """The character as flesh, without rigs yet.

    options: cells (that the body's volume would fill; 350) or cell (their edge, scene units); young (Pa), poisson, density
    (kg/m^3); twist, twist_radius: how stiffly bones hold the flesh around them; unit (metres per unit of the file).
    """
    unknown = sorted(set(options) - _OPTIONS)
    if unknown:
        raise TypeError(f"{unknown[0]} is no option of a lattice; there are {', '.join(sorted(_OPTIONS))}")
    return forces_lattice(character, options)


def load(path):
    """A force rig that was saved, here or by `rigspace forces`."""
    return forces_load(os.fspath(path))


def place(rig, template, *, bone="", skin=None, name="", radius=0.0):
    """A template on a bone, or at the point of the skin nearest to (x, y, z) at rest, with a control of its own from 0 to 1.

    template: "bump", "bulge", "radial" or "torus". report["name"] is its name where none was given.
    """
    if bool(bone) == (skin is not None):
        raise TypeError("give either a bone or a place of the skin")
    return rig._place(template, bone, skin, name, float(radius))


def change(rig, name, **numbers):
    """Other numbers of a template at full strength: strength, radius, along, depth..; lengths in scene units, radians."""
    return rig._change(name, {key: float(value) for key, value in numbers.items()})


def remove(rig, name):
    """Without this rig."""
    return rig._without(name)


def drag(rig, name, targets, *, pose=None, prior=1e-3, iterations=40):
    """The numbers of a template such that points of the skin come near to where they are dragged.

    targets: {point: (x, y, z)} in the pose. pose: {control: value} or all values; by default at rest, with the template's
    own control at full. prior: how much the numbers prefer to stay.
    """
    points = [int(point) for point in targets]
    places = np.array([targets[point] for point in targets], float).reshape(len(points), 3)
    return rig._drag(name, points, places, _pose(rig, pose), float(prior), int(iterations))


def fit(rig, target, *, pose=None, control="", name="shape", nearest=False, points=(), free=(), smoothness=1e-3, refine=0.0, levels=2):
    """Forces that bring the skin to a target in a pose, as a rig of a control: one of its own, or one of the character's.

    target: points, (N, 3), in the order of the rig, or the path of an .obj; nearest: the target is another mesh. points: those
    that should match, all by default. free: patterns of controls of joints, few, that are found together with the forces
    (report["pose"]). refine: split cells under points that miss by more, scene units, at most `levels` times.
    """
    options = {"name": name, "control": control, "pose": _pose(rig, pose), "nearest": bool(nearest), "points": [int(i) for i in points],
               "free": [free] if isinstance(free, str) else [str(each) for each in free],
               "smoothness": float(smoothness), "refine": float(refine), "levels": int(levels)}
    return rig._fit(os.fspath(target) if isinstance(target, (str, os.PathLike)) else target, options)


def transfer(rig, character, *, joints=None, progress=None):
    """All rigs on another character.

    joints: {joint: joint of the other, or None to leave it out}; by default those of the same name or, of bodies on two legs,
    of the same part of the body. report["own_lattice"]: the mapped lattice lacked some of the skin, forces are interpolated.
    """
    given = {name: other or "" for name, other in (joints or {}).items()}
    return rig._transfer(character, given, progress)


def simulate(rig, clip="", *, fps=24.0, static=False, creases=False, half_life=None, pose=None, progress=None):
    """A ForceMotion: a clip (the first by default) with the flesh's own motion.

    static: every frame in equilibrium. creases: skin that meets itself is held apart. half_life: of the flesh's own motion,
    seconds. pose: controls that the clip leaves alone.
    """
    return rig._play(clip, float(fps), bool(static), bool(creases), -1.0 if half_life is None else float(half_life), _pose(rig, pose), progress)


def _pose(rig, pose):
    own = rig.character.rig
    return own.rest if pose is None else own.pose(pose) if isinstance(pose, dict) else np.asarray(pose, float)
