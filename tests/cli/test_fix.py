"""The artist's corrections on top of the simulated layer: read, written, kept by reruns, refused."""
import json
import math
import unittest

from program import AfterAHerosRun, Glb, rigspace

TAIL = ("--part", "tail*=tail", "--clip", "Walk")  # one chain: quick
BUMP = [[0.2, 0, 0, 0], [0.4, 12, 0, 0], [0.6, 0, 0, 0]]  # degrees, up and back


def product(a, b):
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


def turned(degrees):
    """exp(r) as a quaternion x y z w."""
    r = [math.radians(d) for d in degrees]
    angle = math.sqrt(sum(x * x for x in r))
    return tuple(math.sin(angle / 2) / angle * x for x in r) + (math.cos(angle / 2),) if angle else (0, 0, 0, 1)


def off(a, b):
    """How far two rotations are apart: 0 for q and -q."""
    return min(max(abs(x - s * y) for x, y in zip(a, b)) for s in (1, -1))


def angle(a, b):
    """Degrees between two rotations; 0 where they are the same numbers."""
    return 0 if a == b else 2 * math.degrees(math.acos(min(1, abs(sum(x * y for x, y in zip(a, b))))))


def bump(t):
    """The value of BUMP, a cubic with flat keys."""
    u = 1 - abs(t - 0.4) / 0.2
    return 12 * u * u * (3 - 2 * u) if u > 0 else 0


