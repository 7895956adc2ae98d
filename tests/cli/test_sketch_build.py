"""`rigspace sketch build`: drawn parts become a dragon that any program plays, and parts are drawn again later."""
import json
import pathlib
import shutil
import tempfile
import unittest

from program import Glb, rigspace

DRAWING = pathlib.Path(__file__).resolve().parents[2] / "examples/figures/drawings/dragon.svg"
KINDS = ["torso", "head", "tail", "wings", "front_legs", "hind_legs"]


class Build(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.shared)
        cls.glb, cls.json, cls.png = (cls.shared / f"dragon.{end}" for end in ("glb", "json", "png"))
        cls.done = rigspace("--json", "sketch", "build", "--strokes", DRAWING, "-o", cls.glb, "-o", cls.json, "-o", cls.png, "--size", 64)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def again(self, *arguments, code=0):
        done = rigspace("--json", "sketch", "build", "--creature", self.json, *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_six_parts_are_recognised_attached_and_move(self):
        self.assertEqual(self.done.returncode, 0, self.done.stdout + self.done.stderr)
        parts = json.loads(self.done.stdout)["parts"]
        self.assertEqual([part["kind"] for part in parts], KINDS)
        self.assertEqual([part["on"] for part in parts], [None, 0, 0, 0, 0, 0])
        self.assertLess(max(part["residual"] for part in parts), 0.06)
        document = Glb(self.glb).document
        names = {node.get("name"): k for k, node in enumerate(document["nodes"])}
        self.assertIn("2.tail_01", names)
        self.assertIn("Alive", [clip["name"] for clip in document["animations"]])
        alive = next(clip for clip in document["animations"] if clip["name"] == "Alive")
        moved = {document["nodes"][channel["target"]["node"]]["name"].split(".")[0] for channel in alive["channels"]}
        self.assertTrue({"1", "2", "3"} <= moved, moved)  # head, tail and wings
        self.assertFalse(any(mesh["primitives"][0].get("targets") for mesh in document["meshes"]))  # joints alone
        info = json.loads(rigspace("--json", "info", self.glb).stdout)
        self.assertTrue(info)

    def test_the_creature_is_kept_in_a_file_that_people_can_read(self):
        kept = json.loads(self.json.read_text())
        self.assertEqual((kept["rigspace"], kept["version"]), ("creature", 1))
        self.assertEqual([part["kind"] for part in kept["parts"]], KINDS)
        self.assertEqual(kept["parts"][1]["on"]["part"], 0)
        out = self.folder / "same.json"
        answer = self.again("-o", out)
        self.assertEqual([part["kind"] for part in answer["parts"]], KINDS)
        self.assertEqual(json.loads(out.read_text()), kept)  # read and written: the same

    def test_a_part_is_redrawn_repeated_and_removed(self):
        tail = {"strokes": [[[0.25, -0.1], [0.4, -0.05], [0.55, 0.05], [0.65, 0.2], [0.7, 0.4]],
                            [[0.7, 0.4], [0.65, 0.45], [0.72, 0.52], [0.77, 0.43], [0.7, 0.4]]]}
        drawing, out = self.folder / "tail.json", self.folder / "other.json"
        drawing.write_text(json.dumps(tail))
        answer = self.again("--strokes", drawing, "--redraw", 2, "--kind", "=tail", "--repeat", "1=0.05,0.1", "--remove", 5, "-o", out)
        self.assertEqual([part["kind"] for part in answer["parts"]], ["torso", "head", "tail", "wings", "front_legs", "head"])
        self.assertEqual(answer["parts"][5]["on"], 0)
        before, after = json.loads(self.json.read_text())["parts"], json.loads(out.read_text())["parts"]
        self.assertNotEqual(before[2]["values"], after[2]["values"])
        self.assertEqual([part["values"] for part in before[:2]], [part["values"] for part in after[:2]])

    def test_what_is_no_creature_or_no_drawing_is_one_sentence(self):
        out = self.folder / "x.glb"
        foreign = self.folder / "foreign.json"
        kept = json.loads(self.json.read_text())
        for text, words in (('{"strokes": []}', "is no creature"), (json.dumps({**kept, "version": 9}), "version 1")):
            foreign.write_text(text)
            done = rigspace("--json", "sketch", "build", "--creature", foreign, "-o", out)
            self.assertEqual(done.returncode, 3, done.stdout)
            error = json.loads(done.stdout)["error"]
            self.assertIn(words, " ".join((error["file"], error["element"], error["problem"], error["remedy"])))
        drawing = self.folder / "drawing.json"
        for strokes, words in (([], "no strokes"), ([[[0, 0]]], "single point")):
            drawing.write_text(json.dumps({"strokes": strokes}))
            error = json.loads(rigspace("--json", "sketch", "build", "--strokes", drawing, "-o", out).stdout)["error"]
            self.assertIn(words, error["problem"])
        for arguments, words in (((), "is missing"), (("--creature", self.json, "--repeat", "1=a"), "is not NUMBER=X,Y")):
            done = rigspace("--json", "sketch", "build", *arguments, "-o", out)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(words, json.loads(done.stdout)["error"]["problem"])
        self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main()
