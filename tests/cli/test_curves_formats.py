"""Curves for other programs, out of `rigspace convert`: read back here by small readers of their own."""
import csv
import json
import math
import pathlib
import re
import unittest

from program import OneHero, apart, asset, glb_json, height, points, rigspace

BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 0 1 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Spine
  {
    OFFSET 0 0.5 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 0.5 0
    }
  }
}
MOTION
Frames: 3
Frame Time: .0333333
0 1 0 0 0 0 0 0 0
0 1 0.1 10 0 20 0 30 0
0 1 0.2 20 0 40 0 60 0
"""


def usda_samples(text):
    """The lists of every attribute with time samples, by attribute and time; fails on brackets that do not pair."""
    pairs = {")": "(", "]": "[", "}": "{"}
    open_ones = []
    for c in re.sub(r'"[^"]*"', "", text):
        if c in "([{":
            open_ones.append(c)
        elif c in pairs:
            assert open_ones.pop() == pairs[c]
    assert not open_ones
    samples = {}
    for attribute, body in re.findall(r"(\w+)\.timeSamples = \{(.*?)\n\s*\}", text, re.S):
        samples[attribute] = {}
        for time, values in re.findall(r"^\s*(\d+): \[(.*)\],$", body, re.M):
            numbers = [float(x) for x in re.findall(r"[-\d.e+]+", values)]
            samples[attribute][int(time)] = numbers
    return samples


class CurveFormats(OneHero):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.bvh = cls.folder / "small.bvh"
        cls.bvh.write_text(BVH)

    def convert(self, file, name, *arguments):
        out = self.folder / name
        result = rigspace("convert", file, "-o", out, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.strip(), str(out))
        return out

    def fails(self, code, *arguments):
        before = sorted(self.folder.rglob("*"))
        result = rigspace(*arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        self.assertEqual(sorted(self.folder.rglob("*")), before)
        return result.stderr.strip()

    def test_usda_has_every_joint_at_every_frame(self):
        text = self.convert(self.hero, "walk.usda", "--clip", "Walk").read_text()
        self.assertTrue(text.startswith("#usda 1.0\n"))
        joints = re.findall(r'"([^"]*)"', re.search(r"token\[\] joints = \[(.*?)\]", text).group(1))
        for joint in joints:
            self.assertRegex(joint, r"^[A-Za-z_]\w*(/[A-Za-z_]\w*)*$")
            parent = joint.rpartition("/")[0]
            self.assertTrue(not parent or parent in joints)  # parents are joints too
        for matrices in ("bindTransforms", "restTransforms"):
            self.assertEqual(re.search(matrices + r" = (.*)", text).group(1).count("( ("), len(joints))
        last = int(re.search(r"endTimeCode = (\d+)", text).group(1))
        self.assertEqual(re.search(r"timeCodesPerSecond = (.*)", text).group(1), "30")
        samples = usda_samples(text)
        for attribute, width in (("translations", 3), ("rotations", 4), ("scales", 3)):
            self.assertEqual(sorted(samples[attribute]), list(range(last + 1)))
            for numbers in samples[attribute].values():
                self.assertEqual(len(numbers), width * len(joints))
        for numbers in samples["rotations"].values():
            for k in range(0, len(numbers), 4):
                self.assertAlmostEqual(math.hypot(*numbers[k : k + 4]), 1, 6)

    def test_csv_adds_up(self):
        walk = self.convert(self.hero, "walk.csv", "--clip", "Walk", "--fps", "12")
        rows = list(csv.DictReader(walk.read_text().splitlines()))
        self.assertEqual(list(rows[0]), ["time_s", "frame", "control", "unit", "base", "delta"])
        self.assertEqual({row["delta"] for row in rows}, {"0"})
        self.assertEqual({int(row["frame"]) for row in rows}, set(range(13)))
        against = self.convert(self.hero, "hop.csv", "--clip", "Hop", "--base", "Walk", "--fps", "12")
        self.assertNotEqual({row["delta"] for row in csv.DictReader(against.read_text().splitlines())}, {"0"})

    def test_atom_is_balanced_and_its_keys_increase(self):
        text = self.convert(self.hero, "walk.atom", "--clip", "Walk").read_text()
        self.assertEqual(text.count("{"), text.count("}"))
        for line in text.splitlines():
            self.assertTrue(line.endswith((";", "{", "}")), line)
        blocks = re.findall(r"anim (\S+) (\S+) (\d+);\n  animData \{(.*?)keys \{\n(.*?)    \}", text, re.S)
        self.assertGreater(len(blocks), 50)
        for path, leaf, _, head, keys in blocks:
            self.assertEqual(path.split(".")[-1], leaf)
            self.assertIn("input time;", head)
            times = [float(line.split()[0]) for line in keys.strip().splitlines()]
            self.assertEqual(times, sorted(set(times)))
            if "rotate" in path:
                self.assertEqual(times, list(range(31)))  # a key a frame

    def test_chan_says_its_columns_beside_it(self):
        chan = self.convert(self.hero, "walk.chan", "--clip", "Walk")
        rows = [line.split("\t") for line in chan.read_text().splitlines()]
        names = [line for line in pathlib.Path(f"{chan}.txt").read_text().splitlines() if not line.startswith("#")]
        self.assertEqual(len(rows), 31)
        self.assertEqual({len(row) for row in rows}, {len(names)})

    def test_curves_hold_all_clips_or_one(self):
        every = json.loads(self.convert(self.hero, "all.rigspace.json").read_text())
        self.assertEqual(every["kind"], "rigspace curves")
        clips = json.loads(rigspace("info", self.hero, "--json").stdout)["clips"]
        self.assertEqual([clip["name"] for clip in every["clips"]], [clip["name"] for clip in clips])
        one = json.loads(self.convert(self.hero, "one.rigspace.json", "--clip", "Hop").read_text())
        self.assertEqual([clip["name"] for clip in one["clips"]], ["Hop"])

    def test_bvh_becomes_a_character_and_comes_back(self):
        glb = self.convert(self.bvh, "small.glb")
        document = glb_json(glb)
        self.assertEqual([animation["name"] for animation in document["animations"]], ["small"])
        self.assertEqual(len(document["skins"][0]["joints"]), 3)  # the end site too
        moment = ("--clip", "small", "--time", "0.0666666666666")
        before, after = points(self.bvh, self.folder, *moment), points(glb, self.folder, *moment)
        self.assertLess(max(apart(before, after)), 1e-6)
        back = self.convert(glb, "back.bvh").read_text()
        self.assertIn("CHANNELS 3 Zrotation Xrotation Yrotation", back)
        self.assertEqual(back.count("End Site"), 1)
        again = self.convert(self.folder / "back.bvh", "again.bvh").read_text()
        self.assertEqual(again, back)
        self.assertEqual(rigspace("view", self.bvh, "-o", self.folder / "small.html").returncode, 0)

    def test_real_motions_move_alike_in_both_files(self):
        path = asset("cmu_bvh_dev/16_01.bvh")
        if path is None:
            self.skipTest("asset cmu_bvh_dev is absent")
        glb = self.convert(path, "jump.glb")
        for time in ("0", "1", "2.5"):
            moment = ("--clip", "16_01", "--time", time)
            before, after = points(path, self.folder, *moment), points(glb, self.folder, *moment)
            self.assertLess(max(apart(before, after)), 1e-5 * height(before))
        rewritten = self.convert(path, "rewritten.bvh").read_text()
        self.assertEqual(self.convert(self.folder / "rewritten.bvh", "twice.bvh").read_text(), rewritten)

    def test_wrong_wishes_get_one_sentence(self):
        out = self.folder / "x.bvh"
        self.assertIn("name one with --clip: ", self.fails(2, "convert", self.hero, "-o", out))
        self.assertIn("Walk", self.fails(3, "convert", self.hero, "--clip", "Wlak", "-o", out))
        self.assertIn(".rigspace.json", self.fails(2, "convert", self.hero, "-o", self.folder / "x.dae"))
        self.assertIn("is the input itself", self.fails(2, "convert", self.bvh, "-o", self.bvh))
        self.assertIn("--base has no effect here", self.fails(2, "convert", self.bvh, "--base", "a", "-o", out))
        self.assertIn("--clip has no effect here", self.fails(2, "convert", self.hero, "--clip", "Walk", "-o", self.folder / "x.glb"))
        broken = self.folder / "broken.bvh"
        broken.write_text(BVH.replace("CHANNELS 3", "CHANNELS 5"))
        sentence = self.fails(3, "info", broken)
        broken.unlink()
        self.assertTrue(sentence.endswith('broken.bvh:9: joint "Spine" has 5 channels; expected 3 or 6'), sentence)


if __name__ == "__main__":
    unittest.main()