class Fix(AfterAHerosRun):
    @classmethod
    def setUpClass(cls):
        _, cls.plain = cls.begin(*TAIL)

    def setUp(self):
        super().setUp()
        self.edits = self.folder / "edits.json"

    def write(self, *clips):
        self.edits.write_text(json.dumps({"kind": "rigspace fix", "schema": 1, "clips": clips}))

    def rotation(self, node, clip="Walk_soft"):
        times, values = Glb(self.folder / "hero.soft.glb").channels(clip)[(node, "rotation")]
        return [time for time, in times], values

    def test_the_clip_is_artist_plus_influence_times_soft_plus_fix(self):
        self.write({"clip": "Walk", "influence": 0.5, "curves": {"tail_03.ry": BUMP}})
        before, words = self.run_it("simulate", self.hero, *TAIL, "--fix", self.edits)
        self.assertIn("  1 control corrected on top, with 3 keys; 50 % of the simulated layer", words)
        self.assertEqual(before["clips"][0]["curves"], self.plain["clips"][0]["curves"], "the recipe keeps the layer as it was")
        grid = before["clips"][0]["times"]
        layer = {curve["control"]: curve["values"] for curve in before["clips"][0]["curves"]}
        hero = Glb(self.hero)
        rest = hero.document["nodes"][hero.names.index("tail_03")].get("rotation", (0, 0, 0, 1))
        keyed = hero.channels("Walk").get(("tail_03", "rotation"))
        self.assertIsNone(keyed, "the tail is at rest in the artist's clip")
        compared = 0
        for time, q in zip(*self.rotation("tail_03")):
            at = min(range(len(grid)), key=lambda k: abs(grid[k] - time))
            if abs(grid[at] - time) > 1e-6:
                continue  # between two moments of the physics' grid
            r = [0.5 * layer[f"tail_03.r{axis}"][at] for axis in "xyz"]
            r[1] += bump(time)
            self.assertLess(off(product(rest, turned(r)), q), 2e-6)
            compared += 1
        self.assertGreater(compared, 5)

    def test_a_rerun_keeps_it_and_replaces_the_simulated_layer_alone(self):
        self.write({"clip": "Walk", "curves": {"tail_03.ry": BUMP}})
        recipe, _ = self.run_it("simulate", self.hero, *TAIL, "--fix", self.edits)
        self.assertEqual(recipe["clips"][0]["fix"], {"curves": {"tail_03.ry": BUMP}})
        self.edits.unlink()  # the recipe has all of it
        whole = self.contents()
        self.run_it("rerun", self.file)
        self.assertEqual(self.contents(), whole)
        recipe, _ = self.run_it("rerun", self.file, "--set", "tail.amount=0.5")
        self.assertEqual(recipe["clips"][0]["fix"], {"curves": {"tail_03.ry": BUMP}})
        self.assertNotEqual(recipe["clips"][0]["curves"], self.plain["clips"][0]["curves"])
        fixed = self.rotation("tail_03")
        self.run_it("rerun", self.file, "--fix", "none")
        apart = {round(t, 4): angle(a, b) for t, a, b in zip(*fixed, self.rotation("tail_03")[1])}
        self.assertAlmostEqual(apart[0.4], 12, delta=0.1, msg="nearly: the two rotation vectors are not parallel")
        self.assertEqual(max(d for t, d in apart.items() if t < 0.19 or t > 0.61), 0)

    def test_it_is_put_on_and_taken_off_without_simulating(self):
        plain = self.contents()
        self.write({"clip": "Walk", "curves": {"tail_03.ry": BUMP}})
        self.run_it("rerun", self.file, "--fix", self.edits)
        fixed = self.contents()
        self.assertNotEqual(fixed, plain)
        recipe, _ = self.run_it("simulate", self.hero, *TAIL, "--fix", self.edits)
        self.assertEqual(self.contents(), fixed, "simulate --fix writes what rerun --fix does")
        recipe["clips"][0]["curves"][0]["values"][7] += 25  # no simulation would give that
        self.file.write_text(json.dumps(recipe))
        again, _ = self.run_it("rerun", self.file, "--fix", "none")
        self.assertEqual(again["clips"][0]["curves"], recipe["clips"][0]["curves"])
        self.assertNotIn("fix", again["clips"][0])
        self.file.write_bytes(fixed["hero.soft.json"])
        self.run_it("rerun", self.file, "--fix", "none")
        self.assertEqual(self.contents(), plain)

    def test_the_layer_can_be_muted(self):
        self.write({"clip": "Walk", "mute": True})
        self.assertIn("\n  the simulated layer is muted\n", self.run_it("rerun", self.file, "--fix", self.edits)[1])
        self.write({"clip": "Walk", "mute": True, "curves": {"tail_03.ry": BUMP}})
        _, words = self.run_it("rerun", self.file, "--fix", self.edits)
        self.assertIn("with 3 keys; the simulated layer is muted", words)
        hero = Glb(self.hero)
        rest = {name: hero.document["nodes"][hero.names.index(name)].get("rotation", (0, 0, 0, 1)) for name in ("tail_02", "tail_03")}
        self.assertLess(max(off(rest["tail_02"], q) for q in self.rotation("tail_02")[1]), 1e-6)
        for time, q in zip(*self.rotation("tail_03")):
            self.assertLess(off(product(rest["tail_03"], turned((0, bump(time), 0))), q), 2e-6)

    def test_what_is_not_simulated_is_corrected_too(self):
        hero = Glb(self.hero)
        node = next(node for (node, path) in hero.channels("Walk") if path == "rotation")
        self.write({"clip": "Walk", "curves": {f"{node}.rx": BUMP}})
        self.run_it("rerun", self.file, "--fix", self.edits)
        glb = Glb(self.folder / "hero.soft.glb")
        self.assertEqual(glb.channels("Walk"), hero.channels("Walk"), "the artist's clip stays")
        times, artists = hero.channels("Walk")[(node, "rotation")]
        known = {round(time, 4): q for (time,), q in zip(times, artists)}
        compared = 0
        for time, q in zip(*self.rotation(node)):
            if round(time, 4) in known:
                self.assertLess(off(product(known[round(time, 4)], turned((bump(time), 0, 0))), q), 2e-6)
                compared += 1
        self.assertGreater(compared, 5)

    def test_a_loop_stays_closed(self):
        self.write({"clip": "Walk", "curves": {"tail_03.ry": [[0, 10, 30, 30], [0.5, -5, 0, 0]], "tail_02.ry": BUMP}})
        self.assertTrue(self.plain["clips"][0]["loop"])
        _, words = self.run_it("rerun", self.file, "--fix", self.edits)
        self.assertIn("ends drawn to the start, since the clip loops: tail_03.ry\n", words)
        for node in ("tail_02", "tail_03"):
            values = self.rotation(node)[1]
            self.assertEqual(values[0], values[-1])
        checked = rigspace("check", self.hero, self.folder / "hero.soft.glb", "--json")
        self.assertEqual(checked.returncode, 0, checked.stderr + checked.stdout)
        seams = [clip["seam_percent"] for clip in json.loads(checked.stdout)["clips"]]
        self.assertEqual(len(seams), 1)
        self.assertLess(seams[0], 1e-9)  # rounding of the skin

    def test_what_is_wrong_is_said(self):
        cases = (({"clip": "Wakl"}, 'clip "Wakl" is not in the character; did you mean "Walk"'),
                 ({"clip": "Walk", "curves": {"tail_3.ry": BUMP}}, 'control "tail_3.ry" does not exist; did you mean "tail_03.ry"'),
                 ({"clip": "Walk", "curves": {"tail_03.qx": BUMP}}, "tail_03.rx, .ry and .rz"),
                 ({"clip": "Walk", "curves": {"tail_03.ry": [[0, 1], [99, 0]]}}, "has a key at 99 s; the clip is from 0 to"),
                 ({"clip": "Walk", "curves": {"tail_03.ry": [[0, 1, 2]]}}, "is no key; expected [time, value]"),
                 ({"clip": "Walk", "influence": 2}, "influence is 2"),
                 ({"clip": "Walk", "influenze": 1}, "influence"))
        for clip, said in cases:
            self.write(clip)
            for command in (("simulate", self.hero, *TAIL), ("rerun", self.file)):
                message = self.fails(3, *command, "--fix", self.edits)
                self.assertIn(said, message)
                self.assertIn("edits.json", message)
        self.assertIn("is no file of corrections", self.fails(3, "rerun", self.file, "--fix", self.file))
        self.assertIn("nowhere.json", self.fails(3, "rerun", self.file, "--fix", self.folder / "nowhere.json"))
        self.write({"clip": "Walk"})
        self.assertIn("is of one character", self.fails(2, "simulate", self.hero, self.hero, "--fix", self.edits))

    def test_corrections_of_other_clips_are_said_to_be_unused(self):
        self.write({"clip": "Hop", "mute": True})
        _, words = self.run_it("simulate", self.hero, *TAIL, "--fix", self.edits)
        self.assertIn('the corrections of clip "Hop" are not used, since it is not simulated', words)


if __name__ == "__main__":
    unittest.main()
