"""Values for one clip, or for frames of it, behind an @: in simulate and in rerun."""
import json
import unittest

from program import AfterAHerosRun, Glb, rigspace

TAIL = ("--part", "tail*=tail", "--clip", "Walk", "--clip", "Hop")  # one chain, two clips: quick
ONE_LINE = ("--set", "tail.rate=2", "--set", "tail.amount=0.6@Walk", "--set", "tail.amount=0.2@Hop@10:20")


class ClipValues(AfterAHerosRun):
    @classmethod
    def setUpClass(cls):
        _, cls.plain = cls.begin(*TAIL, "--set", "tail.rate=2")

    def test_one_line_says_all(self):
        recipe, words = self.run_it("simulate", self.hero, *TAIL, *ONE_LINE)
        walk, hop = recipe["clips"]
        rate = hop["fps"]
        self.assertEqual(recipe["parts"][0]["look"]["rate"], 2)
        self.assertEqual(recipe["parts"][0]["look"]["amount"], self.plain["parts"][0]["look"]["amount"])
        self.assertEqual((walk["set"], walk["edits"]), ({"tail.amount": 0.6}, []))
        self.assertEqual(hop["set"], {})
        self.assertEqual(hop["edits"], [{"from": 10 / rate, "to": 20 / rate, "set": {"tail.amount": 0.2}}])
        self.assertIn("frames 10 to 20 made again with tail.amount 0.2", words)
        # Walk has 0.6 of its deviation, Hop is as it was but between its frames 10 and 20, and 0.2 in their middle.
        old_walk, old_hop = self.plain["clips"]
        for old, new in zip(old_walk["curves"], walk["curves"]):
            for a, b in zip(old["values"], new["values"]):
                self.assertAlmostEqual(b, 0.6 * a, delta=1e-9)
        middle = min(range(len(hop["times"])), key=lambda k: abs(hop["times"][k] - 15 / rate))
        for old, new in zip(old_hop["curves"], hop["curves"]):
            for time, a, b in zip(hop["times"], old["values"], new["values"]):
                if time < 10 / rate or time > 20 / rate:
                    self.assertEqual(a, b)
            self.assertAlmostEqual(new["values"][middle], 0.2 * old["values"][middle], delta=1e-9)
        self.assertGreater(max(abs(curve["values"][middle]) for curve in old_hop["curves"]), 0.3, "it moves there")

    def test_a_rerun_says_the_same_and_repeats_it(self):
        self.run_it("simulate", self.hero, *TAIL, *ONE_LINE)
        whole = self.contents()
        self.run_it("rerun", self.file)
        self.assertEqual(self.contents(), whole)
        self.run_it("simulate", self.hero, *TAIL, "--set", "tail.rate=2")
        recipe, _ = self.run_it("rerun", self.file, *ONE_LINE[2:])
        self.assertEqual(self.contents(), whole)
        # As rerun --clip does.
        self.run_it("simulate", self.hero, *TAIL, "--set", "tail.rate=2")
        self.run_it("rerun", self.file, "--clip", "Walk", "--set", "tail.amount=0.6")
        self.run_it("rerun", self.file, "--clip", "Hop", "--range", "10:20", "--set", "tail.amount=0.2")
        self.assertEqual(self.contents(), whole)
        # For all clips: the value of the one clip gives way, unless it is given again.
        recipe, _ = self.run_it("rerun", self.file, "--set", "tail.amount=0.9", "--set", "*.amount=0.7@Hop*")
        self.assertEqual([clip["set"] for clip in recipe["clips"]], [{}, {"tail.amount": 0.7}])
        self.assertEqual(recipe["parts"][0]["look"]["amount"], 0.9)

    def test_only_the_named_clip_is_made_again(self):
        recipe = json.loads(self.file.read_text())
        recipe["clips"][0]["curves"][0]["values"][7] += 25  # no simulation would give that
        self.file.write_text(json.dumps(recipe))
        again, _ = self.run_it("rerun", self.file, "--set", "tail.amount=0.5@Hop")
        self.assertEqual(again["clips"][0]["curves"], recipe["clips"][0]["curves"])
        self.assertNotEqual(again["clips"][1]["curves"], recipe["clips"][1]["curves"])

    def test_keys_hits_and_seconds(self):
        recipe, _ = self.run_it("simulate", self.hero, *TAIL, "--set", "tail.mix=0:1,12f:0,1:1@Walk",
                                "--hit", "tail=24f@Hop", "--hit", "*=0.7@Hop", "--set", "tail.lag=0.3@0.2s:0.6s")
        walk, hop = recipe["clips"]
        self.assertEqual(walk["set"], {"tail.mix": [[0, 1], [12 / walk["fps"], 0], [1, 1]]})
        self.assertEqual(hop["set"], {"tail.hit": [24 / hop["fps"], 0.7]})
        for clip in (walk, hop):
            self.assertEqual(clip["edits"], [{"from": 0.2, "to": 0.6, "set": {"tail.lag": 0.3}}])

    def test_names_of_clips_may_have_any_character(self):
        glb = Glb(self.hero)
        text = self.hero.read_bytes()
        renamed = text.replace(b'"name":"Walk"', b'"name":"A@|k"')  # as long
        self.assertNotEqual(renamed, text)
        self.assertIn("Walk", [clip["name"] for clip in glb.document["animations"]])
        self.hero.write_bytes(renamed)
        recipe, _ = self.run_it("simulate", self.hero, "--part", "tail*=tail", "--clip", "A@|k",
                                "--set", "tail.amount=0.6@A@|k", "--set", "tail.amount=0.1@A@|k@3:9")
        self.assertEqual(recipe["clips"][0]["set"], {"tail.amount": 0.6})
        self.assertEqual(recipe["clips"][0]["edits"][0]["set"], {"tail.amount": 0.1})

    def test_what_is_wrong_is_said(self):
        for option, code, said in (("tail.amount=0.6@Wakl", 3, 'clip "Wakl" is not in the'),
                                   ("tail.amount=0.6@", 2, "has nothing behind its @"),
                                   ("tail.amount=0.6@@10:20", 2, "has nothing behind its @"),
                                   ("nose.amount=0.6@Walk", 3, 'part "nose" does not exist'),
                                   ("tail.amount=99@Walk", 2, "expected 0 to 10"),
                                   ("tail.amount=0.6@Walk@900:990", 2, "meets no clip"),
                                   ("tail.amount=0.6@Walk@20:10", 2, "ends before it begins")):
            for command in (("simulate", self.hero, *TAIL), ("rerun", self.file)):
                result = rigspace(*command, "--set", option)
                self.assertEqual(result.returncode, code, (option, result.stderr))
                self.assertIn(said, result.stderr)
        message = self.fails(2, "rerun", self.file, "--set", "tail.amount=0.6@Walk", "--range", "10:20")
        self.assertIn("tail.amount=0.6@Walk@10:20", message)


if __name__ == "__main__":
    unittest.main()
