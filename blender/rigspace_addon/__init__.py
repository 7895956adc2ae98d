"""The Blender side of rigspace: what a rig in Blender is to the outside, how motion gets into it and out of it, and the panel.

    rig.py         a mesh object as a function from control values to points
    controls.py    the channels that an animator turns, by the names that rigspace uses everywhere
    clips.py       the artist's actions as curves on these controls
    layers.py      results as layers of their own above the artist's animation
    upper.py       fixes at a frame, and layers merged
    cycles.py      how a clip goes on behind its last key
    curves.py      all access to F-curves and NLA: the one place that knows how Blender keeps them

The add-on, on top of these, which the rig host inside a Blender without a window does not load:

    settings.py    what an artist says of a character: kept in the scene
    program.py     the rigspace program at work: progress, stopping, its answer
    work.py        one generator behind an operator that waits and one that lets the artist go on
    watch.py       whether an undo has changed the character of a run
    live.py        parts in motion while the scene plays; amounts.py a result's amount, changed at once; held.py what IK holds
    own_keys.py    the artist's keys, shown in the timeline beneath the fix layer
    simulate.py    parts to a result; pull.py points to a pose; diagnose.py what is odd about a rig
    strokes.py     what was drawn, as the view shows it; sketch.py strokes to a pose
    moving.py      bones or points of another object as a motion file; match.py puts it onto the character's controls
    cloth.py       a mesh over another that moves, as a point cache
    panel.py       where all of it is found: 3D view, N, Rigspace"""

bl_info = {
    "name": "Rigspace",
    "description": "Soft bellies, tails and ears on any rig, as layers above your animation",
    "author": "The rigspace authors",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > Rigspace",
    "category": "Animation",
}


def modules():
    from . import cloth, diagnose, live, manage, match, own_keys, panel, pull, settings, simulate, sketch, work  # a rig host needs none

    return settings, work, simulate, live, manage, own_keys, pull, sketch, match, cloth, diagnose, panel


def register():
    for module in modules():
        module.register()


def unregister():
    for module in reversed(modules()):
        module.unregister()
