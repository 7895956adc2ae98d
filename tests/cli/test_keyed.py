"""Controls of a part over time, hits and the mix, as the command line, recipes and reruns have them."""
import unittest

from program import AfterAHerosRun, Glb, rigspace

TAIL = ("--part", "tail*=tail", "--clip", "Hop")  # one chain: quick


def largest(clip, time):
    """Degrees: the largest deviation of any curve at the step nearest to a time."""
    at = min(range(len(clip["times"])), key=lambda k: abs(clip["times"][k] - time))
    return max(abs(curve["values"][at]) for curve in clip["curves"])


class Keyed(AfterAHerosRun):
    @classmethod
    def setUpClass(cls):
        _, cls.plain = cls.begin(*TAIL)

    def test_an_amount_over_time(self):
        recipe, words = self.run_it("rerun", self.file, "--set", "tail.amount=0:1,0.4:0.25,0.8:0.25,1.1:1")
        self.assertEqual(recipe["parts"][0]["look"]["amount"], [[0, 1], [0.4, 0.25], [0.8, 0.25], [1.1, 1]])
        self.assertIn("amount (1 at 0 s, 0.25 at 0.4 s", words)
        old, new = self.plain["clips"][0], recipe["clips"][0]
        self.assertEqual(new["loop"], old["loop"], "it ends as it began")
        before = {name: (self.folder / name).read_bytes() for name in ("hero.soft.glb", "hero.soft.json")}
        self.run_it("rerun", self.file)
        self.assertEqual({name: (self.folder / name).read_bytes() for name in before}, before)
        # Where the keys rest it is what the number alone gives, once what was before has settled.
        constant, _ = self.run_it("rerun", self.file, "--set", "tail.amount=0.25")
        self.assertEqual(constant["parts"][0]["look"]["amount"], 0.25)
        for time in (0.5, 0.6, 0.7):
            self.assertAlmostEqual(largest(new, time), largest(constant["clips"][0], time), delta=0.03)
            self.assertGreater(largest(constant["clips"][0], time), 0.3, "ten times what they may differ by")

    def test_hits_and_mix(self):
        recipe, words = self.run_it("simulate", self.hero, *TAIL, "--hit", "tail=24f", "--hit", "*=0.75", "--fps", "60",
                                    "--set", "tail.mix=0:1,1.0:1,1.1:0,linear")
        self.assertEqual(recipe["parts"][0]["look"]["hit"], [0.4, 0.75])
        self.assertEqual(recipe["parts"][0]["look"]["mix"][-1], "linear")
        self.assertIn("in the artist's pose at 0.4 s, 0.75 s", words)
        self.assertIn("no loop, since the keys of tail.mix", words)
        clip = recipe["clips"][0]
        self.assertGreater(largest(clip, 0.55), 1.5)
        self.assertLess(largest(clip, 0.4), 1e-6)
        self.assertLess(largest(clip, 0.75), 1e-6)
        self.assertEqual(largest(clip, 1.15), 0)
        # In the file: the tail's keys at the hit are the artist's, which are those of the rest pose.
        soft = Glb(self.folder / "hero.soft.glb").channels("Hop_soft")
        times, values = next(keys for (node, kind), keys in soft.items() if (node, kind) == ("tail_05", "rotation"))
        at = {round(time * 60): value for (time,), value in zip(times, values)}
        turned = [max(abs(a - b) for a, b in zip(at[frame], at[69])) for frame in (24, 45, 54)]
        self.assertLess(max(turned[:2]), 1e-6)
        self.assertGreater(turned[2], 0.002)

    def test_values_of_one_clip_and_of_a_range(self):
        recipe, _ = self.run_it("rerun", self.file, "--clip", "Hop", "--set", "tail.rate=0:2,0.5:4", "--hit", "tail=0.6")
        self.assertEqual(recipe["clips"][0]["set"], {"tail.rate": [[0, 2], [0.5, 4]], "tail.hit": [0.6]})
        self.assertEqual(recipe["parts"], self.plain["parts"])
        recipe, words = self.run_it("rerun", self.file, "--hit", "tail=none", "--range", "0.3s:0.9s")
        self.assertEqual(recipe["clips"][0]["edits"][0]["set"], {"tail.hit": []})
        self.assertIn("tail.hit none", words)
        self.assertGreater(largest(recipe["clips"][0], 0.6), 0.5)

    def test_what_is_wrong_is_said(self):
        for option, said in (("--set=tail.hold=0:1,1:0", "holds for a whole clip"),
                             ("--set=tail.mix=0:1,1:3", "expected 0 to 1"),
                             ("--set=tail.mix=0:1,1", "TIME:VALUE"),
                             ("--set=tail.mix=0:1,x:0", "is not a time"),
                             ("--set=tail.mix=1:1,0:0", "in the order of their times"),
                             ("--set=tail.rate=0:2,1:0", "above zero"),
                             ("--set=tail.hit=1", "--hit"),
                             ("--hit=tail", "PART=TIME"),
                             ("--hit=tail=99", "outside of what is simulated of the clip"),
                             ("--hit=tail=-1f", "outside of what is simulated of the clip"),
                             ("--hit=nose=1", "does not exist"),
                             ("--hit=tail=soon", "is not a time")):
            result = rigspace("rerun", self.file, option)
            self.assertIn(result.returncode, (2, 3), option)
            self.assertIn(said, result.stderr, option)
            self.assertEqual(len(result.stderr.strip().splitlines()), 1)
        result = rigspace("simulate", self.hero, "--part", "tail*=tail", "--clip", "Hop", "--loop", "yes",
                          "--set", "tail.amount=0:1,1:0.5")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("cannot loop", result.stderr)


if __name__ == "__main__":
    unittest.main()
