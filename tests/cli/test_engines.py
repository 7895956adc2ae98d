"""What docs/engines.md says about hero.soft.glb, read from the file: nodes, skin, clips, additive clips, morphs."""
import pathlib
import shutil
import tempfile
import unittest

from program import Glb, apart, height, make_hero, points, rigspace

ROUND = 1e-6  # float32 numbers near 1, after a product or two
SIMULATED = ("tail_", "ear_l_", "ear_r_", "soft_belly_")


def product(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


def inverse(q):
    return (-q[0], -q[1], -q[2], q[3])


def same_turn(a, b):
    return min(max(abs(x - y) for x, y in zip(a, b)), max(abs(x + y) for x, y in zip(a, b)))


class Engines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.hero, cls.soft = cls.folder / "hero.glb", cls.folder / "hero.soft.glb"
        make_hero(cls.hero)
        made = rigspace("simulate", cls.hero, "--clip", "Walk", "--additive")
        assert made.returncode == 0, made.stderr
        cls.before, cls.after = Glb(cls.hero), Glb(cls.soft)

    def rest(self, name, path):
        node = self.after.document["nodes"][self.after.names.index(name)]
        return tuple(node.get(path, {"translation": (0, 0, 0), "rotation": (0, 0, 0, 1)}.get(path)))

    def test_joints_are_appended_as_leaves_and_nothing_else_changes(self):
        old, new = self.before.document["nodes"], self.after.document["nodes"]
        self.assertEqual(self.after.names[: len(old)], self.before.names)
        for k, (a, b) in enumerate(zip(old, new)):
            self.assertEqual([child for child in b.get("children", []) if child < len(old)], a.get("children", []), self.before.names[k])
            for path in ("translation", "rotation", "scale"):
                self.assertEqual(a.get(path), b.get(path))
        added = self.after.names[len(old) :]
        self.assertTrue(added and all(name.startswith("soft_belly_") for name in added), added)
        self.assertFalse(any("children" in node for node in new[len(old) :]))
        joints = [glb.document["skins"][0]["joints"] for glb in (self.before, self.after)]
        self.assertEqual(joints[1], joints[0] + list(range(len(old), len(new))))

    def test_without_the_result_the_skin_is_the_original(self):
        for arguments in ((), ("--clip", "Walk", "--time", "7f"), ("--clip", "Hop", "--time", "20f")):
            x = points(self.hero, self.folder, *arguments)
            self.assertLess(max(apart(x, points(self.soft, self.folder, *arguments))), ROUND * height(x))
        self.after.influences()  # asserts that there are at most four

    def test_clips_stay_and_the_soft_one_is_whole(self):
        names = [clip["name"] for clip in self.after.document["animations"]]
        self.assertEqual(names, ["Walk", "Hop", "Idle", "Walk_soft", "Walk_soft_add", "Walk_soft_add_ref"])
        for name in names[:3]:
            self.assertEqual(self.after.channels(name), self.before.channels(name))
        walk, soft = self.after.channels("Walk"), self.after.channels("Walk_soft")
        self.assertLessEqual(set(walk), set(soft))
        self.assertFalse({path for _, path in soft} & {"scale"})
        for place, (times, values) in soft.items():
            self.assertEqual((times[0], times[-1]), (walk["pelvis", "rotation"][0][0], walk["pelvis", "rotation"][0][-1]))
            if not place[0].startswith(SIMULATED):
                known = walk[place][1] if place in walk else [self.rest(*place)] * len(values)
                self.assertLess(max(abs(x - y) for a, b in zip(values, known) for x, y in zip(a, b)), ROUND, place)
        clip = self.after.document["animations"][3]
        self.assertEqual(clip["extras"]["rigspace"], {"base": "Walk", "layer": "soft", "recipe": "hero.soft.json"})
        self.assertEqual({sampler.get("interpolation", "LINEAR") for sampler in clip["samplers"]}, {"LINEAR"})

    def test_walk_and_the_additive_clip_less_its_reference_are_the_soft_clip(self):
        walk, soft, add, reference = (self.after.channels("Walk" + end) for end in ("", "_soft", "_soft_add", "_soft_add_ref"))
        self.assertEqual(set(add), set(reference))
        self.assertTrue(all(name.startswith(SIMULATED) for name, _ in add))
        swing = 0
        for (name, path), (times, values) in add.items():
            self.assertEqual(([0.0], 1), (list(reference[name, path][0][0]), len(reference[name, path][0])))
            still = reference[name, path][1][0]
            self.assertLess(max(abs(a - b) for a, b in zip(still, self.rest(name, path))), ROUND)
            base = walk[name, path][1] if (name, path) in walk else [still] * len(values)
            self.assertEqual(len(base), len(values))
            for a, b, c in zip(base, values, soft[name, path][1]):
                if path == "rotation":
                    self.assertLess(same_turn(product(a, product(inverse(still), b)), c), ROUND)
                    swing = max(swing, same_turn(b, still))
                else:
                    self.assertLess(max(abs(x + y - z - w) for x, y, z, w in zip(a, b, still, c)), ROUND)
        self.assertGreater(swing, 0.02)

    def test_soft_morphs_are_three_a_joint_and_add_no_joint(self):
        out = self.folder / "morphs.glb"
        self.assertEqual(rigspace("simulate", self.hero, "--clip", "Walk", "--soft", "morphs", "-o", out).returncode, 0)
        morphs = Glb(out)
        self.assertEqual((morphs.names, len(morphs.document["skins"][0]["joints"])),
                         (self.before.names, len(self.before.document["skins"][0]["joints"])))
        body = next(mesh for mesh in morphs.document["meshes"] if mesh["name"] == "body")
        names = body["extras"]["targetNames"]
        self.assertEqual([name[-2:] for name in names], ["_x", "_y", "_z"] * (len(names) // 3))
        self.assertTrue(names and all(name.startswith("soft_belly_") for name in names))
        weights = [value for value, in morphs.channels("Walk_soft")["body", "weights"][1]]
        self.assertLess(min(weights), 0)
        self.assertEqual(len(body["primitives"][0]["targets"]), len(names))


if __name__ == "__main__":
    unittest.main()
