"""rigspace.forces: the arm of the cast as flesh, templates on it, a fitted shape, another arm; what cannot be done is refused."""
import unittest

import numpy as np

import rigspace
from support import InAFolder


class Forces(InAFolder):
    def setUp(self):
        super().setUp()
        rigspace.cast("arm", skeleton=True).save("arm.glb")
        self.arm = rigspace.load("arm.glb")
        self.flesh = rigspace.forces.lattice(self.arm, cells=20)

    def test_a_bump_follows_the_hand_and_is_kept(self):
        placed = rigspace.forces.place(self.flesh, "bump", skin=(0.16, 0.5, 0))
        self.assertEqual(placed.report["name"], "bump")
        self.assertEqual(self.flesh.rigs, [])
        rig = placed.character.rig
        rest = rig.evaluate(rig.rest)
        point = int(np.argmin(np.linalg.norm(rest - (0.16, 0.5, 0), axis=1)))
        goal = rest[point] + [0, 0.01, 0]
        dragged = rigspace.forces.drag(placed, "bump", {point: goal})
        self.assertLess(dragged.report["after"], 0.35 * 0.01)
        dragged.save("arm.rig.json")
        again = rigspace.forces.load("arm.rig.json")
        loaded = rigspace.load("arm.rig.json").rig  # a rig to everything
        moved = loaded.evaluate(loaded.pose({"bump": 1}))
        self.assertAlmostEqual(np.linalg.norm(moved[point] - goal), dragged.report["after"], 6)
        self.assertEqual(again.rigs[0]["samples"][1].keys(), {"at", "strength", "radius", "depth", "spin"})
        stronger = rigspace.forces.change(again, "bump", strength=0.0)
        self.assertEqual(stronger.rigs[0]["samples"][1]["strength"], 0)
        self.assertEqual(rigspace.forces.remove(stronger, "bump").rigs, [])

    def test_a_sculpt_is_fitted_played_and_taken_to_another_arm(self):
        pose = self.arm.rig.pose({"forearm.rx": 1.0, "skin:biceps": 1.0})
        fitted = rigspace.forces.fit(self.flesh, self.arm.rig.evaluate(pose), pose={"forearm.rx": 1.0}, control="forearm.rx",
                                     name="flex")
        self.assertLess(fitted.report["after"], 0.6 * fitted.report["before"])
        motion = rigspace.forces.simulate(fitted, "Curl", fps=6)
        self.assertEqual(motion.frames.shape, (13, self.arm.rig.point_count, 3))
        motion.save("curl.glb")
        self.assertEqual(rigspace.load("curl.glb").clips[0].name, "Curl")
        other = rigspace.forces.transfer(fitted, rigspace.cast("stout_arm", skeleton=True))
        self.assertLess(other.report["surface_error"], 0.02)
        rig = other.character.rig
        flat = rigspace.forces.remove(other, "flex").character.rig
        bent = rig.pose({"forearm.rx": 1.0})
        change = np.linalg.norm(rig.evaluate(bent) - flat.evaluate(flat.pose({"forearm.rx": 1.0})), axis=1)
        self.assertGreater(change.max(), 0.003)
        self.refused(rigspace.UsageError, other.save, "stout.rig.json")  # no file to lie beside

    def test_what_cannot_be_done_is_refused(self):
        with self.assertRaises(TypeError):
            rigspace.forces.lattice(self.arm, colour=3)
        with self.assertRaises(TypeError):
            rigspace.forces.place(self.flesh, "bump")
        self.refused(rigspace.Error, rigspace.forces.place, self.flesh, "hump", bone="upper_arm")
        self.refused(rigspace.Error, rigspace.forces.place, self.flesh, "bump", bone="leg")
        self.refused(rigspace.UsageError, rigspace.forces.drag, self.flesh, "bump", {0: (0, 0, 0)})
        error = self.refused(rigspace.Error, rigspace.forces.fit, self.flesh, np.zeros((5, 3)), name="flex")
        self.assertIn("5", str(error))
        bar = rigspace.cast("bar", skeleton=True)
        self.refused(rigspace.Error, rigspace.forces.transfer, self.flesh, bar)


if __name__ == "__main__":
    unittest.main()
