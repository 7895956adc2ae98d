#!/usr/bin/env python3
"""Secondary motion: a tail that swings after the walk, as a clip beside the artist's own.

    PYTHONPATH=build/python python3 examples/python/02_simulate.py"""
import sys

import numpy as np

import rigspace

rigspace.cast("bobbin", skeleton=True).save("hero.glb")  # or a file of your own
hero = rigspace.load("hero.glb")

def progress(stage, fraction):
    """Returning False would cancel."""
    if sys.stderr.isatty():
        print(f"\r{stage} {fraction:4.0%} ", end="", file=sys.stderr)


result = rigspace.simulate(hero, {"tail*": "tail"}, clip="Walk", progress=progress)
print(result)

# What came out are curves on the rig's own controls: deviations from the artist's motion.
curves = result.curves["Walk_soft"]
k = np.abs(curves.values).max(axis=1).argmax()
print(f"{curves.controls[k]} swings by up to {np.degrees(np.abs(curves.values[k]).max()):.0f} degrees")
assert not any("tail" not in name for name in curves.controls)

# Points of the soft character at any moment, beside the artist's.
soft = result.character
moved = soft.rig.evaluate(soft.pose_at("Walk_soft", 0.5)) - soft.rig.evaluate(soft.pose_at("Walk", 0.5))
print(f"1/2 s in, its tip is {np.linalg.norm(moved, axis=1).max():.3f} m from where it was keyed")

# A second look: half as much, and dead still at 0.5 s. Saved as the command line would save it.
calmer = rigspace.simulate(hero, {"tail*": "tail"}, clip="Walk", set={"tail.amount": 0.5}, hit={"tail": 0.5})
print("wrote", *calmer.save("hero.soft.glb"))
