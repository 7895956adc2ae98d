#!/usr/bin/env python3
"""A rig is a map from control values to points: evaluate it, many poses at once, and its derivative.

    PYTHONPATH=build/python python3 examples/python/01_evaluate.py"""
import numpy as np

import rigspace

peanut = rigspace.cast("peanut")  # or rigspace.load("hero.glb")
rig = peanut.rig
print(peanut)
for control in rig.controls[:5]:
    print("  ", control)

# A pose by names, in radians and metres; the points that it gives.
trunk = [control.name for control in rig.controls if control.group == "trunk"]
p = rig.pose({trunk[0]: 0.3})
s = rig.evaluate(p)
print(f"{trunk[0]} moves {np.sum(np.any(s != rig.evaluate(rig.rest), axis=1))} of {len(s)} points")

# A clip, sampled and played: one call for all frames, into memory that is kept.
walk = next(clip for clip in peanut.clips if clip.name == "Walk")
times = np.arange(0, walk.duration, 1 / 30)
frames = np.empty((len(times), rig.point_count, 3))
rig.evaluate_batch(walk.sample(rig, times), out=frames)
print(f"{walk.name}: {len(times)} frames, the highest point rises by {np.ptp(frames[:, :, 1].max(axis=1)):.3f} m")

# The derivative predicts what a small turn does.
J = rig.jacobian(p, [trunk[0]])
turned = rig.evaluate(rig.pose({trunk[0]: 0.3 + 1e-4}))
error = np.abs((turned - s).ravel() - 1e-4 * J[:, 0]).max()
print(f"a turn of 0.0001 is predicted to {error:.1e} m")
assert error < 1e-7
