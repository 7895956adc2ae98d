"""What a run leaves, and running it again: recipes, ranges, and runs that were stopped."""
import json
import math
import pathlib
import signal
import struct
import subprocess
import tempfile
import unittest

from program import PROGRAM, AfterAHerosRun, Glb, OwnFolder, glb_json, make_hero, rigspace

PARTS = ("--part", "tail*=tail", "--part", "ear_l*=ear")  # chains alone: quick
RESULTS = ("hero.soft.glb", "hero.soft.html", "hero.soft.json")


def contents(folder):
    return {name: (folder / name).read_bytes() for name in RESULTS}


def rotations(path, animation):
    """Key times and quaternions by node name, of one animation of a GLB."""
    return {node: keys for (node, kind), keys in Glb(path).channels(animation).items() if kind == "rotation"}


class Rerun(AfterAHerosRun):
    @classmethod
    def setUpClass(cls):
        cls.words, cls.recipe = cls.begin("--clip", "Walk", "--additive", *PARTS)

    def rerun(self, *arguments):
        return self.run_it("rerun", self.file, *arguments)[0]

    def curves(self, recipe, clip=0):
        return {curve["control"]: curve["values"] for curve in recipe["clips"][clip]["curves"]}

    def test_gravity_lifts_and_earths_gives_the_first_run_back(self):
        first = contents(self.folder)
        light = self.rerun("--gravity", "0")
        self.assertEqual(light["options"]["gravity"], [0, 0, 0])
        moved = [max(abs(a - b) for a, b in zip(values, self.curves(self.recipe)[control]))
                 for control, values in self.curves(light).items()]
        self.assertGreater(max(moved), 1)  # degree
        self.assertNotIn("gravity", self.rerun("--gravity", "0,-9.81,0")["options"])
        self.assertEqual(contents(self.folder), first)
        self.assertIn("gravity", self.fails(2, "rerun", self.file, "--gravity", "1,2"))
        self.assertIn("--gravity", self.fails(2, "rerun", self.file, "--gravity", "1", "--clip", "Walk"))

    def test_the_recipe_says_what_was_done(self):
        self.assertEqual(self.recipe["schema"], 1)
        self.assertEqual(self.recipe["input"]["file"], "hero.glb")
        self.assertEqual(self.recipe["input"]["bytes"], self.hero.stat().st_size)
        self.assertEqual(len(self.recipe["input"]["hash"]), 32)
        clip = self.recipe["clips"][0]
        self.assertEqual((clip["name"], clip["base"], clip["loop"]), ("Walk_soft", "Walk", True))
        for part, report in zip(self.recipe["parts"], clip["report"]):
            self.assertGreater(report["rate_hz"], 0)
            self.assertIn(part["joints"][0] + ".rx", self.curves(self.recipe))
        self.assertEqual({len(curve["values"]) for curve in clip["curves"]}, {len(clip["times"])})
        self.assertEqual({curve["unit"] for curve in clip["curves"] if curve["control"].endswith(".rx")}, {"deg"})

    def test_the_summary_is_in_words(self):
        for words in ("part tail: ", "amount 1", "rate from its size", "loops, since its name says", "at frame", "--set '*.amount=0.6'",
                      "hero.soft.json", "--range"):
            self.assertIn(words, self.words)

    def test_soft_clips_name_their_base_and_recipe(self):
        clips = {a["name"]: a for a in glb_json(self.folder / "hero.soft.glb")["animations"]}
        for name in ("Walk_soft", "Walk_soft_add", "Walk_soft_add_ref"):
            extras = clips[name]["extras"]["rigspace"]
            self.assertEqual((extras["base"], extras["layer"], extras["recipe"]), ("Walk", "soft", "hero.soft.json"))
        self.assertNotIn("extras", clips["Walk"])

    def test_additive_clips_hold_the_deviation_alone(self):
        model = self.folder / "hero.soft.glb"
        added, reference = rotations(model, "Walk_soft_add"), rotations(model, "Walk_soft_add_ref")
        joints = {joint for part in self.recipe["parts"] for joint in part["joints"]}
        self.assertTrue(joints <= set(added))
        self.assertEqual(set(added), set(reference))
        rest = {node.get("name"): node.get("rotation", [0, 0, 0, 1]) for node in glb_json(model)["nodes"]}
        curves, times = self.curves(self.recipe), self.recipe["clips"][0]["times"]
        for joint in joints:
            self.assertEqual(len(reference[joint][0]), 1)
            for a, b in zip(reference[joint][1][0], rest[joint]):
                self.assertAlmostEqual(a, b, places=6)
            for (time,), q in zip(*added[joint]):  # the angle between rest and key is that of the curve
                at = min(range(len(times)), key=lambda k: abs(times[k] - time))
                if abs(times[at] - time) > 1e-6:
                    continue
                turn = math.hypot(*(curves[f"{joint}.r{axis}"][at] for axis in "xyz"))
                dot = min(1, abs(sum(a * b for a, b in zip(q, rest[joint]))))
                self.assertAlmostEqual(math.degrees(2 * math.acos(dot)), turn, delta=0.1)  # float32 under acos

    def test_without_options_every_byte_is_the_same(self):
        self.rerun()
        self.assertEqual(contents(self.folder), contents(self.first))

    def test_a_value_changes_its_part(self):
        recipe = self.rerun("--set", "tail.amount=0.5")
        self.assertEqual(recipe["parts"][0]["look"]["amount"], 0.5)
        old, new = self.curves(self.recipe), self.curves(recipe)
        largest = {name: max(map(abs, values)) for name, values in old.items()}
        control = max((name for name in old if name.startswith("tail")), key=largest.get)
        self.assertLess(max(map(abs, new[control])), 0.75 * largest[control])
        self.assertGreater(max(map(abs, new[control])), 0)
        self.assertFalse(list(self.folder.glob("*.partial")))

    def test_a_range_leaves_the_rest_to_the_bit_and_is_remembered(self):
        recipe = self.rerun("--set", "tail.amount=0", "--range", "6:18")
        rate, times = recipe["clips"][0]["fps"], recipe["clips"][0]["times"]
        self.assertEqual(self.recipe["parts"], recipe["parts"])
        old, new = self.curves(self.recipe), self.curves(recipe)
        changed = {time for name in old for time, a, b in zip(times, old[name], new[name]) if a != b}
        self.assertGreater(min(changed), 6 / rate - 1e-9)
        self.assertLess(max(changed), 18 / rate + 1e-9)
        self.assertGreater(len(changed), 20)
        middle = min(range(len(times)), key=lambda k: abs(times[k] - 12 / rate))
        self.assertEqual([new[name][middle] for name in new if name.startswith("tail")], [0] * sum(n.startswith("tail") for n in new))
        after = contents(self.folder)
        self.rerun()  # the whole again, with its edit
        self.assertEqual(contents(self.folder), after)
        self.assertIn("meets no clip", self.fails(2, "rerun", self.file, "--range", "5000:6000"))

    def test_a_changed_input_is_refused_unless_accepted(self):
        data, document = self.hero.read_bytes(), glb_json(self.hero)
        document["asset"]["extras"] = "changed"
        text = json.dumps(document).encode()
        text += b" " * (-len(text) % 4)
        rest = data[20 + struct.unpack_from("<I", data, 12)[0] :]
        head = struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A)
        self.hero.write_bytes(head + text + rest)
        self.assertIn("its content has changed", self.fails(3, "rerun", self.file))
        self.assertIn("without --clip and --range", self.fails(2, "rerun", self.file, "--accept-changed-input", "--range", "6:18"))
        recipe = self.rerun("--accept-changed-input")
        self.assertEqual(self.curves(recipe), self.curves(self.recipe))
        self.assertNotEqual(recipe["input"]["hash"], self.recipe["input"]["hash"])

    def test_wrong_input_gets_one_clear_sentence(self):
        file = self.file
        self.assertIn("does not exist", self.fails(3, "rerun", self.folder / "gone.json"))
        self.assertIn("is no recipe", self.fails(3, "rerun", self.hero))
        self.assertIn('did you mean "tail"', self.fails(3, "rerun", file, "--set", "tial.amount=1"))
        self.assertIn("parts have amount", self.fails(2, "rerun", file, "--set", "tail.colour=1"))
        self.assertIn("expected 0", self.fails(2, "rerun", file, "--set", "tail.amount=99"))
        self.assertIn('did you mean "Walk"', self.fails(3, "rerun", file, "--clip", "Wolk"))
        self.assertIn("is not FROM:TO", self.fails(2, "rerun", file, "--range", "12"))
        self.assertIn("is not a time", self.fails(2, "rerun", file, "--range", "a:b"))
        self.assertIn("ends before it begins", self.fails(2, "rerun", file, "--range", "18:6"))
        self.assertIn("is the input itself", self.fails(2, "rerun", file, "-o", self.hero))
        (self.folder / "notes.json").write_text('{"mine": 1}')
        self.assertIn("is no recipe", self.fails(3, "rerun", file, "-o", self.folder / "notes.glb"))
        self.assertIn('is JSON, but no recipe of this program', self.fails(3, "rerun", self.folder / "notes.json"))
        self.assertIn("is not before the clip's end", self.fails(2, "simulate", self.hero, "--clip", "Walk", "--start", "900f"))
        self.assertIn("is not after the start", self.fails(2, "simulate", self.hero, "--clip", "Walk", "--start", "0.5", "--end", "0.2"))
        self.assertIn("is not a time", self.fails(2, "simulate", self.hero, "--preroll", "much"))
        self.assertIn("hero.glb: part", self.fails(3, "simulate", self.hero, "--part", "wing*=tail"))
        self.assertIn("--loop", self.fails(2, "simulate", self.hero, "--loop", "maybe"))
        self.assertIn("is there already", self.fails(3, "simulate", self.folder / "hero.soft.glb", "--clip", "Walk"))
        (self.folder / "hero.soft.glb.partial").write_text("a file of somebody else's")
        self.assertEqual(rigspace("rerun", file).returncode, 3)
        self.assertEqual((self.folder / "hero.soft.glb.partial").read_text(), "a file of somebody else's")
        (self.folder / "hero.soft.glb.partial").unlink()
        self.hero.unlink()
        self.assertIn("looked for from the recipe's folder", self.fails(3, "rerun", file))


