"""`rigspace curves`: fewer keys, other rates, loops and layers, from the command line."""
import json
import unittest

from program import Glb, OneHero, apart, asset, glb_json, height, points, rigspace


class Curves(OneHero):
    def answer(self, *arguments):
        result = rigspace("curves", *arguments, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_fit_adds_one_clip_of_few_cubic_keys_and_changes_nothing_else(self):
        out = self.folder / "fitted.glb"
        answer = self.answer("fit", self.hero, "--clip", "Walk", "-o", out)
        self.assertEqual(answer["clip"], "Walk_fit")
        self.assertTrue(answer["within_tolerance"])
        self.assertLess(answer["error_percent"], 0.1)
        self.assertLess(answer["keys_after"], answer["keys_before"])
        before, after = glb_json(self.hero), glb_json(out)
        self.assertEqual(after["animations"][:-1], before["animations"])
        for part in ("nodes", "meshes", "skins", "materials"):
            self.assertEqual(after.get(part), before.get(part))
        self.assertIn("CUBICSPLINE", {s["interpolation"] for s in after["animations"][-1]["samplers"]})
        source, fitted = Glb(out).channels("Walk"), Glb(out).channels("Walk_fit")
        self.assertEqual(set(source), set(fitted))
        # What was promised on the surface is what a player of the file shows, at the frames of the clip: 1/30 s.
        size = height(points(out, self.folder))
        times = [time for (time,) in max((channel[0] for channel in source.values()), key=len)]
        self.assertEqual(len(times), 31)
        for frame in range(0, 31, 5):
            a = points(out, self.folder, "--clip", "Walk", "--time", f"{frame}f", "--fps", 30)
            b = points(out, self.folder, "--clip", "Walk_fit", "--time", f"{frame}f", "--fps", 30)
            self.assertLess(max(apart(a, b)) / size, 0.001 + 1e-5)

    def test_fit_says_in_words_what_it_did(self):
        result = rigspace("curves", "fit", self.hero, "--clip", "Idle", "--quick", "--tolerance", 0.5,
                          "-o", self.folder / "idle.glb")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"\d+ keys -> \d+ .*largest error 0\.\d+ % of the height")

    def test_fit_tells_of_an_error_between_frames_that_is_larger_than_the_tolerance(self):
        arguments = ("fit", self.hero, "--clip", "Walk", "--quick", "-o", self.folder / "between.glb")
        for tolerance in (0.02, 2):
            answer = self.answer(*arguments, "--tolerance", tolerance)
            self.assertGreaterEqual(answer["played_error_percent"], 0.99 * answer["error_percent"])
            said = "between frames" in rigspace("curves", *arguments, "--tolerance", tolerance).stdout
            self.assertEqual(said, answer["played_error_percent"] > tolerance)

    def test_fit_writes_and_reads_curve_files(self):
        out = self.folder / "walk.rigspace.json"
        first = self.answer("fit", self.hero, "--clip", "Walk", "--quick", "-o", out)
        self.assertGreater(out.stat().st_size, 100)
        again = self.answer("resample", self.hero, "--curves", out, "--fps", 24, "-o", self.folder / "again.glb")
        self.assertEqual(again["keys_before"], first["keys_after"])

    def test_resample_gives_keys_at_the_rate(self):
        out = self.folder / "sampled.glb"
        answer = self.answer("resample", self.hero, "--clip", "Walk", "--fps", 12, "-o", out)
        self.assertEqual(answer["clip"], "Walk_12fps")
        for times, _ in Glb(out).channels("Walk_12fps").values():
            self.assertEqual(len(times), 13)  # a second

    def test_loop_closes_a_clip(self):
        out = self.folder / "loop.glb"
        answer = self.answer("loop", self.hero, "--clip", "Hop", "--whole", "-o", out)
        self.assertLess(answer["gap_after_percent"], 1e-6)
        for (node, path), (_, values) in Glb(out).channels("Hop_loop").items():
            if path == "rotation":
                self.assertEqual(values[0], values[-1], node)

    def test_merge_replaces_what_a_layer_over_the_base_moves(self):
        out = self.folder / "merged.glb"
        self.answer("merge", self.hero, "--clip", "Walk", "--layer", f"over={self.hero}:Idle", "-o", out)
        idle, walk, merged = (Glb(out).channels(name) for name in ("Idle", "Walk", "Walk_merged"))
        self.assertEqual(set(merged), set(idle) | set(walk))
        compared = 0
        for key in idle:
            at = {round(time[0], 4): value for time, value in zip(*merged[key])}
            for time, value in zip(*idle[key]):
                if len(idle[key][0]) != len(idle[key][1]) or round(time[0], 4) not in at:
                    continue
                other = at[round(time[0], 4)]
                sign = -1 if sum(x * y for x, y in zip(value, other)) < 0 and key[1] == "rotation" else 1
                for x, y in zip(value, other):
                    self.assertAlmostEqual(x, sign * y, delta=2e-6, msg=str(key))
                compared += 1
        self.assertGreater(compared, 100)

    def test_merge_adds_the_soft_layer_onto_the_base(self):
        soft = self.folder / "soft.glb"
        made = rigspace("simulate", self.hero, "--clip", "Walk", "--part", "tail*=tail", "--additive", "-o", soft)
        self.assertEqual(made.returncode, 0, made.stderr)
        out = self.folder / "both.glb"
        self.answer("merge", soft, "--clip", "Walk", "--layer", f"{soft}:Walk_soft_add", "-o", out)
        size = height(points(out, self.folder))
        for time in (0.25, 0.5, 0.75):
            a = points(out, self.folder, "--clip", "Walk_merged", "--time", time)
            b = points(out, self.folder, "--clip", "Walk_soft", "--time", time)
            self.assertLess(max(apart(a, b)) / size, 1e-3)

    def test_mistakes_are_one_sentence(self):
        out = self.folder / "nothing.glb"
        for arguments, words in (
            (("fit", self.hero, "-o", out), "has several clips"),
            (("fit", self.hero, "--clip", "Wlk", "-o", out), 'did you mean "Walk"'),
            (("fit", self.hero, "--clip", "Walk", "-o", self.folder / "x.png"), "name it .glb"),
            (("fit", self.hero, "--clip", "Walk", "--tolerance", "0", "-o", out), "above 0"),
            (("merge", self.hero, "--clip", "Walk", "--layer", "none.rigspace.json", "-o", out), "none.rigspace.json"),
            (("loop", self.hero, "--clip", "Walk", "--min-period", "9", "-o", out), "too short"),
        ):
            result = rigspace("curves", *arguments)
            self.assertIn(result.returncode, (2, 3), result.stderr)
            self.assertIn(words, result.stderr)
            self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
            self.assertFalse(out.exists())

    def test_a_real_character(self):
        fox = asset("khr_Fox/Fox.glb")
        if fox is None:
            self.skipTest("asset khr_Fox is absent")
        answer = self.answer("fit", fox, "--clip", "Run", "-o", self.folder / "fox.glb")
        self.assertTrue(answer["within_tolerance"])


if __name__ == "__main__":
    unittest.main()
