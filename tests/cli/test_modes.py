"""Few sliders for many controls: `rig modes`, `curves modes`, and a simulation on the sliders."""
import json
import unittest

from program import Glb, OneFolder, apart, height, make_hero, points, rigspace


class Modes(OneFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.rig = cls.folder / "bar.rig.json"
        assert rigspace("cast", "bar", "-o", cls.rig).returncode == 0
        cls.clip = json.loads(rigspace("--json", "info", cls.rig).stdout)["clips"][0]["name"]
        made = rigspace("simulate", cls.rig, "--clip", cls.clip, "--part", "p?=rubber", "-o", cls.folder / "soft.glb")
        assert made.returncode == 0, made.stderr
        cls.curves = cls.folder / "soft.rigspace.json"
        cls.soft = json.loads(cls.curves.read_text())["clips"][0]["name"]
        cls.learn = ("--curves", cls.curves, "--clip", cls.soft, "--base", cls.clip, "--controls", "p?")
        cls.sliders = cls.folder / "bar.modes.rig.json"
        result = rigspace("rig", "modes", cls.rig, *cls.learn, "--count", 2, "--name", "bar_mode", "-o", cls.sliders,
                          "--json")
        assert result.returncode == 0, result.stderr
        cls.answer = json.loads(result.stdout)

    def points(self, file, *arguments):
        return points(file, self.folder, *arguments)

    def test_sliders_come_with_limits_and_a_group_strongest_first(self):
        modes = self.answer["modes"]
        self.assertEqual([m["name"] for m in modes], ["bar_mode_1", "bar_mode_2"])
        self.assertGreater(modes[0]["share"], modes[1]["share"])
        self.assertLessEqual(self.answer["share"], 1)
        controls = {c["name"]: c for c in json.loads(rigspace("--json", "info", self.sliders).stdout)["controls"]}
        self.assertEqual(controls["bar_mode_1"]["min"], modes[0]["min"])
        self.assertLess(controls["bar_mode_1"]["min"], 0)
        self.assertGreater(controls["bar_mode_1"]["max"], 0)
        check = rigspace("--json", "rig", "check", self.sliders, "--poses", 2)
        self.assertEqual(check.returncode, 0, check.stderr)
        self.assertEqual(json.loads(check.stdout)["without_effect"], [])

    def test_nothing_moves_before_a_slider_does(self):
        for pose in ((), ("--clip", self.clip, "--time", "0.4"), ("--set", "p2=0.1", "--set", "p3=-0.05")):
            self.assertEqual(self.points(self.rig, *pose), self.points(self.sliders, *pose), pose)
        moved = self.points(self.sliders, "--set", f"bar_mode_1={self.answer['modes'][0]['max']}")
        self.assertGreater(max(apart(self.points(self.rig), moved)), 1e-3)

    def test_the_clip_on_the_sliders_is_the_simulated_one(self):
        # Named under "clips", the simulated clip plays on the new rig too.
        text = json.loads(self.sliders.read_text())
        self.assertIn("bar.modes.rigspace.json", text["clips"])
        text["clips"].append(self.curves.name)
        both = self.folder / "both.rig.json"
        both.write_text(json.dumps(text))
        for time in (0, 0.3, 0.7):
            a = self.points(both, "--clip", self.soft, "--time", time)
            b = self.points(both, "--clip", self.soft + "_modes", "--time", time)
            self.assertLess(max(apart(a, b)), 1e-9)

    def test_simulates_on_the_sliders(self):
        out = self.folder / "few.glb"
        made = rigspace("simulate", self.sliders, "--clip", self.clip, "--part", "bar_mode*=rubber", "-o", out)
        self.assertEqual(made.returncode, 0, made.stderr)
        clip = json.loads((self.folder / "few.rigspace.json").read_text())["clips"][0]
        moved = {t["control"] for t in clip["tracks"] if max(t["values"]) - min(t["values"]) > 1e-6}
        self.assertTrue({"bar_mode_1", "bar_mode_2"} <= moved, moved)

    def edited(self, *scales):
        out = self.folder / "edited.rigspace.json"
        result = rigspace("curves", "modes", self.curves, "--rig", self.rig, "--clip", self.soft, "--base", self.clip,
                          "--controls", "p?", *(x for s in scales for x in ("--scale", s)), "-o", out, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        clip = json.loads(out.read_text())["clips"][0]
        return json.loads(result.stdout), {t["control"]: t for t in clip["tracks"]}

    def test_a_mode_can_be_made_stronger_and_back(self):
        before = {t["control"]: t for t in json.loads(self.curves.read_text())["clips"][0]["tracks"]}
        answer, same = self.edited("1=1")
        for x, y in zip(same["p2"]["values"], before["p2"]["values"]):
            self.assertAlmostEqual(x, y, delta=1e-12)  # an angle: degrees in the file, the last digit may differ
        self.assertEqual(answer["change_percent"], 0)
        answer, stronger = self.edited("1=1.5")
        self.assertGreater(answer["change_percent"], 0.05)
        self.assertAlmostEqual(sum(answer["shares"]), 1, places=9)  # of four controls all four are found
        # All modes by one factor: the deviation by this factor, exactly; the base does not key these controls.
        _, doubled = self.edited("1=2", "2=2", "3=2", "4=2")
        rest = {c["name"]: c["rest"] for c in json.loads(rigspace("--json", "info", self.rig).stdout)["controls"]}
        base = {t["control"] for c in json.loads((self.folder / "bar.rigspace.json").read_text())["clips"]
                for t in c["tracks"]}
        for name in ("p1", "p2", "p3", "p4"):
            self.assertNotIn(name, base)
            for x, y in zip(before[name]["values"], doubled[name]["values"]):
                self.assertAlmostEqual(y - rest[name], 2 * (x - rest[name]), delta=1e-12)

    def test_orientations_of_a_skeleton_too(self):
        hero = self.folder / "hero.glb"
        make_hero(hero)
        soft = self.folder / "hero.soft.glb"
        made = rigspace("simulate", hero, "--clip", "Walk", "--part", "tail*=tail", "-o", soft)
        self.assertEqual(made.returncode, 0, made.stderr)
        out = self.folder / "calm.glb"
        scales = [x for k in range(1, 7) for x in ("--scale", f"{k}=0")]
        result = rigspace("curves", "modes", soft, "--clip", "Walk_soft", "--base", "Walk", "--controls", "tail*",
                          "--name", "Calm", *scales, "-o", out, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        share = sum(json.loads(result.stdout)["shares"])
        self.assertGreater(share, 0.9)
        # Without its six modes hardly anything of the swing is left, and the tail is the only thing that changed.
        size = height(self.points(out))
        swing = rest = 0
        for time in (0.2, 0.5, 0.8):
            walk, soft_at, calm = (self.points(out, "--clip", c, "--time", time) for c in ("Walk", "Walk_soft", "Calm"))
            swing = max(swing, max(apart(walk, soft_at)) / size)
            rest = max(rest, max(apart(walk, calm)) / size)
        self.assertGreater(swing, 0.005)
        self.assertLess(rest, 0.3 * swing)
        tracks, before = Glb(out).channels("Calm"), Glb(out).channels("Walk_soft")
        for key in before:
            if "tail" not in key[0]:
                self.assertEqual(tracks[key][0], before[key][0])
                for x, y in zip(tracks[key][1], before[key][1]):
                    self.assertLess(max(abs(a - b) for a, b in zip(x, y)), 1e-6)  # written as floats of unit length

    def test_mistakes_are_one_sentence(self):
        out = self.folder / "wrong.rig.json"
        for arguments, words in (
            (("rig", "modes", self.rig, *self.learn[:-1], "nobody*", "-o", out), "matches no control"),
            (("rig", "modes", self.rig, *self.learn[:2], "--clip", "Wlk", *self.learn[-2:], "-o", out), "is not there"),
            (("rig", "modes", self.rig, *self.learn, "-o", self.folder / "x.glb"), ".rig.json"),
            (("rig", "modes", self.rig, *self.learn, "-o", self.folder / "sub" / "x.rig.json"), "not in the folder"),
            (("rig", "modes", self.sliders, *self.learn, "--name", "bar_mode", "-o", out), "has the name of a control"),
            (("rig", "modes", self.rig, "--clip", self.clip, "--controls", "p?", "-o", out), "moves none"),
            (("curves", "modes", self.curves, "--controls", "p?", "--scale", "1=2", "-o", out), "--rig"),
            (("curves", "modes", self.curves, "--rig", self.rig, "--controls", "p?", "--scale", "9=2", "-o",
              self.folder / "x.rigspace.json"), "names no mode"),
            (("curves", "modes", self.curves, "--rig", self.rig, "--controls", "p?", "--scale", "2", "-o",
              self.folder / "x.rigspace.json"), "MODE=FACTOR"),
        ):
            result = rigspace(*arguments)
            self.assertIn(result.returncode, (2, 3), (arguments, result.stdout, result.stderr))
            self.assertIn(words, result.stderr)
            self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
            self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main()
