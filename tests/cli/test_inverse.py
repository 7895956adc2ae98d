"""`rigspace inverse`: a model is trained, motions are mapped onto the rig's controls, and what is no model or motion is refused."""
import json
import pathlib
import shutil
import struct
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

    def keys(self, *arguments):
        out = self.folder / "keys.rigspace.json"
        done = rigspace("--json", "inverse", "apply", self.model, "-o", out, *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_keys_are_fitted_to_a_sampled_motion_and_kept_from_a_keyed_one(self):
        fitted, frames = self.keys("--targets", self.motion), self.keys("--targets", self.motion, "--keys", "frames")
        self.assertLessEqual(fitted["key_error_share_of_height"], 0.002)
        self.assertFalse(fitted["key_times"]["from_source"])
        self.assertLess(fitted["keys"], frames["keys"] / 3)
        self.assertTrue(self.keys("--targets", self.motion, "--keys", "source")["key_times"]["from_source"])
        self.refused(2, ["--keys some", "try 0.002"], "apply", self.model, "--targets", self.motion, "--keys", "some")

    def test_a_walk_is_bent_along_a_path_and_laid_onto_terrain(self):
        hills, path = self.folder / "hills.obj", self.folder / "bend.csv"
        hills.write_text("v -9 1 -9\nv 9 1 -9\nv 9 1 9\nv -9 1 9\nf 1 4 3 2\n")  # a plain, one unit up
        path.write_text("# x,z\n0,0\n0,1\n2,2\n")
        ways = {}
        for name, more in (("flat", []), ("bent", ["--path", path]), ("up", ["--terrain", hills])):
            out = self.folder / f"{name}.csv"
            glb = self.folder / f"{name}.glb"
            done = rigspace("--json", "inverse", "apply", self.model, "--targets", self.hero, "--clip", "Walk", "--keys", "frames", *more, "-o", glb)
            self.assertEqual(done.returncode, 0, done.stderr)
            answer = json.loads(done.stdout)
            self.assertLess(answer["joint_error_share_of_size"], 0.03, name)
            self.assertEqual(rigspace("eval", glb, "--clip", answer["clip"], "--time", 0.4, "-o", out.with_suffix(".obj")).returncode, 0)
            ways[name] = [tuple(map(float, line.split()[1:4])) for line in out.with_suffix(".obj").read_text().splitlines() if line.startswith("v ")]
        rise = [b[1] - a[1] for a, b in zip(ways["flat"], ways["up"])]
        self.assertAlmostEqual(sum(rise) / len(rise), 1, delta=0.02)
        self.assertGreater(max(abs(b[0] - a[0]) for a, b in zip(ways["flat"], ways["bent"])), 0.1)
        wrong = self.folder / "wrong.csv"
        wrong.write_text("0,0\n1,x\n")
        self.refused(2, ["wrong.csv:2", "is no point of the ground"], "apply", self.model, "--targets", self.hero, "--clip", "Walk", "--path", wrong)
        self.refused(2, ["has one point"], "apply", self.model, "--targets", self.hero, "--clip", "Walk", "--path", "0,1")
        hills.write_text("v 0 0 0\nf 1 2 3\n")
        self.refused(3, ["hills.obj:2", "names the point 2"], "apply", self.model, "--targets", self.hero, "--clip", "Walk", "--terrain", hills)
        self.refused(3, ["stays where it is"], "apply", self.model, "--targets", self.hero, "--clip", "Idle", "--path", path)

    def test_layers_and_warps_change_the_mapped_clip(self):
        motion, out = ("--targets", self.motion, "--keys", "frames"), self.folder / "keys.rigspace.json"
        clips = {}
        for name, more in (("plain", ()), ("edited", ("--layer", "Idle=0.5", "--warp", "0.5=0.8", "--warp", "chest.rx@0.8=20"))):
            self.keys(*motion, *more)
            clips[name] = json.loads(out.read_text())["clips"][-1]
        last = {name: max(track["times"][-1] for track in clip.get("rotations", []) + clip["tracks"]) for name, clip in clips.items()}
        self.assertAlmostEqual(last["edited"], last["plain"] + 0.3, places=3)
        lean = next(track for track in clips["edited"]["tracks"] if track["control"] == "chest.rx")
        self.assertAlmostEqual(lean["values"][min(range(len(lean["times"])), key=lambda k: abs(lean["times"][k] - 0.8))], 20, delta=0.5)
        for words, wrong in ((["--layer Wolk", "Walk"], ("--layer", "Wolk")), (["is neither a time nor a value"], ("--warp", "soon"))):
            self.refused(2, words, "apply", self.model, *motion, *wrong)

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

    def test_joints_of_other_names_are_found_or_given(self):
        text = self.motion.read_text()
        motion, out = self.folder / "renamed.bvh", self.folder / "renamed.rigspace.json"
        motion.write_text(text.replace("JOINT head", "JOINT box"))
        done = rigspace("--json", "inverse", "apply", self.model, "--targets", motion, "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = {joint["joint"]: joint for joint in json.loads(done.stdout)["joints"]}
        self.assertEqual(found["head"]["source"], "box")
        self.assertLess(found["head"]["sure"], found["hand_l"]["sure"])
        pairs = self.folder / "pairs.map"
        pairs.write_text("# the head stays\nhead = -\n")
        done = rigspace("--json", "inverse", "apply", self.model, "--targets", motion, "--map", pairs, "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = {joint["joint"]: joint for joint in json.loads(done.stdout)["joints"]}
        self.assertIsNone(found["head"]["source"])
        self.assertIn("foot_sliding_legs_per_second", json.loads(done.stdout)["body"])

    def test_clips_of_an_old_rig_are_rebuilt_on_its_new_version(self):
        """Joints renamed, no clips yet: it learns from swings of its joints."""
        old, new = Glb(self.hero), self.folder / "new.glb"
        del old.document["animations"]
        for node in old.document["nodes"]:
            node["name"] = "v2_" + node["name"]
        text = json.dumps(old.document).encode()
        text += b" " * (-len(text) % 4)
        new.write_bytes(struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(old.binary), len(text), 0x4E4F534A) + text
                        + struct.pack("<II", len(old.binary), 0x004E4942) + old.binary)
        model, out = self.folder / "new.inverse", self.folder / "rebuilt.glb"
        trained = rigspace("inverse", "train", new, "-o", model)
        self.assertEqual(trained.returncode, 0, trained.stderr)
        done = rigspace("--json", "inverse", "apply", model, "--targets", self.hero, "--clip", "*", "--fps", 10, "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        clips = json.loads(done.stdout)["clips"]
        self.assertEqual([clip["clip"] for clip in clips], ["Walk", "Hop", "Idle"])
        self.assertEqual([clip["name"] for clip in Glb(out).document["animations"]], ["Walk", "Hop", "Idle"])
        for clip in clips:
            self.assertLess(clip["joint_error_share_of_size"], 5e-3, clip["clip"])

    def test_a_sequence_of_meshes_becomes_curves(self):
        model, out = self.folder / "points.inverse", self.folder / "points.rigspace.json"
        rigspace("inverse", "train", self.hero, "--clips", "Walk", "--clips", "Idle", "--samples", 40, "--points", 80, "-o", model)
        for frame in (1, 2, 3):
            rigspace("eval", self.hero, "--clip", "Hop", "--time", frame / 30, "-o", self.folder / f"hop_{frame:04}.obj")
        done = rigspace("--json", "inverse", "apply", model, "--targets", self.folder / "hop_0001.obj", "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["frames"], 3)
        self.assertLess(answer["joint_error_share_of_size"], 5e-3)
        self.refused(3, ["points, where"], "apply", model, "--targets", self.two_points())
        self.refused(3, ["hop_0001.obj", "--points"], "apply", self.model, "--targets", self.folder / "hop_0001.obj")

    def two_points(self):
        path = self.folder / "two_1.obj"
        path.write_text("v 0 0 0\nv 1 0 0\n")
        return path

    def test_wrong_motions_are_refused_and_nothing_is_written(self):
        text = self.motion.read_text()
        bad = self.folder / "bad.bvh"
        bad.write_text(text.replace("JOINT lower_arm_l", "JOINT swapped").replace("JOINT upper_arm_l", "JOINT lower_arm_l")
                       .replace("JOINT swapped", "JOINT upper_arm_l"))
        self.refused(3, ["bad", "upper_arm_l", "hangs below", "lower_arm_l"], "apply", self.model, "--targets", bad)
        head, frames = text.split("MOTION")
        lines = frames.splitlines()
        bad.write_text(head + "MOTION" + "\n".join(lines[:4] + [" ".join(["nan"] * len(lines[4].split()))] + lines[5:]) + "\n")
        self.refused(3, ["bad.bvh", "nan"], "apply", self.model, "--targets", bad)
        numbers = lines[4].split()
        bad.write_text(head + "MOTION" + "\n".join(lines[:4] + [" ".join(["1e400"] + numbers[1:])] + lines[5:]) + "\n")
        self.refused(3, ["bad.bvh", "1e400"], "apply", self.model, "--targets", bad)
        bad.write_text(text[:-200])
        self.refused(3, ["bad.bvh", "frame"], "apply", self.model, "--targets", bad)
        self.refused(2, ["beak", "rigspace info"], "apply", self.model, "--targets", self.motion, "--apart", "beak=body")
        self.refused(2, ["--apart beak", "teeth=body"], "apply", self.model, "--targets", self.motion, "--apart", "beak")
        self.refused(2, ["Hopp"], "apply", self.model, "--targets", self.motion, "--clip", "Hopp")
        self.refused(2, ["haed", "head"], "apply", self.model, "--targets", self.motion, "--map", "haed=head")


if __name__ == "__main__":
    unittest.main()
