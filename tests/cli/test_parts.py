"""`rigspace parts`: what is found, with reasons, and as --part takes it; and runs in which nothing moves."""
import json
import pathlib
import shlex
import unittest

from program import OneHero, asset, make_toy, rigspace


class Parts(OneHero):
    def test_are_listed_with_reasons_and_drawn(self):
        picture = self.folder / "parts.png"
        result = rigspace("parts", self.hero, "-o", picture, "--size", 64)
        self.assertEqual(result.returncode, 0, result.stderr)
        for text in ("part tail", "part ear_l", "part ear_r", "part belly", "for: ", "--part 'tail"):
            self.assertIn(text, result.stdout)
        self.assertTrue(picture.read_bytes().startswith(b"\x89PNG"))

    def test_printed_lines_name_the_same_parts(self):
        found = json.loads(rigspace("parts", self.hero, "--json").stdout)
        chosen = {part["name"]: part["joints"] for part in found["candidates"] if part["chosen"]}
        line = next(line for line in rigspace("parts", self.hero).stdout.splitlines() if "by hand: " in line)
        words = shlex.split(line.partition("by hand: ")[2])
        result = rigspace(*words[1:], "--clip", "Walk", "-o", self.folder / "named.glb", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        recipe = json.loads((self.folder / "named.json").read_text())
        self.assertEqual(sorted(part["joints"] for part in recipe["parts"]), sorted(chosen.values()))

    def test_the_reason_stands_in_the_recipe(self):
        result = rigspace("simulate", self.hero, "--clip", "Walk", "-o", self.folder / "found.glb")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("since: ", result.stdout)
        for part in json.loads((self.folder / "found.json").read_text())["parts"]:
            self.assertTrue(part["reason"], part)

    def test_a_toy_of_solid_pieces_swings_its_tail_and_nothing_without_a_name(self):
        toy = self.folder / "toy.glb"
        make_toy(toy, ["body", "tail_1", "tail_2", "tail_3"])
        result = rigspace("simulate", toy)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"tail .* swings by \d+ degrees")
        self.assertEqual(rigspace("check", toy, self.folder / "toy.soft.glb").returncode, 0)
        make_toy(toy, ["Cube", "Cube.001", "Cube.002"])
        result = rigspace("simulate", toy)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((self.folder / "toy.soft.glb").read_bytes(), toy.read_bytes())

    def test_a_mech_comes_back_as_it_was(self):
        mech = asset("census/Leela.glb")
        if mech is None:
            self.skipTest("asset census/Leela.glb is absent")
        result = rigspace("simulate", mech, "-o", self.folder / "mech.glb")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("no part moves by itself", result.stdout)
        self.assertEqual((self.folder / "mech.glb").read_bytes(), pathlib.Path(mech).read_bytes())
        again = rigspace("rerun", self.folder / "mech.json", "-o", self.folder / "again.glb")
        self.assertEqual(again.returncode, 0, again.stderr)


if __name__ == "__main__":
    unittest.main()
