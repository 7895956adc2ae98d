"""simulate --on RESULT: what an earlier run wrote is the keyed motion of the next."""
import hashlib
import json
import unittest

from program import AfterAFirstRun, Glb, OwnFolder, apart, make_hero, points, rigspace

TAIL, EARS = ("--part", "tail*=tail"), ("--part", "ear_l*=ear")


def run_well(*arguments):
    result = rigspace(*arguments)
    assert result.returncode == 0, result.stderr
    return result.stdout


def contents(folder, stem, endings):
    return {end: hashlib.sha256((folder / (stem + end)).read_bytes()).hexdigest() for end in endings}


class OnAModel(AfterAFirstRun):
    @classmethod
    def setUpClass(cls):
        cls.begin()
        make_hero(cls.first / "hero.glb")
        run_well("simulate", cls.first / "hero.glb", "--clip", "Walk", *TAIL, "-o", cls.first / "tail.glb")
        run_well("simulate", cls.first / "hero.glb", "--clip", "Walk", "--part", "pelvis,spine*=belly", "-o",
                 cls.first / "belly.glb")

    def setUp(self):
        super().setUp()
        self.hero = self.folder / "hero.glb"

    def on(self, result, *arguments, out="both.glb"):
        return run_well("simulate", self.hero, "--clip", "Walk", "--on", self.folder / result, *arguments, "-o",
                        self.folder / out)

    def test_parts_already_simulated_keep_their_motion(self):
        self.on("tail.glb", *EARS)
        made, before, artists = (Glb(self.folder / name) for name in ("both.glb", "tail.glb", "hero.glb"))
        self.assertEqual([a["name"] for a in made.document["animations"]],
                         [a["name"] for a in artists.document["animations"]] + ["Walk_soft"])
        self.assertEqual(made.channels("Walk"), artists.channels("Walk"))  # the artist's clip stays as it is
        now, then = made.channels("Walk_soft"), before.channels("Walk_soft")

        def changed(a, b):  # by more than numbers do that are read and written again as float32
            return a[0] != b[0] or any(abs(x - y) > 3e-7 for u, v in zip(a[1], b[1]) for x, y in zip(u, v))

        moved = {node for node, path in now if (node, path) not in then or changed(now[node, path], then[node, path])}
        self.assertEqual(moved, {"ear_l_01", "ear_l_02", "ear_l_03"})
        self.assertNotEqual(now["tail_02", "rotation"], artists.channels("Walk").get(("tail_02", "rotation")))

    def test_what_carries_a_part_is_the_earlier_motion(self):
        """Ears on a head that nods in the result, and not in the artist's clip, swing; on the artist's they do so less."""
        nod = {"kind": "rigspace curves", "schema": 1, "clips": [{"name": "Walk_soft", "tracks": [
            {"control": "head.ry", "unit": "degree", "interpolation": "catmull_rom",
             "times": [k / 20 for k in range(21)], "values": [0 if k in (0, 20) else 25 * (-1) ** (k // 4) for k in range(21)]}]}]}
        (self.folder / "nod.rigspace.json").write_text(json.dumps(nod))
        values = ("--set", "ear_l.rate=2", "--set", "ear_l.amount=1", "--loop", "no")
        self.on("nod.rigspace.json", *EARS, *values)
        run_well("simulate", self.hero, "--clip", "Walk", *EARS, *values, "-o", self.folder / "plain.glb")
        most = {}
        for name in ("both", "plain"):
            recipe = json.loads((self.folder / f"{name}.json").read_text())
            most[name] = recipe["clips"][0]["report"][0]["largest"]
        self.assertGreater(most["both"], 1.5 * most["plain"])

    def test_flesh_of_the_result_is_kept_and_more_of_it_added(self):
        words = self.on("belly.glb", "--part", "head*=flesh", "--end", "0.3")
        self.assertIn("soft_flesh_01", words)
        # Where the head's flesh does not reach, the belly moves as it did: the farthest of a few hundred points does.
        model, before = self.folder / "both.glb", self.folder / "belly.glb"
        at = ("--clip", "Walk_soft", "--time", "0.2")
        moved = apart(points(before, self.folder, *at), points(self.hero, self.folder, "--clip", "Walk", "--time", "0.2"))
        off = apart(points(model, self.folder, *at), points(before, self.folder, *at))
        farthest = max(range(len(moved)), key=moved.__getitem__)
        self.assertGreater(moved[farthest], 0.005)
        self.assertLess(off[farthest], 1e-5)

    def test_found_parts_are_those_that_no_earlier_run_moved(self):
        words = self.on("tail.glb", "--end", "0.1")
        self.assertIn("part belly", words)
        self.assertNotIn("part tail", words)
        self.on("both.glb", *EARS, "--end", "0.1", out="third.glb")
        error = self.fails(3, "simulate", self.hero, "--on", self.folder / "both.glb", "-o", self.folder / "x.glb")
        self.assertIn("holds them all", error)

    def test_the_recipe_knows_the_result_by_its_content(self):
        self.on("tail.glb", *EARS)
        recipe = json.loads((self.folder / "both.json").read_text())
        self.assertEqual((recipe["input"]["file"], recipe["on"]["file"]), ("hero.glb", "tail.glb"))
        before = contents(self.folder, "both", (".glb", ".html", ".json"))
        run_well("rerun", self.folder / "both.json")
        self.assertEqual(contents(self.folder, "both", (".glb", ".html", ".json")), before)
        run_well("rerun", self.folder / "tail.json", "--set", "tail.amount=0.5")
        self.assertIn("its content has changed", self.fails(3, "rerun", self.folder / "both.json"))
        run_well("rerun", self.folder / "both.json", "--accept-changed-input")
        (self.folder / "tail.glb").unlink()
        self.assertIn('"tail.glb" does not exist', self.fails(3, "rerun", self.folder / "both.json"))

    def test_what_does_not_fit_gets_one_clear_sentence(self):
        def refused(code, result, out="x.glb", *arguments):
            return self.fails(code, "simulate", self.hero, "--on", self.folder / result, *arguments, "-o",
                              self.folder / out)

        self.assertIn("does not exist", refused(3, "nothing.glb"))
        self.assertIn("is the input itself", refused(2, "tail.glb", "tail.glb"))
        self.assertIn('has no control "', refused(3, self.other()))
        (self.folder / "tail.json").unlink()
        self.assertIn("no recipe beside it", refused(3, "tail.glb"))

    def other(self):
        run_well("cast", "bar", "-o", self.folder / "bar.glb")
        return "bar.glb"


class OnCurves(OwnFolder):
    """A rig file: the result is curves on its own controls."""
    ENDINGS = (".rigspace.json", ".glb", ".html", ".json")

    def setUp(self):
        super().setUp()
        self.bar = self.folder / "bar.rig.json"
        run_well("cast", "bar", "-o", self.bar)

    def simulate(self, part, out, *arguments):
        run_well("simulate", self.bar, "--clip", "Swing", "--loop", "no", "--end", "0.4", "--part", f"{part}=rubber",
                 "--set", "*.rate=4", *arguments, "-o", self.folder / f"{out}.rigspace.json")
        clips = json.loads((self.folder / f"{out}.rigspace.json").read_text())["clips"]
        self.assertEqual([clip["name"] for clip in clips], ["Swing_soft"])
        return {track["control"]: (track["times"], track["values"]) for track in clips[0]["tracks"]}

    def test_a_result_that_is_not_there(self):
        for name in ("nothing.glb", "nothing.rigspace.json"):
            result = rigspace("simulate", self.bar, "--part", "p1=rubber", "--on", self.folder / name)
            self.assertEqual(result.returncode, 3)
            self.assertIn(f"{name}: does not exist", result.stderr)

    def test_the_second_part_is_simulated_on_the_first(self):
        first = self.simulate("p1", "first")
        second = self.simulate("p2", "second", "--on", self.folder / "first.rigspace.json")
        self.assertEqual(second["p1"][0], first["p1"][0])
        for kept, given in zip(second["p1"][1], first["p1"][1], strict=True):
            self.assertAlmostEqual(kept, given, delta=1e-12)  # degrees to radians and back
        self.assertGreater(max(map(abs, second["p2"][1])), 0.05)  # degrees
        alone = self.simulate("p2", "alone")
        self.assertNotIn("p1", alone)
        self.assertNotEqual(alone["p2"], second["p2"])  # it feels what the first one does
        before = contents(self.folder, "second", self.ENDINGS)
        run_well("rerun", self.folder / "second.json")
        self.assertEqual(contents(self.folder, "second", self.ENDINGS), before)
        page = Glb(self.folder / "second.glb")
        self.assertEqual([a["name"] for a in page.document["animations"]], ["Swing", "Swing_soft"])

    def test_a_model_of_joints_is_no_motion_of_the_rig(self):
        self.simulate("p1", "first")
        result = rigspace("simulate", self.bar, "--part", "p3=rubber", "--on", self.folder / "first.glb", "-o",
                          self.folder / "x.rigspace.json")
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("x.rigspace.json", result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
