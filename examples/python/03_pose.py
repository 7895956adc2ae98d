#!/usr/bin/env python3
"""Posing by pulling: points of the surface go where they are pulled, the rig's controls follow.

    PYTHONPATH=build/python python3 examples/python/03_pose.py"""
import numpy as np

import rigspace

hero = rigspace.cast("bobbin", skeleton=True)

# The vertex at the joint "head" goes 6 cm forward and 3 cm down.
posed = rigspace.pose(hero, {"head": "+0,-0.03,0.06"})
for pull in posed.pulls:
    print(f"vertex {pull['vertex']}: {pull['distance'] / posed.size:.2%} of the size away from its target")
turned = np.flatnonzero(np.abs(posed.p - hero.rig.rest) > 0.01)
for c in turned[:6]:
    control = hero.rig.controls[c]
    print(f"  {control.name} {np.degrees(posed.p[c]):.0f} degrees" if control.unit == "angle" else f"  {control.name}")
assert posed.reached and posed.converged

# A target that moves makes a clip.
head = posed.pulls[0]["vertex"]
at = hero.rig.evaluate(hero.rig.rest)[head]
times = np.linspace(0, 0.5, 9)
circle = at + 0.04 * np.stack([np.sin(4 * np.pi * times), 0 * times, 1 - np.cos(4 * np.pi * times)], axis=1)
nod = rigspace.pose(hero, {head: (times, circle)}, name="Nod", fps=12)
hero.with_clips(nod.clip).save("nod.glb")
print(f"nod.glb: {len(nod.times)} frames, {'all targets reached' if nod.reached else 'not all targets reached'}")
