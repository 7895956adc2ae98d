"""Rig files by the command line: written, read, checked, drawn; and what happens when they are wrong."""
import json
import pathlib
import re
import unittest

from program import OwnFolder, apart, points, rigspace

SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "docs" / "rig.schema.json"


def without_comments(text):
    return re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)


class RigFiles(OwnFolder):
    def cast(self, name):
        path = self.folder / f"{name}.rig.json"
        answer = rigspace("cast", name, "-o", path)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        return path

    def check_schema(self, path):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(
            json.loads(without_comments(path.read_text()))
        )

    def test_the_cast_as_rig_files_keeps_the_schema_and_passes_the_check(self):
        for name in ("peanut", "flower", "sphere", "bar", "sumo"):
            path = self.cast(name)
            self.check_schema(path)
            answer = rigspace("--json", "rig", "check", path, "--poses", 2)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            health = json.loads(answer.stdout)
            self.assertEqual(health["without_effect"], [], name)
            self.assertEqual(health["broken"], [], name)

    def test_a_new_rig_file_keeps_the_schema_and_opens(self):
        mesh = self.folder / "hero.glb"
        self.assertEqual(rigspace("cast", "bobbin", "-o", mesh).returncode, 0)
        answer = rigspace("rig", "new", mesh)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        path = self.folder / "hero.rig.json"
        self.check_schema(path)
        self.assertEqual(rigspace("info", path).returncode, 0)
        again = rigspace("rig", "new", mesh)
        self.assertEqual(again.returncode, 2)
        self.assertIn("is there already", again.stderr)

    def test_a_cage_around_a_mesh_keeps_the_schema_and_deforms_it(self):
        mesh = self.folder / "hero.glb"
        self.assertEqual(rigspace("cast", "bar", "-o", mesh).returncode, 0)
        path, elsewhere = self.folder / "hero.rig.json", self.folder / "other" / "hero.rig.json"
        elsewhere.parent.mkdir()
        for output in (path, elsewhere):  # beside the mesh it names that, elsewhere it brings its own
            answer = rigspace("--json", "rig", "cage", mesh, "-o", output, "--faces", 60, "--coordinates", "green")
            self.assertEqual(answer.returncode, 0, answer.stderr)
            self.assertLessEqual(json.loads(answer.stdout)["faces"], 60)
            self.assertGreater(json.loads(answer.stdout)["clearance"], 0)
            self.check_schema(output)
        self.assertIn('"mesh": "hero.glb"', path.read_text())
        rest = points(mesh, self.folder)
        for output in (path, elsewhere):  # rounding, and glTF's floats
            self.assertLess(max(apart(rest, points(output, self.folder))), 1e-6)
            moved = apart(rest, points(output, self.folder, "--set", "cage_3.tx=0.3"))
            self.assertGreater(max(moved), 0.01)
            self.assertLess(min(moved), 0.3 * max(moved))

    def test_a_cage_says_what_is_wrong(self):
        mesh = self.folder / "hero.glb"
        self.assertEqual(rigspace("cast", "bar", "-o", mesh).returncode, 0)
        out = self.folder / "hero.rig.json"
        for options, code, words in (
            (("--coordinates", "means"), 2, "choose one of barycentric, wachspress"),
            (("--coordinates", "barycentric"), 3, "need a tetrahedron"),
            (("--pieces", "nobody*"), 2, "meets no piece"),
        ):
            answer = rigspace("rig", "cage", mesh, "-o", out, "--faces", 60, *options)
            self.assertEqual(answer.returncode, code, answer.stderr)
            self.assertIn(words, answer.stderr)
            self.assertFalse(out.exists())
        self.assertIn("has no output", rigspace("rig", "cage", mesh).stderr)

    def test_shows_controls_on_a_sheet(self):
        path = self.cast("bar")
        sheet = self.folder / "sheet.png"
        answer = rigspace("rig", "show", path, "--size", 64, "-o", sheet)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertEqual(sheet.read_bytes()[:4], b"\x89PNG")
        wrong = rigspace("rig", "show", path, "--match", "nobody*", "-o", sheet)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("meets no control", wrong.stderr)

    def test_writes_a_glb_that_plays_the_same(self):
        path = self.cast("bar")
        glb = self.folder / "bar.glb"
        answer = rigspace("convert", path, "-o", glb)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        clip = json.loads(rigspace("--json", "info", glb).stdout)["clips"][0]["name"]
        points = {}
        for file in (path, glb):
            out = self.folder / "x.obj"
            answer = rigspace("eval", file, "--clip", clip, "--time", "0.5", "-o", out)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            points[file] = [
                tuple(map(float, line.split()[1:])) for line in out.read_text().splitlines() if line.startswith("v ")
            ]
        # The proxy is not in the glb, and comes last in the rig.
        drawn = points[glb]
        self.assertGreater(len(drawn), 50)
        self.assertGreater(len(points[path]), len(drawn))
        farthest = max(max(abs(p - q) for p, q in zip(a, b)) for a, b in zip(points[path], drawn))
        self.assertLess(farthest, 1e-3)  # of a bar a metre long

    def test_ik_that_overrules_a_clip_is_said_and_parts_are_still_found(self):
        answer = rigspace("cast", "bobbin", "-o", self.folder / "hero.glb")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        joints = {each["name"]: each for each in json.loads(rigspace("info", self.folder / "hero.glb", "--joints", "--json").stdout)["joints"]}
        chain = ["thigh_l", "shin_l", "foot_l"]
        rig = {"rigspace_rig": 1, "mesh": "hero.glb", "controls": [{"name": "ik", "rest": 1, "min": 0, "max": 1}],
               "nodes": [{"name": "foot_control", "translate": joints[chain[2]]["rest"]}],
               "ik": [{"name": "leg", "chain": chain, "target": "foot_control", "blend": "ik"}]}
        path = self.folder / "hero.rig.json"
        path.write_text(json.dumps(rig))
        told = rigspace("simulate", path, "--clip", "Walk", "--curves-only")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn('IK "leg" holds its chain at "foot_control"', told.stderr)
        self.assertIn("part tail", told.stdout)
        rig["controls"][0]["rest"] = 0
        path.write_text(json.dumps(rig))
        self.assertNotIn("holds its chain", rigspace("info", path).stderr)

    def test_a_wrap_carries_the_fine_mesh_on_the_coarse_one(self):
        path = self.cast("bar")
        rig = json.loads(without_comments(path.read_text()))
        rig["deformers"].append({"type": "wrap", "name": "display", "pieces": ["rubber"], "to": "proxy"})
        path.write_text(json.dumps(rig))
        self.check_schema(path)
        answer = rigspace("--json", "rig", "check", path, "--poses", 2)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertEqual(json.loads(answer.stdout)["broken"], [])
        glb = self.folder / "bar.glb"
        self.assertEqual(rigspace("convert", path, "-o", glb).returncode, 0)
        self.assertEqual(rigspace("render", path, "--size", 64, "-o", self.folder / "bar.png").returncode, 0)
        answer = rigspace("simulate", path, "--part", "p?=rubber", "--json")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertEqual(json.loads(answer.stdout)["clips"][0]["failed_steps"], 0)

    def test_simulates_on_the_rigs_own_controls(self):
        path = self.cast("bar")
        answer = rigspace("simulate", path, "--part", "p?=rubber", "--json")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        curves = json.loads((self.folder / "bar.soft.rigspace.json").read_text())
        clip = curves["clips"][0]
        self.assertTrue(clip["name"].endswith("_soft"))
        moved = {track["control"] for track in clip["tracks"] if max(track["values"]) - min(track["values"]) > 1e-4}
        self.assertTrue({"p1", "p2", "p3", "p4"} <= moved, moved)
        self.assertTrue((self.folder / "bar.soft.html").exists())
        wrong = rigspace("simulate", path, "--part", "nobody*=belly")
        self.assertEqual(wrong.returncode, 3)
        self.assertIn("matches no control", wrong.stderr)

    def test_says_what_is_wrong_with_file_line_and_field(self):
        path = self.cast("flower")
        text = path.read_text()
        for change, parts in (
            (('"rigspace_rig": 1', '"rigspace_rig": 7'), ("rigspace_rig", "version 1")),
            (("flower.mesh.glb", "gone.glb"), ("mesh", "gone.glb")),
            (('"deformers"', '"deformer"'), ("deformer", "did you mean")),
        ):
            self.assertIn(change[0], text)
            path.write_text(text.replace(*change, 1))
            answer = rigspace("info", path)
            self.assertEqual(answer.returncode, 3, answer.stderr)
            self.assertEqual(len(answer.stderr.strip().splitlines()), 1, answer.stderr)
            for part in (path.name + ":", *parts):
                self.assertIn(part, answer.stderr)


if __name__ == "__main__":
    unittest.main()
