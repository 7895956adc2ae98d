"""Parts that run into things: simulate --collide."""
import json
import unittest

from program import OneHero, points, rigspace


class Collisions(OneHero):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # A ball in front of the belly, a fifth of the height across, that reaches 5 % of the height into it.
        rest = points(cls.hero, cls.folder, "--clip", "Idle", "--time", "0")
        cls.height = max(rest[1::3]) - min(rest[1::3])
        middle = min(rest[1::3]) + 0.35 * cls.height
        front = max(rest[i + 2] for i in range(0, len(rest), 3)
                    if abs(rest[i]) < 0.05 * cls.height and abs(rest[i + 1] - middle) < 0.05 * cls.height)
        cls.radius = 0.1 * cls.height
        cls.center = (0.0, middle, front + cls.radius - 0.05 * cls.height)
        cls.ball = "sphere:" + ",".join(f"{value:.6f}" for value in (*cls.center, cls.radius))

    def simulate(self, out, *options):
        result = rigspace("simulate", self.hero, "--clip", "Idle", "--end", "1.2", "--part", "pelvis,spine*=belly", *options,
                          "-o", self.folder / out, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.folder / out

    def depth(self, file):
        """How deep the deepest point is in the ball, halfway through the clip."""
        x = points(file, self.folder, "--clip", "Idle_soft", "--time", "1.0")
        return max(self.radius - sum((x[i + k] - self.center[k]) ** 2 for k in range(3)) ** 0.5 for i in range(0, len(x), 3))

    def test_a_ball_dents_the_belly_and_a_rerun_gives_the_same_bytes(self):
        free, dented = self.simulate("free.glb"), self.simulate("dented.glb", "--collide", self.ball, "--friction", "0.5")
        self.assertGreater(self.depth(free), 0.035 * self.height)
        self.assertLess(self.depth(dented), 0.02 * self.height)
        options = json.loads((self.folder / "dented.json").read_text())["options"]
        self.assertEqual((options["collide"], options["friction"]), ([self.ball], 0.5))
        self.assertNotIn("collide", json.loads((self.folder / "free.json").read_text())["options"])
        again = rigspace("rerun", self.folder / "dented.json", "-o", self.folder / "again.glb")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.depth(self.folder / "again.glb"), self.depth(dented))

    def test_the_depth_that_is_left_is_told(self):
        out = self.simulate("told.glb", "--collide", self.ball)
        report = json.loads((self.folder / "told.json").read_text())["clips"][0]["report"][0]
        self.assertGreater(report["deepest"], 0)
        self.assertLess(report["deepest"], 0.05 * self.height)  # so deep it was put
        self.assertTrue(0 <= report["deepest_at_s"] <= 1.2)
        self.assertLess(self.depth(out), 1.5 * report["deepest"] + 0.005 * self.height)
        again = rigspace("rerun", self.folder / "told.json", "-o", self.folder / "told.again.glb")
        self.assertIn(f"at most {report['deepest']:.2g} units deep in what it runs into", again.stdout)
        free = json.loads((self.simulate("alone.glb").parent / "alone.json").read_text())
        self.assertNotIn("deepest", free["clips"][0]["report"][0])

    def test_parts_that_were_simulated_before_are_felt(self):
        recipe = json.loads(self.simulate("parts.glb", "--collide", "parts").with_suffix(".json").read_text())
        self.assertEqual(recipe["options"]["collide"], ["parts"])

    def test_what_is_no_collider_is_refused(self):
        for word, text in (("wall", "is no shape"), ("sphere:1,2,3", "3 numbers"), ("missing.glb", "does not exist")):
            result = rigspace("simulate", self.hero, "--collide", word, "-o", self.folder / "x.glb")
            self.assertIn(result.returncode, (2, 3))
            self.assertIn(text, result.stderr)
            self.assertFalse((self.folder / "x.glb").exists())


if __name__ == "__main__":
    unittest.main()
