"""Cloth inside Blender: a mesh over another that moves comes back as a point cache.

    blender -b --factory-startup --python-exit-code 3 --python tests/addon/cloth_inside.py -- FOLDER [TEST..]

RIGSPACE_PROGRAM is the program."""
import pathlib
import sys
import unittest

import bpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "blender"))
import rigspace_addon  # noqa: E402
from rigspace_addon import cloth  # noqa: E402

FIRST, LAST = 3, 8


class Cloth(unittest.TestCase):
    def setUp(self):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        scene = bpy.context.scene
        scene.frame_start, scene.frame_end = FIRST, LAST
        bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=2, radius=0.3, location=(1, 0, 1))
        self.ball = bpy.context.active_object
        for frame, height in ((FIRST, 1.0), (LAST, 1.1)):
            self.ball.location.z = height
            self.ball.keyframe_insert("location", frame=frame)
        bpy.ops.mesh.primitive_grid_add(x_subdivisions=6, y_subdivisions=6, size=0.6, location=(1, 0, 1.33), rotation=(0, 0, 0.5))
        self.sheet = bpy.context.active_object
        self.sheet.modifiers.new("Subdivision", "SUBSURF")
        self.ball.select_set(True)  # the sheet is active
        bpy.ops.wm.save_as_mainfile(filepath=str(pathlib.Path(FOLDER) / "scene.blend"))

    def points(self, frame):
        bpy.context.scene.frame_set(frame)
        self.sheet.modifiers["Subdivision"].show_viewport = False
        posed = self.sheet.evaluated_get(bpy.context.evaluated_depsgraph_get())
        return [posed.matrix_world @ vertex.co for vertex in posed.data.vertices]

    def test_a_sheet_lies_on_a_ball_that_rises_and_the_file_plays_it(self):
        before = self.points(FIRST)
        self.assertEqual(bpy.ops.rigspace.cloth(first=FIRST, last=LAST), {"FINISHED"})
        self.assertEqual([each.name for each in self.sheet.modifiers], [cloth.MODIFIER, "Subdivision"])
        for a, b in zip(before, self.points(FIRST)):
            self.assertLess((a - b).length, 1e-4)  # it begins where it was, in its own turned place
        last = self.points(LAST)
        for at in last:
            self.assertGreater((at - self.ball.matrix_world.translation).length, 0.28)  # outside; the ball is of facets
        self.assertLess(min(at.z for at in last), 1.31)  # corners hang
        self.assertGreater(max(at.z for at in last), 1.38)  # and the middle was lifted
        self.assertEqual([each.name for each in cloth.cache_folder().iterdir()], ["Grid.pc2"])

    def test_a_run_that_was_stopped_goes_on(self):
        steps = cloth.clothing(bpy.context, self.sheet, self.ball, FIRST, LAST)
        work = cloth.cache_folder() / "Grid.run"
        frames = lambda: sum(each.stat().st_size for each in work.glob("cloth.pc2.partial/*.frames"))  # noqa: E731
        size = 32 + 8 * (1 + 2 * 3 * 49)
        for _ in steps:
            if frames() >= 2 * size - 32:
                break
        steps.close()  # as Esc does it
        kept = frames()
        self.assertGreaterEqual(kept, 2 * size - 32)
        self.assertFalse(self.sheet.modifiers.get(cloth.MODIFIER))
        self.assertEqual(bpy.ops.rigspace.cloth(first=FIRST, last=LAST), {"FINISHED"})
        self.assertFalse(work.exists())

    def test_what_cannot_be_simulated_is_one_sentence(self):
        self.ball.select_set(False)
        with self.assertRaisesRegex(RuntimeError, "is no garment on a body"):
            bpy.ops.rigspace.cloth(first=FIRST, last=LAST)
        self.ball.select_set(True)
        self.sheet.location.z = 900
        with self.assertRaisesRegex(RuntimeError, "away from the body"):
            bpy.ops.rigspace.cloth(first=FIRST, last=LAST)
        self.assertFalse(self.sheet.modifiers.get(cloth.MODIFIER))


if __name__ == "__main__":
    rigspace_addon.register()
    FOLDER, *told = sys.argv[sys.argv.index("--") + 1:]
    result = unittest.main(argv=["cloth", *(f"Cloth.{each}" for each in told)], exit=False).result
    sys.exit(not result.wasSuccessful())
