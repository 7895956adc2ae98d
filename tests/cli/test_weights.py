"""Skin weights, skeletons, spring bones and correctives, from the command line."""
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

    def test_flesh_is_baked_into_shapes_that_joints_drive(self):
        arm, flesh, fixed = (self.folder / name for name in ("arm.glb", "arm.flesh.rig.json", "arm.fixed.rig.json"))
        self.runs("cast", "arm", "-o", arm)
        self.runs("forces", "lattice", arm, "--cells", "150", "-o", flesh)
        baked = json.loads(self.runs("rig", "bake", arm, "--correctives", "--from", flesh, "-o", fixed, "--json"))
        self.assertLess(baked["clips"][0]["share"], 0.5)
        self.assertGreater(baked["shapes"], 0)
        self.runs("eval", fixed, "--clip", "Curl", "--time", "1", "-o", self.folder / "pose.obj")
        self.refused(2, ".rig.json", "rig", "bake", arm, "--correctives", "--from", flesh, "-o", self.out)
        self.refused(2, "names no clip", "rig", "bake", arm, "--correctives", "--from", flesh, "--test", "Curk", "-o", fixed)
        self.refused(2, "--from", "rig", "bake", arm, "--from", flesh, "-o", self.out)
        self.refused(3, "points", "rig", "bake", arm, "--correctives", "--from", self.hero, "-o", fixed)

    def test_a_slow_rig_gets_a_fast_stand_in(self):
        arm, flesh, quick = (self.folder / name for name in ("arm.glb", "arm.flesh.rig.json", "arm.quick.rig.json"))
        self.runs("cast", "arm", "-o", arm)
        self.runs("forces", "lattice", arm, "--cells", "150", "-o", flesh)
        made = json.loads(self.runs("rig", "stand-in", flesh, "--fast", arm, "--tolerance", "0.0005", "--poses", "20",
                                    "-o", quick, "--json"))
        for row in made["clips"]:
            self.assertGreater(row["answered"], 0)
            self.assertEqual(row["within_bound"], row["answered"])
        self.runs("eval", quick, "--clip", "Curl", "--time", "1", "-o", self.folder / "pose.obj")
        self.refused(2, "--tolerance", "rig", "stand-in", flesh, "--tolerance", "0", "-o", quick.with_name("x.rig.json"))
        self.refused(2, ".rig.json", "rig", "stand-in", flesh, "--tolerance", "1", "-o", self.out)

    def test_wrong_input_is_one_sentence(self):
        self.refused(2, "netherest", "rig", "weights", self.hero, "--method", "netherest", "-o", self.out)
        self.refused(3, "bobbin.glb", "rig", "bake", self.hero, "-o", self.out)
        self.refused(2, "-o", "rig", "weights", self.hero)
        self.refused(3, "nothere.glb: does not exist", "rig", "cage", "nothere.glb", "-o", self.folder / "x.rig.json")
        self.refused(3, "is no force rig", "forces", "simulate", self.hero, "-o", self.out)


if __name__ == "__main__":
    unittest.main()
