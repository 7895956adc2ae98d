"""Clips and characters."""
import unittest

import numpy as np

import rigspace
from support import InAFolder, make_hero


class Clip(InAFolder):
    def test_keys_come_back_and_are_sampled(self):
        hero = make_hero()
        joint = next(c.name for c in hero.rig.controls if c.name.endswith(".rx"))
        clip = rigspace.Clip("Nod", {joint: ([0, 0.5, 1], [0, 0.4, 0])})
        times, values = clip.keys(joint)
        np.testing.assert_array_equal(times, [0, 0.5, 1])
        np.testing.assert_array_equal(values, [0, 0.4, 0])
        poses = clip.sample(hero.rig, [0.25, 0.5])
        np.testing.assert_allclose(poses[:, hero.rig.find(joint)], [0.2, 0.4])
        np.testing.assert_allclose(np.delete(poses[0], hero.rig.find(joint)), np.delete(hero.rig.rest, hero.rig.find(joint)))

    def test_clips_are_added_to_another_character_and_to_its_file(self):
        hero = make_hero()
        joint = next(c.name for c in hero.rig.controls if c.name.endswith(".rx"))
        more = hero.with_clips(rigspace.Clip("Nod", {joint: ([0, 1], [0, 0.4])}))
        self.assertEqual(len(hero.clips) + 1, len(more.clips))
        more.save("more.glb")
        loaded = rigspace.load("more.glb")
        self.assertEqual([clip.name for clip in loaded.clips], [clip.name for clip in more.clips])
        np.testing.assert_allclose(loaded.rig.evaluate(loaded.pose_at("Nod", 1)),
                                   more.rig.evaluate(more.pose_at("Nod", 1)), atol=1e-5)

    def test_the_artists_file_is_never_overwritten(self):
        hero = make_hero()
        self.refused(rigspace.UsageError, hero.save, "hero.glb")

    def test_bad_keys_are_refused(self):
        self.refused(rigspace.Error, rigspace.Clip, "Nod", {"a": ([0, 0], [1, 2])})
        self.refused(rigspace.Error, rigspace.Clip, "Nod", {"a": ([0, 1], [1])})
        self.refused(rigspace.UsageError, rigspace.Clip, "Nod", {"a": ([0, 1], [1, 2])}, "wobbly")
        hero = make_hero()
        error = self.refused(rigspace.UsageError, hero.with_clips, rigspace.Clip("Nod", {"nobody.rx": ([0], [1])}))
        self.assertEqual(error.value, "nobody.rx")
        self.refused(rigspace.UsageError, hero.with_clips, hero.clips[0])

    def test_triangles_name_points_of_the_rig(self):
        hero = make_hero()
        self.assertLess(hero.triangles.max(), hero.rig.point_count)
        self.assertEqual(sum(len(piece["triangles"]) for piece in hero.pieces if piece["drawn"]), len(hero.triangles))


if __name__ == "__main__":
    unittest.main()
