"""Several characters in one call, settings of a folder, and runs without what overrules the physics."""
import json
import pathlib
import tempfile
import unittest

from program import Glb, OwnFolder, make_hero, rigspace


class Batch(OwnFolder):
    def setUp(self):
        super().setUp()
        self.cast = self.folder / "cast"
        (self.cast / "more").mkdir(parents=True)
        make_hero(self.cast / "hero.glb")
        make_hero(self.cast / "more" / "hero.glb")

    def test_a_folder_is_simulated_and_measured_and_shown_on_one_page(self):
        (self.cast / "broken.glb").write_bytes(b"no model at all")
        result = rigspace("simulate", self.cast, "--clip", "Walk", "--part", "tail*=tail", "-o", self.folder / "out")
        self.assertEqual(result.returncode, 3)
        self.assertIn("1 of 3 characters have no result", result.stderr)
        self.assertIn("1 of 3: ", result.stdout)
        record = json.loads((self.folder / "out" / "batch.soft.json").read_text())["characters"]
        self.assertEqual([pathlib.Path(each["input"]).name for each in record], ["broken.glb", "hero.glb", "hero.glb"])
        self.assertIn("broken.glb", record[0]["failure"])
        for each in record[1:]:
            self.assertTrue(each["passes"], each)
            self.assertTrue(pathlib.Path(each["result"]).exists() and pathlib.Path(each["page"]).exists())
            self.assertEqual([clip["clip"] for clip in each["clips"]], ["Walk"])
            self.assertLess(each["clips"][0]["seam"], 1e-3)
        self.assertNotEqual(record[1]["result"], record[2]["result"])
        self.assertIn("hero", (self.folder / "out" / "batch.soft.html").read_text())

    def test_what_is_finished_is_not_made_again(self):
        command = ["simulate", self.cast, "--clip", "Walk", "--part", "tail*=tail", "--json"]
        self.assertEqual(rigspace(*command).returncode, 0)
        result = self.cast / "hero.soft.glb"
        written = result.stat().st_mtime_ns
        again = rigspace(*[word for word in command if word != "--json"])
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(again.stdout.count("(made before)"), 2, again.stdout)  # results are no inputs
        self.assertEqual(result.stat().st_mtime_ns, written)
        other = rigspace(*command[:-1], "--set", "tail.amount=0.5")
        self.assertNotIn("(made before)", other.stdout)
        result.unlink()
        self.assertEqual(rigspace(*command[:-1], "--set", "tail.amount=0.5").stdout.count("(made before)"), 1)

    def test_wrong_words(self):
        both = [self.cast / "hero.glb", self.cast / "more" / "hero.glb"]
        for arguments, words in ((["-o", self.folder / "x.glb"], "name a folder"), (["--on", both[0]], "is of one character")):
            result = rigspace("simulate", *both, *arguments)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(words, result.stderr)
        (self.folder / "empty").mkdir()
        self.assertIn("has no characters in it", rigspace("simulate", self.folder / "empty").stderr)
        self.assertIn("does not exist", rigspace("simulate", both[0], self.folder / "gone.glb").stderr)


class FolderSettings(OwnFolder):
    def setUp(self):
        super().setUp()
        self.hero = self.folder / "hero.glb"
        make_hero(self.hero)

    def test_every_run_reads_them(self):
        said = rigspace("settings", self.folder, "never=belly", "never=ear", "set=tail.amount=0.5", "set=trunk.rate=2", "unit=0.5")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertNotIn("and " + str(self.folder), said.stdout)
        result = rigspace("simulate", self.hero, "--clip", "Walk")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("settings of ", result.stdout)
        recipe = json.loads((self.folder / "hero.soft.json").read_text())
        self.assertEqual([part["name"] for part in recipe["parts"]], ["tail"])
        self.assertEqual(recipe["parts"][0]["settings"]["amount"] if "settings" in recipe["parts"][0] else recipe["parts"][0]["look"]["amount"], 0.5)
        self.assertEqual(recipe["options"]["metres_per_unit"], 0.5)
        self.assertIn("says never", rigspace("parts", self.hero).stdout)
        by_hand = rigspace("simulate", self.hero, "--clip", "Walk", "--unit", "1", "--set", "tail.amount=0.8")
        self.assertEqual(by_hand.returncode, 0, by_hand.stderr)
        self.assertEqual(json.loads((self.folder / "hero.soft.json").read_text())["options"]["metres_per_unit"], 1)

    def test_wrong_words(self):
        self.assertIn('did you mean "never"', rigspace("settings", self.folder, "nevr=belly").stderr)
        self.assertIn("is no FIELD=VALUE", rigspace("settings", self.folder, "belly").stderr)
        self.assertFalse((self.folder / "rigspace.settings.json").exists())
        (self.folder / "rigspace.settings.json").write_text('{"unit": "large"}')
        result = rigspace("simulate", self.hero)
        self.assertEqual(result.returncode, 3)
        self.assertIn("rigspace.settings.json:1", result.stderr)


class Pure(unittest.TestCase):
    def test_what_overrules_the_physics_is_counted_and_can_be_left_out(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            make_hero(folder / "hero.glb")
            for out, more in (("usual", []), ("pure", ["--pure"])):
                result = rigspace("simulate", folder / "hero.glb", "--clip", "Hop", "--loop", "no", "-o", folder / f"{out}.glb", *more)
                self.assertEqual(result.returncode, 0, result.stderr)
            usual, pure = (json.loads((folder / f"{out}.json").read_text()) for out in ("usual", "pure"))
            self.assertNotIn("without", usual["options"])
            self.assertEqual(set(pure["options"]["without"]), {"tune", "hold", "scale", "springs", "smooth", "ease", "ends", "jumps"})

            def reports(recipe):
                clip = recipe["clips"][0]
                return next(value for value in clip.values() if isinstance(value, list) and value and "rate_hz" in value[0])

            self.assertTrue(any(part.get("faded", 0) > 0 for part in reports(usual)))  # ends at rest
            self.assertTrue(any(part.get("springs", 0) > 0.01 for part in reports(usual)))
            for part in reports(pure):
                self.assertEqual([part.get(key, 0) for key in ("faded", "smoothed")], [0, 0])
                self.assertEqual([part.get(key, 1) for key in ("held", "eased", "grounded", "scaled")], [1, 1, 1, 1])
                self.assertLess(part.get("springs", 0), 1e-4)
            again = rigspace("rerun", folder / "pure.json", "-o", folder / "again.glb")
            self.assertEqual(again.returncode, 0, again.stderr)
            clips = [Glb(folder / f"{out}.glb").channels("Hop_soft") for out in ("again", "pure")]
            self.assertEqual(*clips)

if __name__ == "__main__":
    unittest.main()
