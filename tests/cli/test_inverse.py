"""`rigspace inverse`: a model is trained, motions are mapped onto the rig's controls, and what is no model or motion is refused."""
import json
import pathlib
import shutil
import tempfile
import unittest

from program import Glb, rigspace


class Inverse(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.hero, cls.model, cls.motion = (cls.folder / name for name in ("hero.glb", "hero.inverse", "hop.bvh"))
        for arguments in (("cast", "bobbin", "-o", cls.hero),
                          ("inverse", "train", cls.hero, "--clips", "Walk", "--clips", "Idle", "--samples", 40, "-o", cls.model),
                          ("convert", cls.hero, "--clip", "Hop", "-o", cls.motion)):
            made = rigspace(*arguments)
            assert made.returncode == 0, made.stderr

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def test_motion_capture_becomes_a_clip_beside_the_artists(self):
        out = self.folder / "mapped.glb"
        done = rigspace("--json", "inverse", "apply", self.model, "--targets", self.motion, "-o", out)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        answer = json.loads(done.stdout)
        self.assertLess(answer["joint_error_share_of_size"], 5e-3)
        names = [clip["name"] for clip in Glb(out).document["animations"]]
        self.assertEqual(sorted(names), sorted(["Walk", "Hop", "Idle", answer["clip"]]))

    def test_few_keys_on_request(self):
        out = self.folder / "few.rigspace.json"
        done = rigspace("--json", "inverse", "apply", self.model, "--targets", self.motion, "--keys", 0.005, "-o", out)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        answer = json.loads(done.stdout)
        self.assertLess(answer["keys"], answer["frames"] * 30)
        self.assertTrue(out.exists())

    def test_report_says_what_the_model_holds(self):
        answer = json.loads(rigspace("--json", "inverse", "report", self.model, "--fps", 10).stdout)
        self.assertEqual(answer["samples"], 40)
        self.assertEqual([clip["clip"] for clip in answer["clips"]], ["Walk", "Hop", "Idle"])
        self.assertTrue(answer["root_moves"])

    def refused(self, code, words, *arguments):
        out = self.folder / "refused.glb"
        done = rigspace("inverse", *arguments, *(["-o", out] if arguments[0] == "apply" else []))
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse(out.exists())

    def test_what_is_no_model_or_of_another_rig_is_refused_in_a_sentence(self):
        other = self.folder / "other.glb"
        rigspace("cast", "toon", "-o", other)
        self.refused(3, ["hero.inverse", "another rig"], "apply", self.model, "--rig", other, "--targets", self.motion)
        self.refused(3, ["hero.glb", "is none"], "apply", self.hero, "--targets", self.motion)
        damaged = self.folder / "damaged.inverse"
        damaged.write_bytes(self.model.read_bytes()[:-9])
        self.refused(3, ["damaged.inverse", "is damaged"], "apply", damaged, "--targets", self.motion)

    def test_a_motion_without_a_joint_is_refused_by_its_name(self):
        text = self.motion.read_text()
        motion = self.folder / "headless.bvh"
        motion.write_text(text.replace("JOINT head", "JOINT box"))
        self.refused(3, ["headless", "head", "missing"], "apply", self.model, "--targets", motion)
        self.refused(2, ["Hopp"], "apply", self.model, "--targets", self.motion, "--clip", "Hopp")


if __name__ == "__main__":
    unittest.main()
