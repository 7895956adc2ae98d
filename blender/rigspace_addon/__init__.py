"""The Blender side of rigspace: what a rig in Blender is to the outside, and how motion gets into it and out of it.

    rig.py       a mesh object as a function from control values to points
    controls.py  the channels that an animator turns, by the names that rigspace uses everywhere
    clips.py     the artist's actions as curves on these controls
    layers.py    results as layers of their own above the artist's animation
    curves.py    all access to F-curves and NLA: the one place that knows how Blender keeps them
"""
