"""Whole runs on a rig's own controls: recipe, running it again, runs that were stopped; and runs killed at any moment."""
import hashlib
import json
import math
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time
import unittest

from program import PROGRAM, AfterAFirstRun, OwnFolder, make_hero, rigspace

RESULTS = ("bar.soft.rigspace.json", "bar.soft.glb", "bar.soft.html", "bar.soft.json")
PART = ("--part", "p?=rubber")
KILLS = 20 if os.environ.get("RIGSPACE_TEST_ALL") else 5
ROOT = pathlib.Path(__file__).resolve().parents[2]
BAR = f"/usr/bin/python3 -S '{ROOT / 'examples/python/rig_process.py'}'"
HOST = f"exec /usr/bin/python3 -S '{ROOT / 'tests/io/hosts/bar_host.py'}'"
TICKS = os.sysconf("SC_CLK_TCK")


def make_bar(folder):
    """A rubber bar on four modes, with its clip Swing and a longer one that plays once."""
    path = folder / "bar.rig.json"
    made = rigspace("cast", "bar", "-o", path)
    assert made.returncode == 0, made.stderr
    times = [k / 20 for k in range(121)]
    lift = [0.5 + 0.2 * math.sin(9 * t) * math.sin(0.7 * t) for t in times]
    (folder / "long.rigspace.json").write_text(json.dumps({
        "kind": "rigspace curves", "schema": 1, "clips": [{"name": "Long", "tracks": [
            {"control": "bar.ty", "unit": "length", "interpolation": "catmull_rom", "times": times, "values": lift}]}]}))
    rig = json.loads(path.read_text())
    rig["clips"] = [rig["clips"], "long.rigspace.json"]
    path.write_text(json.dumps(rig, indent=1))
    return path


def contents(folder, names=RESULTS):
    """By their hashes: a difference between megabytes is not to be shown."""
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}


def curves(recipe, clip=0):
    return {curve["control"]: curve["values"] for curve in recipe["clips"][clip]["curves"]}


