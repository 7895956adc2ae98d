"""Force rigs in the studio's server: a template and a hand on it; what is changed under the hand; what is kept."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from client import PROGRAM, Server  # noqa: E402


class Forces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        arm, cls.rig = cls.folder / "arm.glb", cls.folder / "arm.rig.json"
        subprocess.run([PROGRAM, "cast", "arm", "-o", arm], check=True, capture_output=True)
        subprocess.run([PROGRAM, "forces", "lattice", arm, "--cells", "20", "-o", cls.rig], check=True, capture_output=True)
        cls.server = Server(cls.rig, folder=cls.folder)
        cls.page = cls.server.page()
        cls.ready()

    @classmethod
    def tearDownClass(cls):
        cls.page.close()
        cls.server.stop()
        cls.temporary.cleanup()

    @classmethod
    def ready(cls):
        cls.page.until(lambda: cls.page.state.get("forces", {}).get("state") == "ready" and cls.page.state["job"] is None)

    def forces(self):
        return self.page.state["forces"]

    def done(self, command, **arguments):
        answer = self.page.do(command, **arguments)
        self.assertNotIn("error", answer, answer)

    def test_a_hand_changes_the_numbers_and_undo_takes_them_back(self):
        self.done("forces.place", template="bulge", point=300)
        name, before = self.forces()["selected"], self.forces()["undo"]
        numbers = next(rig["numbers"] for rig in self.forces()["rigs"] if rig["name"] == name)
        self.done("forces.drag", point=300, target=[0.15, 0.6, 0])
        self.done("forces.end", keep=True, point=300, target=[0.15, 0.55, 0])
        self.page.until(lambda: self.forces()["undo"] == before + 1)
        moved = next(rig["numbers"] for rig in self.forces()["rigs"] if rig["name"] == name)
        self.assertNotEqual(moved, numbers)
        self.assertLessEqual(self.forces()["after"], self.forces()["before"])
        self.done("forces.undo")
        self.assertEqual(next(rig["numbers"] for rig in self.forces()["rigs"] if rig["name"] == name), numbers)

    def test_a_hand_on_what_is_removed_or_kept_meanwhile_leaves_nothing(self):
        for change in ("forces.remove", "forces.undo", "forces.keep"):
            self.done("forces.place", template="bump", point=500)
            name = self.forces()["selected"]
            for k in range(4):
                self.done("forces.drag", point=500 + k % 2, target=[0.2, 0.5 + 0.02 * k, 0])
            self.done(change, **({"rig": name} if change == "forces.remove" else {}))
            self.page.do("forces.end", keep=True, point=500, target=[0.2, 0.5, 0])  # may be refused
            self.ready()
            self.assertNotIn("error", self.page.do("file.list"))
        kept = [rig["name"] for rig in json.loads(self.rig.read_text())["rigs"]]
        self.assertIn(name, kept)
        self.assertIn(name, [control["name"] for control in self.page.state["controls"]["controls"]])

    def test_what_cannot_be_is_said(self):
        self.done("forces.place", template="torus", point=500)
        name = self.forces()["selected"]
        for command, arguments, words in (("forces.place", {"template": "hump", "point": 1}, "hump"),
                                          ("forces.set", {"rig": name, "number": "radius", "value": -1}, "radius"),
                                          ("forces.set", {"rig": name, "number": "width", "value": 1}, "width"),
                                          ("forces.fit", {"path": "/etc/passwd"}, "sent to the studio"),
                                          ("forces.drag", {"point": 1, "target": [1, 2]}, "place in the scene")):
            error = self.page.do(command, **arguments)["error"]
            self.assertIn(words, error["sentence"])
        self.assertEqual(self.forces()["selected"], name)


if __name__ == "__main__":
    unittest.main()
