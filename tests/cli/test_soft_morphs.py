"""Flesh as morph targets: what the program writes, and that it writes it again."""
import json
import unittest

from program import Glb, OneFolder, apart, height, make_hero, points, rigspace


class SoftMorphs(OneFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.hero, cls.soft = cls.folder / "hero.glb", cls.folder / "hero.soft.glb"
        make_hero(cls.hero)
        result = rigspace("simulate", cls.hero, "--clip", "Walk", "--soft", "morphs", "--additive", "--json", "-o", cls.soft)
        assert result.returncode == 0, result.stderr
        cls.answer = json.loads(result.stdout)
        cls.recipe = json.loads(cls.soft.with_suffix(".json").read_text())
        cls.before, cls.after = Glb(cls.hero), Glb(cls.soft)
        cls.targets = [name for mesh in cls.after.document["meshes"] for name in mesh.get("extras", {}).get("targetNames", [])
                       if name.startswith("soft_")]

    def at(self, file, clip, time):
        return points(file, self.folder, "--clip", clip, "--time", repr(time))

    def test_no_joint_is_added(self):
        self.assertEqual(self.after.names, self.before.names)
        self.assertEqual(self.after.document["skins"], self.before.document["skins"])
        self.assertEqual(len(self.targets) % 3, 0)
        self.assertIn("soft_belly_01_x", self.targets)
        self.assertTrue(any("morph targets" in note for note in self.answer["notes"]))

    def test_the_recipe_keeps_the_shifts_of_joints(self):
        self.assertEqual(self.recipe["options"]["soft"], "morphs")
        controls = [curve["control"] for curve in self.recipe["clips"][0]["curves"] if curve["control"].startswith("soft_")]
        self.assertEqual({control.rsplit(".", 1)[1] for control in controls}, {"tx", "ty", "tz"})
        self.assertEqual({c.replace(".t", "_") for c in controls}, set(self.targets))

    def test_muted_the_character_is_the_original_to_the_bit(self):
        for time in (0.0, 0.3, 0.7):
            self.assertEqual(self.at(self.soft, "Walk", time), self.at(self.hero, "Walk", time))

    def test_the_flesh_moves(self):
        still = self.folder / "still.glb"
        chains = [word for part in ("tail", "ear_l", "ear_r") for word in ("--set", f"{part}.amount=0")]
        result = rigspace("rerun", self.soft.with_suffix(".json"), *chains, "-o", still)
        self.assertEqual(result.returncode, 0, result.stderr)
        original = self.at(self.hero, "Walk", 0.4)
        self.assertGreater(max(apart(original, self.at(still, "Walk_soft", 0.4))), 0.005 * height(original))

    def test_corrections_move_the_flesh_too(self):
        edits, fixed = self.folder / "edits.json", self.folder / "fixed.glb"
        file = {"kind": "rigspace fix", "schema": 1,
                "clips": [{"clip": "Walk", "curves": {"soft_belly_01.ty": [[0.2, 0], [0.4, 0.05], [0.6, 0]]}}]}
        edits.write_text(json.dumps(file))
        result = rigspace("rerun", self.soft.with_suffix(".json"), "--fix", edits, "-o", fixed)
        self.assertEqual(result.returncode, 0, result.stderr)
        for time, moved in ((0.1, False), (0.4, True), (0.7, False)):
            most = max(apart(self.at(self.soft, "Walk_soft", time), self.at(fixed, "Walk_soft", time)))
            self.assertEqual(most > 0.02, moved, (time, most))
        file["clips"][0]["curves"] = {"soft_belly_01.ry": [[0.2, 0], [0.4, 5], [0.6, 0]]}
        edits.write_text(json.dumps(file))
        result = rigspace("rerun", self.soft.with_suffix(".json"), "--fix", edits, "-o", fixed)
        self.assertEqual(result.returncode, 3)
        self.assertIn("is of a soft joint that is written as shapes, which only move", result.stderr)

    def test_a_loop_ends_in_its_first_key(self):
        weights = {node: values for (node, path), (_, values) in self.after.channels("Walk_soft").items() if path == "weights"}
        self.assertTrue(weights)
        for values in weights.values():  # one row a key and target
            count = len(self.targets)
            self.assertEqual(values[:count], values[-count:])
            self.assertGreater(max(abs(value) for value, in values), 0)

    def test_the_additive_clip_differs_from_a_pose_of_zeros(self):
        channels = self.after.channels("Walk_soft_add_ref")
        rest = [values for (_, path), (_, values) in channels.items() if path == "weights"]
        self.assertTrue(rest)
        self.assertEqual({value for values in rest for value, in values}, {0.0})

    def test_a_rerun_gives_the_same_bytes(self):
        results = [self.soft.with_suffix(kind) for kind in (".glb", ".html", ".json")]
        before = [path.read_bytes() for path in results]
        self.assertEqual(rigspace("rerun", results[2]).returncode, 0)
        self.assertEqual([path.read_bytes() for path in results], before)

    def test_a_wrong_form_is_refused(self):
        result = rigspace("simulate", self.hero, "--soft", "bones", "-o", self.folder / "x.glb")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertFalse((self.folder / "x.glb").exists())


if __name__ == "__main__":
    unittest.main()
