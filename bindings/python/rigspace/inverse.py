"""Any motion on a rig's own controls, learned from its clips (docs/inverse.md).

    >>> import rigspace
    >>> hero = rigspace.cast("bobbin", skeleton=True)
    >>> model = rigspace.inverse.train(hero, clips=["Walk", "Idle"], samples=40)
    >>> mapped = rigspace.inverse.apply(model, hero, clip="Hop")
    >>> mapped.error < 0.01
    True
"""
import os

from ._rigspace import Character, InverseModel, InversePose, MappedMotion, inverse_apply
from ._characters import load as _load_character

__all__ = ["InverseModel", "InversePose", "MappedMotion", "apply", "load", "predict", "solve", "train"]

_POINTS = (".mdd", ".pc2", ".obj", ".csv")


def train(character, *, clips=(), joints=(), points=0, samples=750, kernel="multiquadric", heading=True, rate=0, progress=None):
    """The inverse of a rig, from its clips (names with * and ?; all by default).

    joints: names with * and ?; by default, of a body on two legs, its own joints and points that show how their ends are
    turned ("head|y"), of others all. points: instead, how many points of the surface, or their indices. samples: poses that
    are kept, at most. rate: frames a second taken from the clips; 0: that of their keys.
    """
    chosen = [] if isinstance(points, int) else [int(each) for each in points]
    options = {"clips": _words(clips), "joints": _words(joints), "points": chosen,
               "point_count": points if isinstance(points, int) else 0, "samples": int(samples), "kernel": kernel,
               "heading": bool(heading), "rate": float(rate)}
    return InverseModel(character, options, progress)


def load(path, character):
    """A model that was saved; of another rig it is refused."""
    return InverseModel(os.fspath(path), character)


def predict(model, x):
    """The learned answer for places x, (joints, 3) in the order of model.joints, without refinement on the rig."""
    return model._solve(x, 0, 0.0, None)


def solve(model, x, *, iterations=8, smoothness=0.0, before=None):
    """Predicts, then refines on the rig. before: the InversePose of the frame before, for smoothness."""
    return model._solve(x, int(iterations), float(smoothness), before)


def apply(model, source, *, clip="", map=None, rate=0, keys=0.002, keep_keys=False, smoothness=0.0, plant_feet=True,
          predict_only=False, reference_time=-1.0, progress=None):
    """A motion as a clip on the rig's own controls.

    source: a Character, or the path of a motion: .bvh, .glb, .gltf, .rig.json; landmarks .csv; point caches .mdd, .pc2, a
    sequence x_*.obj. map: {own joint: joint of the motion, or None to leave it out} where the found one is wrong. keys:
    cubic keys within this error, as a share of the height, at the times of the motion's keys where somebody set them (with more
    between where needed), else fitted; 0: a linear key a frame. keep_keys: at the times of the motion's keys alone.
    """
    options = {"clip": clip, "map": dict(map or {}), "rate": float(rate), "keys": float(keys), "keep_keys": bool(keep_keys),
               "smoothness": float(smoothness), "plant_feet": bool(plant_feet), "iterations": 0 if predict_only else 30,
               "reference_time": float(reference_time)}
    if not isinstance(source, Character):
        source = os.fspath(source)
        if not source.lower().endswith(_POINTS):
            source = _load_character(source)
    return inverse_apply(model, source, options, progress)


def _words(words):
    return [words] if isinstance(words, str) else [str(each) for each in words]
