"""A template's rig on another mesh, and camera paths, from the command line."""
import json
import unittest

from program import Glb, OwnFolder, rigspace


class RigFit(OwnFolder):
    def setUp(self):
        super().setUp()
        self.hero, self.mesh, self.out = (self.folder / name for name in ("hero.glb", "mesh.obj", "out.glb"))
        self.runs("cast", "mannequin", "-o", self.hero)
        self.runs("eval", self.hero, "-o", self.mesh)

    def runs(self, *arguments):
        result = rigspace(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def refused(self, code, sentence, *arguments):
        result = rigspace(*arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn(sentence, result.stderr)
        self.assertFalse(self.out.exists())

    def test_a_bare_mesh_gets_joints_weights_and_clips(self):
        told = json.loads(self.runs("rig", "fit", self.hero, self.mesh, "-o", self.out, "--json"))
        self.assertLess(told["residual"], 0.01)
        self.assertEqual(told["limbs"]["matched"], told["limbs"]["template"])
        info = json.loads(self.runs("info", self.out, "--json"))
        before = json.loads(self.runs("info", self.hero, "--json"))
        self.assertEqual([clip["name"] for clip in info["clips"]], [clip["name"] for clip in before["clips"]])
        for vertex in Glb(self.out).influences():
            self.assertLess(abs(sum(vertex.values()) - 1), 1e-5)
        self.runs("eval", self.out, "--clip", "Yo", "--time", "0.5", "-o", self.folder / "pose.obj")

    def test_joints_are_compared_with_those_that_the_mesh_came_with(self):
        told = json.loads(self.runs("rig", "fit", self.hero, self.hero, "-o", self.out, "--json"))
        self.assertGreater(told["own_joints"]["compared"], 10)
        self.assertLess(told["own_joints"]["mean_share_of_height"], 0.01)
        self.assertTrue(any("left out" in warning for warning in told["warnings"]))

    def test_a_rig_file_keeps_its_controls(self):
        rig, other = self.folder / "toon.rig.json", self.folder / "statue.rig.json"
        self.runs("cast", "toon", "-o", rig)
        self.runs("eval", rig, "-o", self.folder / "toon.obj")
        self.runs("rig", "fit", rig, self.folder / "toon.obj", "-o", other)
        names = [c["name"] for c in json.loads(self.runs("info", other, "--json"))["controls"]]
        before = [c["name"] for c in json.loads(self.runs("info", rig, "--json"))["controls"]]
        self.assertGreater(len(set(names) & set(before)), 0.6 * len(before))
        self.runs("rig", "check", other, "--poses", "3")

    def test_wrong_input_is_one_sentence(self):
        fit = ("rig", "fit", self.hero)
        self.refused(2, "JOINT=X,Y,Z", *fit, self.mesh, "--map", "hand_l=1,2", "-o", self.out)
        self.refused(2, '"tentacle"', *fit, self.mesh, "--map", "tentacle=1,2,3", "-o", self.out)
        self.refused(3, "no template", "rig", "fit", self.mesh, self.mesh, "-o", self.out)
        sheet = self.folder / "sheet.obj"
        sheet.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n")
        self.refused(3, "no inside", *fit, sheet, "-o", self.out)
        self.refused(2, "out.obj", *fit, self.mesh, "-o", self.folder / "out.obj")


class CameraPath(OwnFolder):
    def setUp(self):
        super().setUp()
        self.hero, self.path = self.folder / "sphere.glb", self.folder / "path.json"
        self.assertEqual(rigspace("cast", "sphere", "-o", self.hero).returncode, 0)
        self.keys = [{"time": 0, "eye": [0, 1, 6], "target": [0, 1, 0], "fov": 40},
                     {"time": 2, "eye": [6, 1, 0], "target": [0, 1, 0], "fov": 40}]

    def picture(self, name, *arguments):
        out = self.folder / name
        result = rigspace("render", self.hero, "--size", "48", "--quality", "draft", "-o", out, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return out.read_bytes()

    def test_the_camera_stands_where_the_path_is_at_the_time(self):
        self.path.write_text(json.dumps({"keys": self.keys}))
        first = self.picture("a.png", "--camera-path", self.path)
        other = self.picture("b.png", "--camera-path", self.path, "--clip", "Bounce", "--time", "1.1")
        # Before its first key it stands still: the key alone says the same.
        self.path.write_text(json.dumps({"keys": [dict(self.keys[0], time=5)]}))
        self.assertEqual(first, self.picture("c.png", "--camera-path", self.path))
        self.assertNotEqual(first, other)
        self.path.write_text(json.dumps({"keys": self.keys, "speed": "constant", "spline": "natural"}))
        self.picture("sheet.png", "--camera-path", self.path, "--sheet", "3")

    def test_wrong_paths_are_one_sentence(self):
        def refused(text, *words):
            self.path.write_text(text)
            result = rigspace("render", self.hero, "-o", self.folder / "x.png", "--camera-path", self.path)
            self.assertEqual(result.returncode, 3, result.stderr)
            self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
            for word in ("path.json",) + words:
                self.assertIn(word, result.stderr)

        refused(json.dumps({"keys": []}), "no key")
        refused(json.dumps({"keys": [self.keys[1], self.keys[0]]}), "key 2", "increase")
        refused(json.dumps({"keys": self.keys, "spline": "bezier"}), "spline", "catmull_rom")
        refused(json.dumps({"keys": [dict(self.keys[0], eye=[0, 1, 0])]}), "eye")
        refused(json.dumps({"keys": [dict(self.keys[0], fov=300)]}), "fov")
        refused(json.dumps({"keys": [dict(self.keys[0], bias=0.3)]}), "kochanek_bartels")


if __name__ == "__main__":
    unittest.main()
