"""Physics, posing, clothing and motion in the space of a character's own rig.

    >>> import rigspace
    >>> hero = rigspace.load("hero.glb")
    >>> result = rigspace.simulate(hero, clip="Walk")
    >>> _ = result.save("hero.soft.glb")

A rig is a map s(p) from control values p to points; angles are radians, lengths units of the scene, times seconds.
Arrays are float64 in C order: others are converted. Long calls take `progress`, a callable (stage, fraction) that
cancels by returning False; Ctrl-C works. What goes wrong is a rigspace.Error.
"""
from ._errors import Cancelled, Error, InputError, InternalError, NotConverged, ProcessError, UsageError
from ._rigspace import (BuiltInEnergy, Character, Clip, Control, Minimum, Posed, Rig, Sketched, SketchReport, StrokeReport,
                        TetMesh, __version__, cast_names, check_energy, constant_forces, presets, pulls, set_thread_count, solid, thread_count)
from ._characters import black_box, cast, load, start
from ._energy import Energy, RigSpace, minimise
from ._mesh import mesh
from ._pose import pose
from ._simulate import Curves, Result, simulate
from ._sketch import SketchPoser, sketch_pose
from . import cloth, forces, inverse

__all__ = ["BuiltInEnergy", "Cancelled", "Character", "Clip", "Control", "Curves", "Energy", "Error", "InputError",
           "InternalError", "Minimum", "NotConverged", "Posed", "ProcessError", "Result", "Rig", "RigSpace", "SketchPoser",
           "SketchReport", "Sketched", "StrokeReport", "TetMesh", "UsageError", "black_box", "cast", "cast_names", "check_energy", "cloth", "constant_forces", "forces", "inverse", "load", "mesh", "minimise", "pose",
           "presets", "pulls", "set_thread_count", "simulate", "sketch_pose", "solid", "start", "thread_count"]
