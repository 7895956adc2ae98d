"""A Blender that simulates and says so: tests/addon/addon_live.py kills it."""
import sys
import threading
import time

import bpy

ZIP, HERO, _ = sys.argv[sys.argv.index("--") + 1 :][:3]
bpy.ops.preferences.addon_enable(module="rigspace_addon")
from rigspace_addon import program  # noqa: E402


def tell():
    while not any(run.fraction > 0 for run in list(program.STARTED)):
        time.sleep(0.02)
    print("at work", next(iter(program.STARTED)).process.pid, flush=True)


bpy.ops.wm.open_mainfile(filepath=HERO)
bpy.context.view_layer.objects.active = bpy.data.objects["Body"]
bpy.ops.rigspace.set_up()
part = bpy.context.scene.rigspace.characters[0].parts.add()
part.pattern, part.preset = "belly.t?,tail?.r?", "belly"
threading.Thread(target=tell, daemon=True).start()
bpy.ops.rigspace.simulate()
time.sleep(60)
