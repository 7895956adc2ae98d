"""What simulate leaves on a character with flesh: soft joints, untouched clips, loops, and the same motion at any rate."""
import json
import re
import unittest

from program import Glb, OneHero, apart, asset, height, points, rigspace


class Simulated(OneHero):
    @classmethod
    def simulate(cls, out, *options, file=None):
        """The path of the result, and the answer's only clip."""
        result = rigspace("simulate", file or cls.hero, *options, "-o", cls.folder / out, "--json")
        assert result.returncode == 0, result.stderr
        return cls.folder / out, json.loads(result.stdout)["clips"][0]

    def at(self, file, clip, time):
        return points(file, self.folder, "--clip", clip, "--time", repr(time))


class TheFirstResult(Simulated):
    """No options but the clip."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.soft, cls.clip = cls.simulate("hero.soft.glb", "--clip", "Walk")
        cls.before, cls.after = Glb(cls.hero), Glb(cls.soft)
        cls.added = cls.after.names[len(cls.before.names) :]
        cls.parents = {cls.after.names[child]: node["name"]
                       for node in cls.after.document["nodes"] for child in node.get("children", [])}

    def test_parts_are_found(self):
        found = {part["name"]: part["preset"] for part in self.clip["parts"]}
        self.assertEqual(found, {"tail": "tail", "ear_l": "ear", "ear_r": "ear", "belly": "belly"})

    def test_every_part_moves_as_much_as_it_should(self):
        # Tips by 5 to 20 degrees, flesh by 4 to 8 % of its size on a walk; 2 % of slack, since rates are searched for with coarse steps.
        for part in self.clip["parts"]:
            swing, least, most = (part["swing_percent"], 4, 8) if part["preset"] == "belly" else (part["swing_deg"], 5, 20)
            self.assertGreaterEqual(swing, 0.98 * least, part)
            self.assertLessEqual(swing, 1.02 * most, part)

    def test_soft_joints_are_new_leaves_on_the_artists_bones(self):
        self.assertIn(len(self.added), range(1, 25))
        for number, name in enumerate(self.added, 1):
            self.assertEqual(name, f"soft_belly_{number:02}")
        for old, new in zip(self.before.document["nodes"], self.after.document["nodes"]):
            kept = [self.after.names[child] for child in new.get("children", [])]
            artists = [self.before.names[child] for child in old.get("children", [])]
            self.assertEqual(kept[: len(artists)], artists)
            self.assertTrue(set(kept[len(artists) :]) <= set(self.added))
            self.assertEqual({k: v for k, v in new.items() if k != "children"}, {k: v for k, v in old.items() if k != "children"})
        for node in self.after.document["nodes"][len(self.before.names) :]:
            self.assertTrue(set(node) <= {"name", "translation", "rotation"}, node)
            self.assertRegex(self.parents[node["name"]], r"^(pelvis|spine_\d+)$")

    def test_the_skin_gains_joints_at_its_end(self):
        [old], [new] = self.before.document["skins"], self.after.document["skins"]
        self.assertEqual(new["joints"][: len(old["joints"])], old["joints"])
        self.assertEqual([self.after.names[joint] for joint in new["joints"][len(old["joints"]) :]], self.added)
        matrices = self.after.rows(new["inverseBindMatrices"])
        self.assertEqual(len(matrices), len(new["joints"]))
        self.assertEqual(matrices[: len(old["joints"])], self.before.rows(old["inverseBindMatrices"]))

    def test_a_soft_joint_takes_weight_from_its_parent_alone(self):
        touched = 0
        for old, new in zip(self.before.influences(), self.after.influences()):
            self.assertLessEqual(len(new), 4)
            given_back = {}
            for joint, weight in new.items():
                bone = self.parents[joint] if joint in self.added else joint
                given_back[bone] = given_back.get(bone, 0) + weight
            touched += any(joint in self.added for joint in new)
            for bone in set(old) | set(given_back):  # sums of four single-precision weights
                self.assertAlmostEqual(given_back.get(bone, 0), old.get(bone, 0), delta=4e-7)
        self.assertGreater(touched, 100)

    def test_the_artists_clips_are_the_same_to_the_bit(self):
        for clip in ("Walk", "Hop", "Idle"):
            self.assertEqual(self.after.channels(clip), self.before.channels(clip))
        count = len(self.before.document["animations"])
        self.assertEqual(self.after.document["animations"][:count], self.before.document["animations"])
        self.assertEqual([a["name"] for a in self.after.document["animations"][count:]], ["Walk_soft"])

    def test_muted_the_character_is_the_original(self):
        for time in (0.0, 0.3, 0.7):
            original = self.at(self.hero, "Walk", time)
            self.assertLess(max(apart(original, self.at(self.soft, "Walk", time))), 1e-6 * height(original))

    def test_what_hangs_on_other_joints_stays(self):
        moving = re.compile(r"(tail|ear_[lr]|soft_belly)_\d\d")
        still = [k for k, vertex in enumerate(self.after.influences()) if not any(map(moving.fullmatch, vertex))]
        self.assertGreater(len(still), 1000)
        for time in (0.1, 0.6):  # at keys: feet, hands and face to rounding
            original, moved = self.at(self.hero, "Walk", time), self.at(self.soft, "Walk_soft", time)
            distances = apart(original, moved)
            self.assertLess(max(distances[k] for k in still), 1e-6 * height(original))
            self.assertGreater(max(distances), 0.01 * height(original))

    def test_a_loop_ends_in_its_first_key(self):
        self.assertTrue(self.clip["loop"])
        self.assertLess(self.clip["seam"], 1e-3)
        artists, channels = self.before.channels("Walk"), self.after.channels("Walk_soft")
        for target, (times, values) in channels.items():
            if target == ("root", "translation"):  # walks on: the clip loops modulo this
                self.assertEqual((times, values), artists[target])
                continue
            self.assertEqual(values[0], values[-1], target)
            self.assertEqual((times[0], times[-1]), (artists["root", "translation"][0][0], artists["root", "translation"][0][-1]))

    def test_a_loop_that_ends_a_rounding_after_a_frame_ends_in_its_first_key(self):
        file, _ = self.simulate("hop.glb", "--clip", "Hop", "--part", "tail*=tail")  # 1.6 s, in floats a little more
        for (node, path), (times, values) in Glb(file).channels("Hop_soft").items():
            if node.startswith("tail"):
                self.assertEqual(values[0], values[-1], (node, path))
                self.assertGreater(times[-1][0] - times[-2][0], 0.01)

    def test_rotations_take_the_short_way(self):
        for (node, path), (_, values) in self.after.channels("Walk_soft").items():
            if path == "rotation":
                for a, b in zip(values, values[1:]):
                    self.assertGreater(sum(x * y for x, y in zip(a, b)), 0, node)

    def test_the_frame_rate_does_not_enter_flesh(self):
        at_24, _ = self.simulate("at_24.glb", "--clip", "Walk", "--fps", "24")
        for time in (1 / 6, 0.5, 5 / 6):  # keys of both, 24 and 30 a second
            ours, others = self.at(self.soft, "Walk_soft", time), self.at(at_24, "Walk_soft", time)
            self.assertLess(max(apart(ours, others)), 1e-3 * height(ours))


    def test_a_rerun_gives_the_same_bytes_and_other_values_change_their_part_alone(self):
        results = [self.soft.with_suffix(kind) for kind in (".glb", ".html", ".json")]
        before = [path.read_bytes() for path in results]
        self.assertEqual(rigspace("rerun", results[2]).returncode, 0)
        self.assertEqual([path.read_bytes() for path in results], before)
        other = self.folder / "other.glb"
        result = rigspace("rerun", results[2], "--set", "belly.amount=0.5", "-o", other)
        self.assertEqual(result.returncode, 0, result.stderr)
        old, new = self.after.channels("Walk_soft"), Glb(other).channels("Walk_soft")
        self.assertEqual(set(old), set(new))
        changed = {node for node, path in old if old[node, path] != new[node, path]}
        self.assertEqual(changed, set(self.added))


class AChainWithFleshOnIt(Simulated):
    """--chains auto: the tail is thick and round, the ears are neither."""

    def test_is_a_solid_on_its_own_joints_says_so_and_is_made_again_from_the_recipe(self):
        soft = self.folder / "fat.soft.glb"
        options = ("--clip", "Walk", "--part", "tail*=tail", "--part", "ear*=ear", "--chains", "auto")
        answer = rigspace("simulate", self.hero, *options, "-o", soft, "--json")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        answer = json.loads(answer.stdout)
        self.assertRegex(" ".join(answer["notes"]), r"tail moves as a solid of \d+ tetrahedra.*ear_l moves as rods")
        tail = answer["clips"][0]["parts"][0]
        self.assertGreaterEqual(tail["swing_deg"], 0.98 * 5)
        self.assertLessEqual(tail["swing_deg"], 1.02 * 20)
        self.assertEqual(Glb(soft).names, Glb(self.hero).names)  # no joints are added
        recipe = self.folder / "fat.soft.json"
        self.assertEqual(json.loads(recipe.read_text())["options"]["chains"], "auto")
        before = soft.read_bytes()
        self.assertEqual(rigspace("rerun", recipe).returncode, 0)
        self.assertEqual(soft.read_bytes(), before)


class ARealCharacter(Simulated):
    def test_muted_is_the_original(self):
        file = asset("khr_CesiumMan/CesiumMan.glb")
        if file is None:
            self.skipTest("asset khr_CesiumMan is absent")
        soft, clip = self.simulate("man.soft.glb", "--end", "0.4", file=file)
        self.assertIn("belly", [part["name"] for part in clip["parts"]])
        moved = 0
        for time in (0.0, 0.1, 0.3):
            original = self.at(file, "animation0", time)
            self.assertLess(max(apart(original, self.at(soft, "animation0", time))), 1e-6 * height(original))
            moved = max(moved, max(apart(original, self.at(soft, "animation0_soft", time))) / height(original))
        self.assertGreater(moved, 1e-3)


class TheSameMotion(Simulated):
    """However finely it is keyed or computed."""

    def test_at_any_frame_rate(self):
        tail = ("--clip", "Walk", "--part", "tail*=tail")
        files = {rate: self.simulate(f"at_{rate}.glb", *tail, "--fps", rate)[0] for rate in (24, 30, 60, 120, 25, 165)}
        size = height(self.at(self.hero, "Walk", 0.0))
        finest = {}

        def difference(rate, time):
            if time not in finest:
                finest[time] = self.at(files[120], "Walk_soft", time)
            return max(apart(finest[time], self.at(files[rate], "Walk_soft", time))) / size

        for time in (1 / 6, 1 / 3, 0.5, 5 / 6):  # keys of all four
            self.assertGreater(max(apart(self.at(self.hero, "Walk", time), self.at(files[120], "Walk_soft", time))) / size, 0.015)
            for rate in (24, 30, 60):
                self.assertLess(difference(rate, time), 1e-3, (rate, time))
        for time in (0.2, 1 / 3, 0.5, 0.9):  # keys, and between them
            for rate in (25, 165):
                self.assertLess(difference(rate, time), 1e-2, (rate, time))

    def test_with_few_cubic_keys(self):
        tail = ("--clip", "Walk", "--part", "tail*=tail")
        dense, fitted = (self.simulate(f"{keys}.glb", *tail, "--keys", keys)[0] for keys in ("linear", "cubic"))
        counts = {}
        for file in (dense, fitted):
            clip = next(a for a in Glb(file).document["animations"] if a["name"] == "Walk_soft")
            kinds = {sampler.get("interpolation", "LINEAR") for sampler in clip["samplers"]}
            self.assertEqual("CUBICSPLINE" in kinds, file == fitted)
            accessors = Glb(file).document["accessors"]
            counts[file] = sum(accessors[sampler["input"]]["count"] for sampler in clip["samplers"])
        self.assertLess(counts[fitted], 0.5 * counts[dense])
        size = height(self.at(self.hero, "Walk", 0.0))
        for time in (0.1, 1 / 3, 0.5, 0.9):  # keys of the dense one: a thirtieth of a second apart
            self.assertLess(max(apart(self.at(dense, "Walk_soft", time), self.at(fitted, "Walk_soft", time))), 1.5e-3 * size)

    def halved(self, *options):
        """How much half the physics step changes, of the largest deviation."""
        files = [self.simulate(f"step_{step}.glb", "--clip", "Walk", "--fps", 120, "--step", step, *options)[0]
                 for step in ("0.00833333333333", "0.00416666666667")]
        changed = deviation = 0
        for time in (0.1, 0.3, 0.5, 0.7, 0.9):
            coarse, fine = (self.at(file, "Walk_soft", time) for file in files)
            changed = max(changed, *apart(coarse, fine))
            deviation = max(deviation, *apart(fine, self.at(self.hero, "Walk", time)))
        self.assertGreater(deviation, 0.01)  # of a height of 1.2
        return changed / deviation

    def test_at_half_the_physics_step(self):
        self.assertLess(self.halved("--part", "tail*=tail"), 0.02)

    def test_of_flesh_at_half_the_physics_step(self):
        # Chains at rest, so that the deviation is the belly's; an amount of its own, so that none is searched for.
        still = [word for part in ("tail", "ear_l", "ear_r") for word in ("--set", f"{part}.amount=0")]
        self.assertLess(self.halved(*still, "--set", "belly.amount=1.4"), 0.02)


if __name__ == "__main__":
    unittest.main()
