"""rigspace.cloth: a sheet over the head of a character, as arrays and files; what cannot be worn is refused."""
import pathlib
import unittest

import numpy as np

import rigspace
from support import InAFolder, make_hero


def write_sheet(middle, size=0.3, cells=4):
    u = np.linspace(-0.5, 0.5, cells + 1) * size
    lines = [f"v {middle[0] + x} {middle[1]} {middle[2] + z}" for z in u for x in u]
    for j in range(cells):
        for i in range(cells):
            a = j * (cells + 1) + i + 1
            lines.append(f"f {a} {a + cells + 1} {a + cells + 2} {a + 1}")
    pathlib.Path("sheet.obj").write_text("\n".join(lines) + "\n")


class Cloth(InAFolder):
    def setUp(self):
        super().setUp()
        self.hero = make_hero()
        points = self.hero.rig.evaluate(self.hero.rig.rest)
        self.top = points[np.argmax(points[:, 1])]
        write_sheet(self.top + [0, 0.05, 0])

    def test_a_sheet_falls_on_the_head_and_is_written(self):
        seen = []
        dressed = rigspace.cloth.dress(self.hero, "sheet.obj", unit=1, lead=0.05, keep="kept",
                                       progress=lambda stage, fraction: seen.append(stage))
        motion = rigspace.cloth.simulate(dressed, clip=self.hero.clips[0].name, fps=20, end=0.1)
        self.assertEqual(motion.frames.shape, (3, 25, 3))
        self.assertEqual(motion.triangles.shape, (32, 3))
        self.assertLess(motion.frames[-1, :, 1].min(), self.top[1] + 0.049)
        self.assertGreater(motion.report["nearest"], 0)
        self.assertEqual(len(motion.save("sheet.pc2")), 1)
        motion.save("dressed.glb")
        self.assertEqual(rigspace.load("dressed.glb").rig.point_count, self.hero.rig.point_count + 25)
        again = rigspace.cloth.simulate(dressed, clip=self.hero.clips[0].name, fps=20, end=0.1)  # from the kept frames
        np.testing.assert_array_equal(again.frames, motion.frames)
        self.assertEqual(again.report["steps"], 0)

    def test_training_keeps_its_frames_and_refuses_poses_that_are_all_the_same(self):
        dressed = rigspace.cloth.dress(self.hero, "sheet.obj", unit=1, lead=0.05)  # all of it follows the head
        error = self.refused(rigspace.InputError, rigspace.cloth.train, dressed, None, "sheet.cloth", clips=self.hero.clips[0].name, fps=10)
        self.assertIn("poses are all the same", str(error))
        self.assertTrue(list(pathlib.Path("sheet.cloth.training").glob("*.frames")))

    def test_what_cannot_be_worn_is_refused(self):
        self.refused(rigspace.UsageError, rigspace.cloth.dress, self.hero, "trousers")
        with self.assertRaises(TypeError):
            rigspace.cloth.dress(self.hero, "sheet.obj", colour=3)
        write_sheet(self.top + [0, 500, 0])
        self.refused(rigspace.InputError, rigspace.cloth.dress, self.hero, "sheet.obj", unit=1)


if __name__ == "__main__":
    unittest.main()
