"""Skin weights, skeletons and spring bones, from the command line."""
import json
import unittest

from program import Glb, OwnFolder, rigspace


class Weights(OwnFolder):
    def setUp(self):
        super().setUp()
        self.hero = self.folder / "bobbin.glb"
        self.assertEqual(rigspace("cast", "bobbin", "-o", self.hero).returncode, 0)
        self.out = self.folder / "out.glb"

    def runs(self, *arguments):
        result = rigspace(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def refused(self, code, sentence, *arguments):
        result = rigspace(*arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn(sentence, result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        self.assertFalse(self.out.exists())

    def test_new_weights_replace_the_artists_and_add_up_to_one(self):
        self.runs("rig", "weights", self.hero, "--method", "voxels", "--keep", "3", "-o", self.out)
        before, after = Glb(self.hero).influences(), Glb(self.out).influences()
        self.assertEqual(len(before), len(after))
        self.assertNotEqual(before, after)
        for vertex in after:
            self.assertLessEqual(len(vertex), 3)
            self.assertLess(abs(sum(vertex.values()) - 1), 1e-5)

    def test_each_method_is_compared_with_the_artists_weights(self):
        compared = json.loads(self.runs("rig", "weights", self.hero, "--compare", "--json"))
        shares = {row["method"]: row["share_of_swing"] for row in compared["methods"]}
        self.assertEqual(set(shares), {"nearest", "falloff", "heat", "voxels", "biharmonic"})
        self.assertLess(shares["heat"], shares["nearest"])

    def test_a_shape_gets_a_skeleton_that_other_commands_open(self):
        self.runs("rig", "skeleton", self.hero, "-o", self.out)
        told = json.loads(self.runs("info", self.out, "--json"))
        self.assertGreater(len(told["skins"]), 0)
        turned = [control["name"] for control in told["controls"] if control["name"].endswith(".rx")]
        self.assertGreater(len(turned), 8)
        self.runs("eval", self.out, "--set", f"{turned[-1]}=30", "-o", self.folder / "pose.obj")

    def test_wrong_input_is_one_sentence(self):
        self.refused(2, "netherest", "rig", "weights", self.hero, "--method", "netherest", "-o", self.out)
        self.refused(3, "bobbin.glb", "rig", "bake", self.hero, "-o", self.out)
        self.refused(2, "-o", "rig", "weights", self.hero)
        self.refused(3, "nothere.glb: does not exist", "rig", "cage", "nothere.glb", "-o", self.folder / "x.rig.json")
        self.refused(3, "is no force rig", "forces", "simulate", self.hero, "-o", self.out)


if __name__ == "__main__":
    unittest.main()
