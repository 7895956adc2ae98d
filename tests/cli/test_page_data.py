"""What a run tells its page: loop or once and why, the largest deviation, amounts of the recipe, how to run it again."""
import json
import re
import unittest

from program import AfterAHerosRun, OwnFolder, make_hero, rigspace

PARTS = ("--part", "tail*=tail", "--part", "ear_l*=ear")  # chains alone: quick


def page_options(path):
    found = re.search(r'id="options">(.*?)</script>', path.read_text(), re.DOTALL)
    return json.loads(found[1])


class PageData(AfterAHerosRun):
    @classmethod
    def setUpClass(cls):
        cls.begin("--once", "Hop", "--clip", "Walk", "--clip", "Hop", *PARTS)

    def setUp(self):
        super().setUp()
        self.page = self.folder / "hero.soft.html"
        if not self.page.exists():
            self.skipTest("built without the page")
        self.pairs = {pair["base"]: pair for pair in page_options(self.page)["pairs"]}
        self.recipe = json.loads((self.folder / "hero.soft.json").read_text())

    def test_clips_loop_or_not_with_the_reason(self):
        walk, hop = self.pairs["Walk"], self.pairs["Hop"]
        self.assertEqual((walk["loop"], walk["why"]), (True, 'its name says "walk"'))
        self.assertEqual((hop["loop"], hop["why"]), (False, "--once says so"))
        clips = {clip["base"]: clip for clip in self.recipe["clips"]}
        self.assertAlmostEqual(walk["period"], clips["Walk"]["times"][-1], places=6)
        self.assertAlmostEqual(walk["gap"], 100 * clips["Walk"]["seam"], places=6)
        self.assertNotIn("gap", hop)

    def test_the_largest_deviation_is_that_of_the_skin(self):
        checked = rigspace("--json", "check", self.folder / "hero.glb", self.folder / "hero.soft.glb")
        self.assertIn(checked.returncode, (0, 1), checked.stderr)
        for clip in json.loads(checked.stdout)["clips"]:
            largest = self.pairs[clip["clip"]]["largest"]
            # The check looks at 30 frames a second and the page at the moments where a part deviates most.
            self.assertGreater(largest["percent"], 1)
            self.assertLess(abs(largest["percent"] - clip["largest_percent"]), 0.15 * largest["percent"])

    def test_amounts_are_those_of_the_recipe_and_of_the_clip(self):
        self.assertEqual(page_options(self.page)["rerun"], "rigspace rerun hero.soft.json")
        tail = self.pairs["Walk"]["parts"][0]
        self.assertEqual(tail["amounts"], [{"part": "tail", "amount": 1}])
        made = rigspace("rerun", self.folder / "hero.soft.json", "--set", "tail.amount=0.5")
        self.assertEqual(made.returncode, 0, made.stderr)
        made = rigspace("rerun", self.folder / "hero.soft.json", "--clip", "Walk", "--set", "tail.amount=0:0.5,0.5:1,linear")
        self.assertEqual(made.returncode, 0, made.stderr)
        pairs = {pair["base"]: pair for pair in page_options(self.page)["pairs"]}
        self.assertEqual(pairs["Hop"]["parts"][0]["amounts"], [{"part": "tail", "amount": 0.5}])
        self.assertEqual(pairs["Walk"]["parts"][0]["amounts"], [{"part": "tail", "amount": 0.5, "keys": [[0, 0.5], [0.5, 1]],
                                                                 "interpolation": "linear", "clipOnly": True}])


class OtherRigs(OwnFolder):
    def test_a_rig_file_has_the_amounts_of_all_parts_behind_one_slider(self):
        rig = self.folder / "bar.rig.json"
        self.assertEqual(rigspace("cast", "bar", "-o", rig).returncode, 0)
        made = rigspace("simulate", rig, "--part", "p?=rubber")
        self.assertEqual(made.returncode, 0, made.stderr)
        options = page_options(self.folder / "bar.soft.html")
        self.assertEqual(options["rerun"], "rigspace rerun bar.soft.json")
        recipe = json.loads((self.folder / "bar.soft.json").read_text())
        for pair in options["pairs"]:
            self.assertEqual([a["part"] for a in pair["parts"][0]["amounts"]], [part["name"] for part in recipe["parts"]])
            self.assertGreater(pair["largest"]["percent"], 0.1)

    def test_a_part_whose_name_has_a_dot_can_be_set(self):
        hero = self.folder / "hero.glb"
        make_hero(hero)
        made = rigspace("simulate", hero, "--clip", "Walk", "--part", "tail*=tail")
        self.assertEqual(made.returncode, 0, made.stderr)
        recipe = self.folder / "hero.soft.json"
        text = json.loads(recipe.read_text())
        text["parts"][0]["name"] = "tail.001"
        recipe.write_text(json.dumps(text))
        made = rigspace("rerun", recipe, "--set", "tail.001.amount=0.5")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(json.loads(recipe.read_text())["parts"][0]["look"]["amount"], 0.5)


if __name__ == "__main__":
    unittest.main()
