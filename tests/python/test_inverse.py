"""rigspace.inverse: train, predict, solve, apply; what is no target is refused."""
import pathlib
import unittest

import numpy as np

import rigspace
from support import InAFolder


class Inverse(InAFolder):
    @classmethod
    def setUpClass(cls):
        cls.hero = rigspace.cast("bobbin", skeleton=True)
        cls.model = rigspace.inverse.train(cls.hero, clips=["Walk", "Idle"], joints="*", samples=40)
        cls.hop = next(clip for clip in cls.hero.clips if clip.name == "Hop")

    def test_refinement_brings_the_joints_of_an_unseen_pose_to_their_places(self):
        x = self.model.places(self.hop.sample(self.hero.rig, [0.3])[0])
        self.assertEqual(x.shape, (len(self.model.joints), 3))
        predicted, solved = rigspace.inverse.predict(self.model, x), rigspace.inverse.solve(self.model, x)
        self.assertLess(solved.error, 0.2 * predicted.error)
        away = np.sqrt(np.mean(np.sum((self.model.places(solved.p) - x) ** 2, axis=1))) / self.model.size
        self.assertAlmostEqual(away, solved.error, places=9)

    def test_a_motion_becomes_a_clip(self):
        mapped = rigspace.inverse.apply(self.model, self.hero, clip="Hop", rate=15)
        self.assertLess(mapped.error, 2e-3)
        self.assertEqual(len(mapped.poses), len(mapped.times))
        self.hero.with_clips(mapped.clip).save("hop.glb")
        few = rigspace.inverse.apply(self.model, self.hero, clip="Hop", rate=15, keys=0.01)
        self.assertEqual(few.clip.name, mapped.clip.name)

    def test_landmarks_and_models_come_from_files(self):
        few = rigspace.inverse.train(self.hero, clips=["Walk", "Idle"], joints=["pelvis", "hand_?", "foot_?", "head"], samples=30)
        rows = ["time," + ",".join(f"{name}.{axis}" for name in few.joints for axis in "xyz")]
        for time in (0.0, 0.1, 0.2):
            x = few.places(self.hop.sample(self.hero.rig, [time])[0])
            rows.append(",".join(map(repr, [time, *map(float, x.ravel())])))
        pathlib.Path("marks.csv").write_text("\n".join(rows) + "\n")
        self.assertLess(rigspace.inverse.apply(few, "marks.csv").error, 5e-3)
        few.save("few.inverse")
        again = rigspace.inverse.load("few.inverse", self.hero)
        np.testing.assert_array_equal(rigspace.inverse.predict(again, x).p, rigspace.inverse.predict(few, x).p)
        self.refused(rigspace.InputError, rigspace.inverse.load, "few.inverse", rigspace.cast("toon", skeleton=True))

    def test_what_is_no_target_is_refused(self):
        x = self.model.places(self.hero.rig.rest)
        self.refused(rigspace.Error, rigspace.inverse.predict, self.model, x[:-1])
        x[0, 0] = np.nan
        self.refused(rigspace.InputError, rigspace.inverse.predict, self.model, x)
        self.refused(rigspace.UsageError, rigspace.inverse.apply, self.model, self.hero, clip="Hopp")
        self.refused(rigspace.UsageError, rigspace.inverse.train, self.hero, kernel="cubic")


if __name__ == "__main__":
    unittest.main()