class RigRuns(AfterAFirstRun):
    @classmethod
    def setUpClass(cls):
        cls.begin()
        bar = make_bar(cls.first)
        made = rigspace("simulate", bar, "--clip", "Swing", "--clip", "Long", "--end", "2s", *PART)
        assert made.returncode == 0, made.stderr
        cls.words = made.stdout
        cls.recipe = json.loads((cls.first / "bar.soft.json").read_text())

    def setUp(self):
        super().setUp()
        self.bar, self.file = self.folder / "bar.rig.json", self.folder / "bar.soft.json"

    def run_well(self, *arguments):
        result = rigspace(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertFalse(list(self.folder.glob("*.partial")))
        return result.stdout

    def rerun(self, *arguments):
        self.run_well("rerun", self.file, *arguments)
        return json.loads(self.file.read_text())

    def made(self, output="bar.soft.rigspace.json"):
        return {clip["name"]: clip for clip in json.loads((self.folder / output).read_text())["clips"]}

    def test_the_recipe_names_controls_and_holds_a_curve_for_each(self):
        self.assertEqual((self.recipe["input"]["file"], self.recipe["output"]), ("bar.rig.json", ".rigspace.json"))
        self.assertEqual(self.recipe["parts"][0]["controls"], ["p1", "p2", "p3", "p4"])
        self.assertNotIn("joints", self.recipe["parts"][0])
        self.assertEqual([(clip["name"], clip["base"], clip["loop"]) for clip in self.recipe["clips"]],
                         [("Swing_soft", "Swing", True), ("Long_soft", "Long", False)])
        for clip in range(2):
            self.assertEqual(set(curves(self.recipe, clip)), {"p1", "p2", "p3", "p4"})
            self.assertGreater(max(map(abs, curves(self.recipe, clip)["p1"])), 0.1)  # degrees
        for words in ("4 controls, p1 to p4", "bar.soft.json: the recipe", "--set '*.amount=0.6'", "--range"):
            self.assertIn(words, self.words)

    def test_a_rerun_without_options_gives_the_same_bytes(self):
        self.rerun()
        self.assertEqual(contents(self.folder), contents(self.first))

    def test_a_value_is_set_for_all_or_for_one_clip(self):
        recipe = self.rerun("--set", "p.amount=0.5")
        self.assertEqual(recipe["parts"][0]["look"]["amount"], 0.5)
        most = [max(map(abs, curves(each)["p1"])) for each in (self.recipe, recipe)]
        self.assertLess(most[1], 0.75 * most[0])
        recipe = self.rerun("--set", "p.amount=0", "--clip", "Long")
        self.assertEqual(set(curves(recipe, 1)["p1"]), {0})
        self.assertEqual(recipe["clips"][1]["set"], {"p.amount": 0})

    def test_a_range_leaves_the_rest_to_the_bit_and_is_remembered(self):
        recipe = self.rerun("--set", "p.amount=0", "--clip", "Long", "--range", "0.5s:1.5s")
        self.assertEqual(recipe["clips"][0], self.recipe["clips"][0])
        old, new, times = curves(self.recipe, 1), curves(recipe, 1), recipe["clips"][1]["times"]
        changed = [time for name in old for time, a, b in zip(times, old[name], new[name]) if a != b]
        self.assertGreater(min(changed), 0.5)
        self.assertLess(max(changed), 1.5)
        self.assertEqual(new["p1"][times.index(1)], 0)
        after = contents(self.folder)
        self.rerun()
        self.assertEqual(contents(self.folder), after)
        self.assertIn("meets no clip", self.fails(2, "rerun", self.file, "--range", "5000:6000"))

    def test_corrections_are_added_to_the_controls(self):
        edits = self.folder / "edits.json"
        edits.write_text(json.dumps({"kind": "rigspace fix", "schema": 1, "clips": [
            {"clip": "Long", "influence": 0.5, "curves": {"p1": [[0.5, 0], [1, 8], [1.5, 0]], "bar.ty": [[0, 0.25], [2, 0.25]]}}]}))
        before = self.made()["Long_soft"]["tracks"]
        artists = {t["control"]: t for t in json.loads((self.folder / "long.rigspace.json").read_text())["clips"][0]["tracks"]}
        recipe = self.rerun("--fix", edits)
        self.assertEqual(curves(recipe, 1), curves(self.recipe, 1))
        self.assertEqual(recipe["clips"][0], self.recipe["clips"][0])
        old, new = ({t["control"]: dict(zip(t["times"], t["values"])) for t in tracks}
                    for tracks in (before, self.made()["Long_soft"]["tracks"]))
        for time, value in new["p1"].items():
            u = max(0, 1 - abs(time - 1) / 0.5)
            self.assertAlmostEqual(value, 0.5 * old["p1"][time] + 8 * u * u * (3 - 2 * u), delta=1e-9)
        for time, value in new["bar.ty"].items():  # not simulated: the artist's own, lifted
            if time in artists["bar.ty"]["times"]:
                self.assertAlmostEqual(value, artists["bar.ty"]["values"][artists["bar.ty"]["times"].index(time)] + 0.25, delta=1e-12)
        after = contents(self.folder)
        self.rerun()
        self.assertEqual(contents(self.folder), after)
        self.rerun("--fix", "none", "--clip", "Long")
        self.assertEqual(contents(self.folder), contents(self.first))

    def test_the_input_is_known_by_what_it_holds(self):
        text = self.bar.read_text()
        self.bar.write_text("// a comment\n" + text.replace("\n", "\n  "))
        self.rerun()  # nothing that counts has changed
        self.bar.write_text(text)
        for name, change in (("bar.mesh.glb", lambda data: data + b"    "),
                             ("long.rigspace.json", lambda data: data.replace(b'"times": [0.0,', b'"times": [0.001,')),
                             ("bar.rig.json", lambda data: data.replace(b'"name": "bar"', b'"name": "barry"'))):
            data = (self.folder / name).read_bytes()
            (self.folder / name).write_bytes(change(data))
            self.assertNotEqual((self.folder / name).read_bytes(), data)
            result = rigspace("rerun", self.file)
            self.assertEqual(result.returncode, 3, name)
            if name != "bar.mesh.glb":  # which is then no glTF any more
                self.assertIn("its content has changed", result.stderr)
            (self.folder / name).write_bytes(data)

    def test_a_rig_that_names_the_result_is_still_the_same_rig(self):
        rig = json.loads(self.bar.read_text())
        rig["clips"].append("bar.soft.rigspace.json")
        self.bar.write_text(json.dumps(rig))
        self.assertIn("Swing_soft", rigspace("info", self.bar).stdout)
        self.rerun()
        names = ("bar.soft.rigspace.json", "bar.soft.glb", "bar.soft.html")
        self.assertEqual(contents(self.folder, names), contents(self.first, names))
        self.run_well("simulate", self.bar, "--clip", "Long", "--end", "0.5s", *PART)  # and once more from the start

    def test_stretches_rates_keys_and_additive_clips(self):
        out = self.folder / "x.rigspace.json"
        self.run_well("simulate", self.bar, "--clip", "Long", "--start", "0.5s", "--end", "1.5s", "--preroll", "0.25s",
                      "--fps", 40, "--additive", *PART, "-o", out)
        recipe = json.loads((self.folder / "x.json").read_text())
        times = recipe["clips"][0]["times"]
        self.assertEqual((times[0], times[-1]), (0.5, 1.5))
        self.assertGreater(max(abs(values[0]) for values in curves(recipe).values()), 0)  # the preroll set it moving
        clips = self.made("x.rigspace.json")
        self.assertEqual(list(clips), ["Long_soft", "Long_soft_add", "Long_soft_add_ref"])
        added = {track["control"]: track for track in clips["Long_soft_add"]["tracks"]}
        self.assertEqual(set(added), {"p1", "p2", "p3", "p4"})
        self.assertEqual(len(added["p1"]["times"]), 41)
        for time, value in zip(added["p1"]["times"], added["p1"]["values"]):  # every third step of the physics
            at = min(range(len(times)), key=lambda k: abs(times[k] - time))
            self.assertLess(abs(times[at] - time), 1e-9)
            self.assertAlmostEqual(curves(recipe)["p1"][at], value, places=9)
        self.assertEqual([track["values"] for track in clips["Long_soft_add_ref"]["tracks"]], [[0]] * 4)
        words = self.run_well("simulate", self.bar, "--clip", "Long", "--end", "2s", "--keys", "cubic", *PART, "-o", out)
        self.assertIn("cubic ones", words)
        few, whole = ([track for track in made["Long_soft"]["tracks"] if track["control"].startswith("p")]
                      for made in (self.made("x.rigspace.json"), self.made()))
        self.assertEqual({track["interpolation"] for track in few}, {"hermite"})
        count = lambda tracks: sum(len(track["times"]) for track in tracks)  # noqa: E731: which of them has a key is by a hair
        self.assertLess(count(few), 0.6 * count(whole))
        again = contents(self.folder, ("x.rigspace.json", "x.glb", "x.html", "x.json"))
        self.run_well("rerun", self.folder / "x.json")
        self.assertEqual(contents(self.folder, again), again)

    def test_ctrl_c_keeps_its_checkpoint_or_writes_the_finished_frames(self):
        for name in RESULTS:
            (self.folder / name).unlink()
        command = ["simulate", self.bar, "--clip", "Long", "--step", "0.002", *PART]
        names = {path.name for path in self.folder.iterdir()}
        for keep in (False, True):
            process = subprocess.Popen([PROGRAM, *map(str, command), *(["--keep-partial"] if keep else [])],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            while not list((self.folder / "bar.soft.rigspace.json.partial").glob("checkpoint_????")):
                self.assertIsNone(process.poll())
            process.send_signal(signal.SIGINT)
            words = process.stdout.read()
            process.stdout.close()
            self.assertEqual(process.wait(), 130)
            if not keep:
                self.assertEqual({path.name for path in self.folder.iterdir()}, names | {"bar.soft.rigspace.json.partial"})
                shutil.rmtree(self.folder / "bar.soft.rigspace.json.partial")
        self.assertRegex(words, r"Long_soft: stopped")
        clip = json.loads(self.file.read_text())["clips"][0]
        self.assertEqual((clip["finished"], clip["stopped"]), (False, True))
        self.assertGreater(clip["report"][0]["finished"], 0)
        self.assertIn("Long_soft", self.made())
        self.rerun()
        completed = contents(self.folder)
        self.run_well(*command)
        self.assertEqual(contents(self.folder), completed)

    def test_wrong_input_gets_one_clear_sentence(self):
        for option in (("--soft", "morphs"), ("--protect", "bar*"), ("--max-influences", 8)):
            self.assertIn(f"{option[0]} has no effect on a rig", self.fails(2, "simulate", self.bar, *PART, *option))
        self.assertIn("has no group of controls", self.fails(3, "simulate", self.bar))
        self.assertIn("matches no control", self.fails(3, "simulate", self.bar, "--part", "wing*=tail"))
        self.assertIn("is in two parts", self.fails(2, "simulate", self.bar, *PART, "--part", "p1=tail"))
        self.assertIn('did you mean "p"', self.fails(3, "simulate", self.bar, *PART, "--set", "q.amount=1"))
        self.assertIn('did you mean "Long"', self.fails(3, "simulate", self.bar, *PART, "--clip", "Lomg"))
        self.assertIn("is not before the clip's end", self.fails(2, "simulate", self.bar, *PART, "--clip", "Long", "--start", "9s"))
        self.assertIn("is the input itself", self.fails(2, "simulate", self.bar, *PART, "-o", self.folder / "long.rigspace.json"))
        self.assertIn("is the input itself", self.fails(2, "simulate", self.bar, *PART, "-o", self.folder / "bar.mesh.glb"))
        self.assertIn("is the input itself", self.fails(2, "simulate", self.bar, *PART, "-o", self.folder / "bar.rig.rigspace.json"))
        self.assertIn("is for rigs in other processes", self.fails(2, "simulate", self.bar, *PART, "--clips", "x.rigspace.json"))
        self.assertIn("leave it out", self.fails(2, "rerun", self.file, "--rig-process", "true"))
        recipe = self.file.read_text()
        self.file.write_text(recipe.replace('"p4"', '"p9"', 1))
        self.assertIn('control "p9" of part p is not in the file', self.fails(3, "rerun", self.file))
        self.file.write_text(recipe.replace('"controls": ["p1","p2","p3","p4"]', '"controls": []', 1))
        self.assertIn("is empty", self.fails(3, "rerun", self.file))


class Killed(OwnFolder):
    """SIGKILL after a random share of the work, counted in the processor time that a whole run takes."""

    def work(self, command):
        """A run to its end: its processor time in ticks."""
        process = subprocess.Popen([PROGRAM, "--threads", "1", *map(str, command)], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return (used.ru_utime + used.ru_stime) * TICKS

    def kill(self, command, ticks):
        """True if it was killed; false if it had ended before it came to that much work."""
        process = subprocess.Popen([PROGRAM, "--threads", "1", *map(str, command)], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        stat = pathlib.Path(f"/proc/{process.pid}/stat")
        while process.poll() is None:
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:  # it ended, and has been waited for
                break
            if int(fields[11]) + int(fields[12]) >= ticks:
                process.kill()
            time.sleep(0.002)  # looking on must not take a core away from it
        process.wait()
        return process.returncode == -signal.SIGKILL

    def killed_and_resumed(self, command, names):
        self.work(command)  # fills the cache, so that what is counted is the run
        ticks = self.work(command)
        unbroken = contents(self.folder, names)
        moments = random.Random(5)
        killed = 0
        for _ in range(KILLS):
            for name in names:
                (self.folder / name).unlink(missing_ok=True)
            share = moments.random()
            killed += self.kill(command, share * ticks)
            if moments.random() < 0.4:  # and again while it goes on
                killed += self.kill(command, share * moments.random() * ticks)
            resumed = rigspace(*command, "--json")
            self.assertEqual(resumed.returncode, 0, resumed.stderr)
            self.assertEqual(contents(self.folder, names), unbroken, f"killed after {share:.3f} of the work")
            self.assertFalse(list(self.folder.glob("*.partial")))
        self.assertGreaterEqual(killed, KILLS - 1)

    def test_runs_on_a_rig_go_on_and_end_in_the_same_bytes(self):
        bar = make_bar(self.folder)
        self.killed_and_resumed(["simulate", bar, "--end", "1.5s", "--step", "0.001", *PART], RESULTS)

    def test_runs_on_joints_go_on_and_end_in_the_same_bytes(self):
        make_hero(self.folder / "hero.glb")
        command = ["simulate", self.folder / "hero.glb", "--method", "full", "--clip", "Walk", "--clip", "Hop", "--part", "tail*=tail"]
        self.killed_and_resumed(command, ("hero.soft.glb", "hero.soft.html", "hero.soft.json"))


class ProcessRuns(OwnFolder):
    """The rig is another program: the bar of examples/python, which bends by itself on top of its clip."""
    RESULTS = ("sway.soft.rigspace.json", "sway.soft.glb", "sway.soft.html", "sway.soft.json")

    def setUp(self):
        super().setUp()
        times = [k / 20 for k in range(11)]
        self.write_clip({"control": "bar.bend", "unit": "degree", "interpolation": "catmull_rom", "times": times,
                         "values": [20 * math.sin(9 * t) for t in times]})
        self.command = ["simulate", "--rig-process", BAR, "--clips", self.folder / "sway.rigspace.json",
                        "--part", "bar.bend=rubber", "--set", "*.rate=3"]

    def write_clip(self, track):
        (self.folder / "sway.rigspace.json").write_text(
            json.dumps({"kind": "rigspace curves", "schema": 1, "clips": [{"name": "Sway", "tracks": [track]}]}))

    def test_curves_a_page_and_a_recipe_come_out_and_a_rerun_gives_the_same_bytes(self):
        made = rigspace(*self.command, "--json")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual([pathlib.Path(path).name for path in json.loads(made.stdout)["output"]], list(self.RESULTS))
        recipe = json.loads((self.folder / "sway.soft.json").read_text())
        self.assertEqual((recipe["input"]["file"], recipe["input"]["process"]), ("sway.rigspace.json", BAR))
        self.assertEqual(recipe["parts"][0]["controls"], ["bar.bend"])
        self.assertGreater(max(map(abs, curves(recipe)["bar.bend"])), 0.2)  # degrees
        first = contents(self.folder, self.RESULTS)
        refused = rigspace("rerun", self.folder / "sway.soft.json")  # a file never starts a program
        self.assertEqual(refused.returncode, 2)
        self.assertIn("only started where you say so", refused.stderr)
        again = rigspace("rerun", self.folder / "sway.soft.json", "--rig-process", BAR)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(contents(self.folder, self.RESULTS), first)

    def test_a_process_that_dies_on_the_way_changes_nothing(self):
        self.assertEqual(rigspace(*self.command).returncode, 0)
        unbroken = contents(self.folder, self.RESULTS[:3])
        for name in self.RESULTS:
            (self.folder / name).unlink()
        self.command[2] = f"{HOST} kill --at 40 --once '{self.folder / 'done'}'"
        made = rigspace(*self.command, env={**os.environ, "RIGSPACE_CACHE": "off"})  # all is asked for: more than 40 times
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("was killed by signal 9 (Killed)", made.stderr)
        kept = [name for name in self.RESULTS[:3] if not name.endswith(".html")]  # the page holds the command itself
        self.assertEqual(contents(self.folder, kept), {name: unbroken[name] for name in kept})

    def test_wrong_input_gets_one_clear_sentence(self):
        def fails(code, *arguments):
            result = rigspace(*arguments)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
            self.assertEqual([path.name for path in self.folder.iterdir()], ["sway.rigspace.json"])
            return result.stderr

        self.assertIn("--clips is missing", fails(2, "simulate", "--rig-process", BAR))
        self.assertIn("are both given", fails(2, "simulate", "x.glb", *self.command[1:]))
        self.assertIn("FILE is missing", fails(2, "simulate"))
        self.assertIn("matches no control", fails(3, *self.command[:5], "--part", "wing=tail"))
        self.assertIn("command not found", fails(5, "simulate", "--rig-process", "no-such-rig-anywhere", *self.command[3:]))
        self.write_clip({"control": "bar.lift", "unit": "degree", "interpolation": "linear", "times": [0, 1], "values": [0, 1]})
        self.assertIn("the rig has it as length", fails(3, *self.command))
        self.write_clip({"control": "bar.wobble", "unit": "scalar", "interpolation": "linear", "times": [0, 1], "values": [0, 1]})
        self.assertIn('"bar.wobble" is not a control', fails(3, *self.command))


if __name__ == "__main__":
    unittest.main()
