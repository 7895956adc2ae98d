"""How stiff controls of a rig are (--stiffness), and what flesh is made of (--material)."""
import json
import os
import tempfile
import unittest

from program import OneFolder, make_hero, rigspace

PART = ("--part", "p?=rubber", "--set", "p.rate=3", "--set", "p.amount=1", "--clip", "Swing", "--loop", "no")


class Stiffness(OneFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.bar = cls.folder / "bar.rig.json"
        made = rigspace("cast", "bar", "-o", cls.bar)
        assert made.returncode == 0, made.stderr

    def simulate(self, name, *arguments):
        """The program's answer, the recipe, and the largest value of each curve."""
        output = self.folder / f"{name}.rigspace.json"
        result = rigspace("--json", "simulate", self.bar, *PART, *arguments, "-o", output)
        self.assertEqual(result.returncode, 0, result.stderr)
        recipe = json.loads((self.folder / f"{name}.json").read_text())
        largest = {c["control"]: max(map(abs, c["values"])) for c in recipe["clips"][0]["curves"]}
        return json.loads(result.stdout), recipe, largest

    def test_stiff_controls_swing_less_and_the_others_as_before(self):
        _, plain, loose = self.simulate("plain")
        self.assertNotIn("stiffness", plain["parts"][0])
        answer, recipe, held = self.simulate("half", "--stiffness", "p3=10", "--stiffness", "p4=10")
        self.assertEqual(recipe["parts"][0]["stiffness"], [1, 1, 10, 10])
        said = [note for note in answer["notes"] if "p3: asked 10, reached 10; p4: asked 10, reached 10" in note]
        self.assertEqual(len(said), 1, answer["notes"])
        self.assertLess(held["p3"], 0.4 * loose["p3"])
        self.assertAlmostEqual(held["p1"], loose["p1"], delta=0.1 * loose["p1"])
        before = (self.folder / "half.rigspace.json").read_bytes()
        again = rigspace("rerun", self.folder / "half.json")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual((self.folder / "half.rigspace.json").read_bytes(), before)

    def test_a_fit_is_kept_and_a_rerun_changes_it(self):
        with tempfile.TemporaryDirectory() as cache:
            def words(*arguments):
                result = rigspace(*arguments, env={**os.environ, "RIGSPACE_CACHE": cache})
                self.assertEqual(result.returncode, 0, result.stderr)
                return result.stdout

            names = [self.folder / f"kept.{ending}" for ending in ("rigspace.json", "glb", "html", "json")]
            command = ("simulate", self.bar, *PART, "--end", "0.3", "--stiffness", "p3=10", "-o", names[0])
            self.assertNotIn("fitted in an earlier run", words(*command))
            first = [path.read_bytes() for path in names]
            self.assertIn("p: its stiffness was fitted in an earlier run", words(*command))
            self.assertTrue([path.read_bytes() for path in names] == first)
            again = words("rerun", names[3], "--stiffness", "p4=4")
            self.assertIn("p4: asked 4", again)
            self.assertNotIn("fitted in an earlier run", again)
            self.assertEqual(json.loads(names[3].read_text())["parts"][0]["stiffness"], [1, 1, 10, 4])
            words("rerun", names[3], "--stiffness", "p?=1")
            self.assertNotIn("stiffness", json.loads(names[3].read_text())["parts"][0])
            refused = rigspace("rerun", names[3], "--stiffness", "p4=4", "--clip", "Swing")
            self.assertEqual(refused.returncode, 2)
            self.assertIn("leave --clip and --range out", refused.stderr)

    def test_what_cannot_be_is_said(self):
        answer, _, _ = self.simulate("end", "--stiffness", "p4=10")
        self.assertTrue(any("no material gives all of it together" in note for note in answer["notes"]), answer["notes"])

    def test_the_material_is_kept(self):
        _, plain, _ = self.simulate("neo")
        self.assertNotIn("material", plain["options"])
        _, recipe, _ = self.simulate("stiffening", "--material", "stiffening")
        self.assertEqual(recipe["options"]["material"], "stiffening")

    def test_wrong_words_are_refused(self):
        hero = self.folder / "hero.glb"
        make_hero(hero)
        for file, option, words in ((self.bar, ("--stiffness", "nobody*=2"), ("nobody*", "no control of a part")),
                                    (self.bar, ("--stiffness", "p4=hard"), ("p4=hard", "positive number")),
                                    (hero, ("--stiffness", "tail*=2"), ("tail*", "no control of a part")),
                                    (self.bar, ("--material", "jelly"), ("jelly", "stiffening"))):
            part = PART if file == self.bar else ()
            result = rigspace("simulate", file, *part, *option)
            self.assertEqual(result.returncode, 2, result.stderr)
            for word in words:
                self.assertIn(word, result.stderr)


if __name__ == "__main__":
    unittest.main()
