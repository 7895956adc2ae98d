"""Two motions of one character on one page: view --over."""
import json
import re
import unittest

from program import Glb, OneHero, rigspace


class Over(OneHero):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.clips = [a["name"] for a in Glb(cls.hero).document["animations"]]

    def view(self, *arguments):
        page = self.folder / "page.html"
        page.unlink(missing_ok=True)
        result = rigspace("view", *arguments, "-o", page)
        text = page.read_text() if page.exists() else ""
        options = re.search(r'id="options">(.*?)</script>', text, re.S)
        return result, json.loads(options[1]) if options else None

    def test_two_clips_of_one_file_are_named_by_the_clips(self):
        result, options = self.view(self.hero, "--clip", self.clips[0], "--over", self.hero, "--over-clip", self.clips[1])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(options["labels"], {"before": self.clips[0], "after": self.clips[1]})
        pair, = options["pairs"]
        self.assertEqual((pair["base"], pair["soft"]), (self.clips[0], self.clips[1]))
        mean, largest = pair["parts"][0]["curves"]
        self.assertGreater(max(largest["percent"]), 1)
        for most, middle in zip(largest["percent"], mean["percent"]):
            self.assertLessEqual(middle, most)

    def test_a_motion_over_itself_is_nowhere_apart(self):
        curves = self.folder / "walk.rigspace.json"
        self.assertEqual(rigspace("convert", self.hero, "--clip", self.clips[0], "-o", curves).returncode, 0)
        result, options = self.view(self.hero, "--clip", self.clips[0], "--over", curves)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(options["labels"], {"before": "hero.glb", "after": "walk.rigspace.json"})
        part, = options["pairs"][0]["parts"]
        self.assertEqual(part["summary"], "No vertex is ever apart.")
        self.assertEqual(max(part["curves"][0]["percent"]), 0)

    def test_another_character_is_refused(self):
        other = self.folder / "other.glb"
        self.assertEqual(rigspace("cast", "sphere", "-o", other).returncode, 0)
        result, options = self.view(self.hero, "--over", other)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("other.glb", result.stderr)
        self.assertIsNone(options)

    def test_a_clip_that_is_not_there_is_named_with_what_comes_close(self):
        result, _ = self.view(self.hero, "--over", self.hero, "--over-clip", self.clips[1][:-1] + "x")
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn(self.clips[1], result.stderr)

    def test_what_belongs_to_it_needs_it(self):
        result, _ = self.view(self.hero, "--over-clip", self.clips[0])
        self.assertEqual(result.returncode, 2, result.stderr)


if __name__ == "__main__":
    unittest.main()
