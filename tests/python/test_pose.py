"""pose: points are pulled, controls follow."""
import unittest

import numpy as np

import rigspace
from support import InAFolder


class Pose(InAFolder):
    @classmethod
    def setUpClass(cls):
        cls.hero = rigspace.cast("bobbin", skeleton=True)
        cls.s = cls.hero.rig.evaluate(cls.hero.rig.rest)

    def test_the_pulled_point_is_where_the_report_says_and_near_its_target(self):
        posed = rigspace.pose(self.hero, {"head": "+0,-0.02,0.05"})
        pull = posed.pulls[0]
        points = self.hero.rig.evaluate(posed.p)
        np.testing.assert_allclose(points[pull["vertex"]], pull["position"], atol=1e-9)
        np.testing.assert_allclose(pull["target"], self.s[pull["vertex"]] + [0, -0.02, 0.05], atol=1e-12)
        self.assertTrue(posed.reached and posed.converged)
        self.assertLess(pull["distance"], 0.01 * posed.size)

    def test_vertices_are_named_in_three_ways(self):
        by_joint = rigspace.pose(self.hero, {"head": "+0,0,0"}).pulls[0]["vertex"]
        by_number = rigspace.pose(self.hero, {by_joint: self.s[by_joint]})
        by_place = rigspace.pose(self.hero, {tuple(self.s[by_joint]): self.s[by_joint]})
        self.assertEqual(by_number.pulls[0]["vertex"], by_joint)
        self.assertEqual(by_place.pulls[0]["distance"], by_number.pulls[0]["distance"])
        # Nothing is pulled away: nothing turns.
        np.testing.assert_allclose(by_number.p, self.hero.rig.rest, atol=1e-6)

    def test_only_what_is_free_turns(self):
        free = [c for c in ("head.rx", "head.ry", "head.rz") if c in [k.name for k in self.hero.rig.controls]]
        posed = rigspace.pose(self.hero, {"head": "+0.01,0,0.02"}, free="head.r?")
        self.assertEqual([self.hero.rig.controls[c].name for c in posed.free], free)
        held = np.setdiff1d(np.arange(len(posed.p)), posed.free)
        np.testing.assert_array_equal(posed.p[held], self.hero.rig.rest[held])

    def test_a_path_gives_a_clip(self):
        head = rigspace.pose(self.hero, {"head": "+0,0,0"}).pulls[0]["vertex"]
        times = np.array([0, 0.25, 0.5])
        posed = rigspace.pose(self.hero, {head: (times, self.s[head] + np.outer(times, [0, 0, 0.06]))}, fps=12, name="Lean")
        self.assertEqual((posed.clip.name, len(posed.times)), ("Lean", 7))
        np.testing.assert_allclose(posed.clip.sample(self.hero.rig, posed.times), posed.poses, atol=1e-9)

    def test_what_cannot_be_meant_is_refused(self):
        self.refused(rigspace.UsageError, rigspace.pose, self.hero, {"head": (1, 2, 3, 4)})
        self.refused(rigspace.UsageError, rigspace.pose, self.hero, {"nobody": (0, 0, 0)})
        self.refused(rigspace.UsageError, rigspace.pose, self.hero, {10 ** 7: (0, 0, 0)})
        self.refused(rigspace.UsageError, rigspace.pose, self.hero, {"head": (0, 0, 0)}, keep="*")
        self.refused(rigspace.UsageError, rigspace.pose, self.hero, {"head": (0, 0, 0)}, dynamic=True)
        self.refused(rigspace.UsageError, rigspace.pose, self.hero, {"head": (0, 0, 0)}, p=[0])


if __name__ == "__main__":
    unittest.main()