class Answers(unittest.TestCase):
    @unittest.skipUnless(pathlib.Path("/dev/full").exists(), "no device that is full")
    def test_an_answer_that_cannot_be_written_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder, open("/dev/full", "w") as full:
            hero = pathlib.Path(folder) / "hero.glb"
            make_hero(hero)
            for options in ([], ["--json"], ["--controls"]):
                result = subprocess.run([PROGRAM, "info", str(hero), *options], stdout=full, stderr=subprocess.PIPE, text=True)
                self.assertEqual(result.returncode, 3, options)
                self.assertIn("standard output: cannot be written", result.stderr)

    def test_an_end_after_the_clips_own_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            hero = pathlib.Path(folder) / "hero.glb"
            make_hero(hero)
            result = rigspace("simulate", hero, "--clip", "Walk", "--end", "9s", *PARTS, "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertTrue(any("before --end" in note for note in json.loads(result.stdout)["notes"]), result.stdout)


class Stopped(OwnFolder):
    """Two clips; the first is finished when the run is stopped."""

    def setUp(self):
        super().setUp()
        make_hero(self.folder / "hero.glb")
        self.command = ["simulate", self.folder / "hero.glb", "--clip", "Walk", "--clip", "Hop", *PARTS]

    def stop(self, how, *options):
        process = subprocess.Popen([PROGRAM, *map(str, self.command), *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        while not process.stdout.readline().startswith("Walk_soft:"):  # said once it is finished and kept
            self.assertIsNone(process.poll())
        process.send_signal(how)
        process.stdout.read()
        process.stdout.close()
        return process.wait()

    def test_a_killed_run_goes_on_and_ends_in_the_same_bytes(self):
        self.assertEqual(self.stop(signal.SIGKILL), -signal.SIGKILL)
        partial = self.folder / "hero.soft.glb.partial"
        self.assertTrue((partial / "clip_0000.json").exists())
        self.assertFalse((self.folder / "hero.soft.glb").exists())
        resumed = rigspace(*self.command)
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertRegex(resumed.stdout, r"resuming at [1-9]\d? %")
        self.assertFalse(partial.exists())
        first = contents(self.folder)
        for name in RESULTS:
            (self.folder / name).unlink()
        unbroken = rigspace(*self.command)
        self.assertNotIn("resuming", unbroken.stdout)
        self.assertEqual(contents(self.folder), first)

    def test_a_run_killed_inside_a_clip_goes_on_there(self):
        command = ["simulate", self.folder / "hero.glb", "--clip", "Idle", *PARTS]
        process = subprocess.Popen([PROGRAM, *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not list((self.folder / "hero.soft.glb.partial").glob("checkpoint_????")):
            self.assertIsNone(process.poll())
        process.kill()
        process.wait()
        resumed = json.loads(rigspace(*command, "--json").stdout)
        self.assertGreater(resumed["resumed_at"], 0)
        first = contents(self.folder)
        unbroken = json.loads(rigspace(*command, "--json").stdout)
        self.assertEqual(unbroken["resumed_at"], 0)
        self.assertEqual(contents(self.folder), first)

    def test_another_command_starts_anew(self):
        self.stop(signal.SIGKILL)
        other = rigspace("simulate", self.folder / "hero.glb", "--clip", "Walk", *PARTS, "--set", "tail.amount=0.7", "--json")
        self.assertEqual(other.returncode, 0, other.stderr)
        self.assertEqual(json.loads(other.stdout)["resumed_at"], 0)
        self.assertFalse((self.folder / "hero.soft.glb.partial").exists())

    def test_ctrl_c_keeps_what_a_killed_run_keeps(self):
        for how in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([PROGRAM, *map(str, self.command)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            while not process.stdout.readline().startswith("Walk_soft:"):
                self.assertIsNone(process.poll())
            process.send_signal(how)
            words = process.stdout.read()
            process.stdout.close()
            self.assertEqual(process.wait(), 130)
            self.assertRegex(words, r"Stopped: \d of 2 clips are finished and kept in .*hero.soft.glb.partial; the same command goes on")
            self.assertEqual({path.name for path in self.folder.iterdir()}, {"hero.glb", "hero.soft.glb.partial"})
            resumed = rigspace(*self.command)
            self.assertRegex(resumed.stdout, r"resuming at [1-9]\d? %")
            self.assertFalse((self.folder / "hero.soft.glb.partial").exists())
            for name in RESULTS:
                (self.folder / name).unlink()

    def test_a_second_run_on_the_same_output_is_refused(self):
        process = subprocess.Popen([PROGRAM, *map(str, self.command)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        while not process.stdout.readline().startswith("Walk_soft:"):
            self.assertIsNone(process.poll())
        second = rigspace(*self.command)
        process.kill()
        process.stdout.close()
        process.wait()
        self.assertEqual(second.returncode, 2)
        self.assertIn(f"is being made by another run, process {process.pid}", second.stderr)
        self.assertTrue((self.folder / "hero.soft.glb.lock").exists())  # what a killed run leaves ..
        self.assertEqual(rigspace(*self.command).returncode, 0)  # .. is taken over
        self.assertFalse((self.folder / "hero.soft.glb.lock").exists())

    def test_ctrl_c_may_keep_what_is_finished_and_a_rerun_completes_it(self):
        self.assertEqual(self.stop(signal.SIGINT, "--keep-partial"), 130)
        names = [a["name"] for a in glb_json(self.folder / "hero.soft.glb")["animations"]]
        self.assertIn("Walk_soft", names)
        recipe = json.loads((self.folder / "hero.soft.json").read_text())
        self.assertEqual([clip["finished"] for clip in recipe["clips"]], [True, False])
        self.assertEqual(rigspace("rerun", self.folder / "hero.soft.json", "--clip", "Hop").returncode, 0)
        names = [a["name"] for a in glb_json(self.folder / "hero.soft.glb")["animations"]]
        self.assertIn("Hop_soft", names)

    def test_ctrl_c_may_keep_the_finished_frames_of_a_clip_and_a_rerun_makes_the_rest(self):
        command = ["simulate", self.folder / "hero.glb", "--clip", "Idle", "--loop", "no", *PARTS[:2]]  # one part
        process = subprocess.Popen([PROGRAM, *map(str, command), "--keep-partial"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        while not list((self.folder / "hero.soft.glb.partial").glob("checkpoint_????")):  # a second of the clip is finished
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        words = process.stdout.read()
        process.stdout.close()
        self.assertEqual(process.wait(), 130)
        self.assertRegex(words, r"Idle_soft: stopped")
        self.assertRegex(words, r"finished to frame [1-9]\d* of \d+")
        self.assertFalse((self.folder / "hero.soft.glb.partial").exists())
        clips = {a["name"]: a for a in glb_json(self.folder / "hero.soft.glb")["animations"]}
        self.assertTrue(clips["Idle_soft"]["extras"]["rigspace"]["partial"])
        clip = json.loads((self.folder / "hero.soft.json").read_text())["clips"][0]
        self.assertEqual((clip["finished"], clip["stopped"]), (False, True))
        finished = clip["report"][0]["finished"]
        at = round(finished * (len(clip["times"]) - 1))
        self.assertGreater(at, 100)
        for curve in clip["curves"]:  # a fifth of a second later it is the artist's motion
            self.assertEqual(set(curve["values"][at + 30 :]) - {0}, set())
        self.assertTrue(any(any(curve["values"][:at]) for curve in clip["curves"]))
        self.assertEqual(rigspace("rerun", self.folder / "hero.soft.json").returncode, 0)
        completed = contents(self.folder)
        for name in RESULTS:
            (self.folder / name).unlink()
        self.assertEqual(rigspace(*command).returncode, 0)
        self.assertEqual(contents(self.folder), completed)


if __name__ == "__main__":
    unittest.main()
