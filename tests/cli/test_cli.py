"""The command line as a stranger uses it: what it answers, what it writes, what it says to wrong input."""
import json
import os
import pathlib
import pty
import signal
import subprocess
import sys
import tempfile
import unittest

from program import PROGRAM, OneHero, glb_json, points, rigspace


class CommandLine(OneHero):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.info = json.loads(rigspace("info", cls.hero, "--json").stdout)

    def fails(self, code, *arguments):
        """One sentence on standard error, nothing on standard output, no new file."""
        before = sorted(self.folder.rglob("*"))
        result = rigspace(*arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("rigspace: "))
        self.assertEqual(sorted(self.folder.rglob("*")), before)
        return result.stderr.strip()

    def test_info_lists_what_architecture_promises(self):
        self.assertEqual(list(self.info), ["meshes", "skins", "clips", "controls", "warnings"])
        self.assertIn("Walk", [clip["name"] for clip in self.info["clips"]])
        names = [control["name"] for control in self.info["controls"]]
        self.assertIn("tail_01.rx", names)
        self.assertEqual(len(names), len(set(names)))
        self.assertFalse([name for name in names if name.endswith(".qx")])
        for control in self.info["controls"]:
            self.assertEqual(list(control), ["name", "unit", "rest", "min", "max"])
        self.assertEqual(self.info["warnings"], [])

    def points(self, *arguments):
        values = points(self.hero, self.folder, *arguments)
        self.assertEqual(len(values), 3 * sum(mesh["vertices"] for mesh in self.info["meshes"]))
        return values

    def test_a_control_moves_what_it_should_and_nothing_else(self):
        rest, bent = self.points(), self.points("--set", "tail_05.rx=40")
        moved = [i // 3 for i, (a, b) in enumerate(zip(rest, bent)) if abs(a - b) > 1e-9]
        self.assertGreater(len(set(moved)), 5)
        self.assertLess(len(set(moved)), len(rest) / 3 / 4)

    def test_frames_and_seconds_are_the_same_moment(self):
        self.assertEqual(self.points("--clip", "Walk", "--time", "0.5"), self.points("--clip", "Walk", "--time", "12f"))
        self.assertNotEqual(self.points("--clip", "Walk", "--time", "0.5"), self.points())

    def test_eval_writes_obj_and_ply(self):
        for kind in ("obj", "ply"):
            out = self.folder / f"points.{kind}"
            self.assertEqual(rigspace("eval", self.hero, "-o", out).returncode, 0)
            self.assertGreater(out.stat().st_size, 10_000)
            out.unlink()

    def test_convert_without_changes_is_the_same_document(self):
        with tempfile.TemporaryDirectory() as other:
            other = pathlib.Path(other)
            for step in (("hero.gltf", self.hero), ("again.glb", other / "hero.gltf")):
                result = rigspace("convert", step[1], "-o", other / step[0])
                self.assertEqual(result.returncode, 0, result.stderr)
            before, after = glb_json(self.hero), glb_json(other / "again.glb")
            self.assertEqual(json.dumps(before), json.dumps(after))  # values and the order of keys

    def test_render_draws_a_picture_and_a_sheet(self):
        for arguments in (["--clip", "Walk", "--time", "0.3"], ["--clip", "Walk", "--sheet", "4"], ["--turntable"]):
            out = self.folder / "picture.png"
            result = rigspace("render", self.hero, *arguments, "--size", "96", "--quality", "draft", "-o", out)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(out.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
            out.unlink()

    def test_mesh_fills_the_character(self):
        out = self.folder / "body.msh"
        result = rigspace("mesh", self.hero, "-o", out, "--report", "--json", "--vertices", "2000")
        self.assertEqual(result.returncode, 0, result.stderr)
        again = rigspace("mesh", out, "--report", "--json")  # a body as it is
        self.assertEqual(again.returncode, 0, again.stderr)
        first, second = json.loads(result.stdout), json.loads(again.stdout)
        self.assertEqual(first["tetrahedra"], second["tetrahedra"])
        self.assertEqual(first["inverted"], 0)
        out.unlink()

    def test_simulate_adds_soft_clips_and_keeps_the_artists(self):
        out = self.folder / "soft.glb"
        result = rigspace("simulate", self.hero, "--clip", "Walk", "--part", "tail*=tail", "-o", out, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        clip = json.loads(result.stdout)["clips"][0]
        self.assertEqual(clip["name"], "Walk_soft")
        self.assertTrue(clip["loop"])
        self.assertLess(clip["seam"], 1e-3)
        for part in clip["parts"]:  # docs/default-look.md, "amplitude": tips swing by 5 to 20 degrees
            self.assertGreaterEqual(part["swing_deg"], 4.9, part)
            self.assertLessEqual(part["swing_deg"], 20.1, part)
        before, after = glb_json(self.hero), glb_json(out)
        self.assertEqual(after["animations"][: len(before["animations"])], before["animations"])
        self.assertEqual(after["nodes"], before["nodes"])
        for name in ("soft.glb", "soft.html", "soft.json"):
            (self.folder / name).unlink()

    def test_a_file_alone_means_simulate(self):
        out = self.folder / "soft.glb"
        written = []
        for command in ([], ["simulate"]):
            result = rigspace(*command, self.hero, "--clip", "Walk", "--part", "tail*=tail", "-o", out, "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            written.append([out.with_suffix(kind).read_bytes() for kind in (".glb", ".html", ".json")])
            for kind in (".glb", ".html", ".json"):
                out.with_suffix(kind).unlink()
        self.assertEqual(*written)

    def test_simulate_says_what_is_wrong(self):
        out = self.folder / "soft.glb"
        self.assertIn("matches no joint", self.fails(3, "simulate", self.hero, "--part", "wheel*=tail", "-o", out))
        self.assertIn("presets are", self.fails(2, "simulate", self.hero, "--part", "tail*=fluffy", "-o", out))
        self.assertIn("parts have amount", self.fails(2, "simulate", self.hero, "--set", "tail.colour=1", "-o", out))
        self.assertIn("did you mean", self.fails(3, "simulate", self.hero, "--set", "tial.amount=1", "-o", out))
        self.assertIn("is no", self.fails(2, "simulate", self.hero, "--set", "tail", "-o", out).replace("is not", "is no"))

    def test_wrong_input_gets_one_clear_sentence(self):
        out = self.folder / "x.npy"
        gone = self.fails(3, "info", self.folder / "gone.glb")
        self.assertEqual(gone, f"rigspace: {self.folder / 'gone.glb'}: does not exist; check the path")
        (self.folder / "folder.glb").mkdir()
        self.assertIn("is a folder", self.fails(3, "info", self.folder / "folder.glb"))
        self.assertIn("is a folder", self.fails(3, "info", self.folder))
        control = self.fails(3, "eval", self.hero, "--set", "tail_1.rx=3", "-o", out)
        self.assertIn('control "tail_1.rx" does not exist; did you mean "tail_01.rx"', control)
        self.assertIn('did you mean "Walk"', self.fails(3, "eval", self.hero, "--clip", "Wolk", "-o", out))
        self.assertIn("has no number", self.fails(2, "eval", self.hero, "--set", "tail_01.rx=far", "-o", out))
        self.assertIn("is not a time", self.fails(2, "eval", self.hero, "--clip", "Walk", "--time", "noon", "-o", out))
        self.assertIn("needs --clip", self.fails(2, "eval", self.hero, "--time", "1", "-o", out))
        self.assertIn("writes .npy, .obj, .ply", self.fails(2, "eval", self.hero, "-o", self.folder / "x.fbx"))
        self.assertIn("folder does not exist", self.fails(3, "eval", self.hero, "-o", self.folder / "no" / "x.npy"))
        self.assertIn("rigspace eval --help", self.fails(2, "eval"))
        self.fails(2, "nonsense")
        self.assertIn("rigs", self.fails(2, "bench", "rig"))

    def test_a_truncated_file_is_bad_input(self):
        whole = self.hero.read_bytes()
        for length in (0, 3, 11, 19, 500, len(whole) // 2, len(whole) - 1):
            broken = self.folder / "broken.glb"
            broken.write_bytes(whole[:length])
            self.fails(3, "info", broken)
            broken.unlink()

    def test_failures_as_json(self):
        result = rigspace("info", self.folder / "gone.glb", "--json")
        self.assertEqual(result.returncode, 3)
        self.assertEqual(result.stderr, "")
        error = json.loads(result.stdout)["error"]
        self.assertEqual(error["code"], "bad_input")
        self.assertTrue({"code", "file", "element", "value", "remedy"} <= set(error))

    def test_ctrl_c_leaves_nothing(self):
        out = self.folder / "long.png"
        ours, theirs = pty.openpty()  # a terminal, so that progress is shown
        process = subprocess.Popen(
            [PROGRAM, "render", self.hero, "--clip", "Walk", "--sheet", "30", "--size", "700", "--quality", "high", "-o", out],
            stderr=theirs, stdout=subprocess.DEVNULL)
        os.read(ours, 1)  # waits for the first sign of progress: now it is in the middle of its work
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), 130)
        os.close(ours), os.close(theirs)
        self.assertEqual([p.name for p in self.folder.iterdir() if "long" in p.name], [])

    def test_help_and_version_are_commands_too(self):
        bare, named = rigspace(), rigspace("help")
        self.assertEqual((bare.returncode, bare.stdout), (0, rigspace("--help").stdout))
        self.assertEqual(named.stdout, bare.stdout)
        self.assertEqual(rigspace("help", "curves", "fit").stdout, rigspace("curves", "fit", "--help").stdout)
        for command in (["simulate"], ["curves"], ["curves", "fit"], ["rig"], ["info"]):
            self.assertIn("Exit codes", rigspace(*command, "--help").stdout, command)
        self.assertIn("rigspace curves fit --help", rigspace("curves", "--help").stdout)
        self.assertIn(rigspace("--version").stdout.strip(), rigspace("version").stdout)

    def test_shells_complete_commands_and_options(self):
        script = rigspace("completion", "bash").stdout
        ask = (script + "\nCOMP_WORDS=(rigspace simulate hero.glb --st); COMP_CWORD=3; _rigspace; echo ${COMPREPLY[@]}\n"
               "COMP_WORDS=(rigspace cur); COMP_CWORD=1; _rigspace; echo ${COMPREPLY[@]}\n"
               "COMP_WORDS=(rigspace curves fit --to); COMP_CWORD=3; _rigspace; echo ${COMPREPLY[@]}\n")
        answers = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(answers.stderr, "")
        first, second, third = answers.stdout.splitlines()
        self.assertEqual(set(first.split()), {"--start", "--step", "--stiffness"})
        self.assertIn("curves", second.split())
        self.assertEqual(third.split(), ["--tolerance"])
        self.assertIn("#compdef rigspace", rigspace("completion", "zsh").stdout)
        self.assertIn("-l clip ", rigspace("completion", "fish").stdout)
        self.assertEqual(rigspace("completion", "csh").returncode, 2)

    def test_a_number_of_threads_that_is_none_is_said(self):
        for text in ("many", "0", "2.5"):
            result = rigspace("version", env={**os.environ, "RIGSPACE_THREADS": text})
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(f'RIGSPACE_THREADS is "{text}"; set it to a whole number from 1 to 256', result.stderr)
        environment = {**os.environ, "RIGSPACE_THREADS": "many"}
        self.assertEqual(rigspace("version", "--threads", 1, env=environment).returncode, 0)
        self.assertEqual(rigspace("--help", env=environment).returncode, 0)

    def test_frame_rates_out_of_range_are_refused_at_once(self):
        for command in (["simulate", self.hero], ["eval", self.hero, "-o", self.folder / "x.npy"]):
            for rate in ("1e9", "0", "-3", "nan"):
                result = rigspace(*command, "--fps", rate)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn("give 1 to 1000 frames a second", result.stderr)

    def test_an_empty_clip_is_refused(self):
        result = rigspace("simulate", self.hero, "--clip", "", "-o", self.folder / "x.glb")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn('--clip "" is empty', result.stderr)

    def test_clips_are_named_as_people_do(self):
        out = self.folder / "case.npy"
        self.assertEqual(rigspace("eval", self.hero, "--clip", "walk", "-o", out).returncode, 0)
        result = rigspace("eval", self.hero, "--clip", "*", "-o", out)
        self.assertEqual(result.returncode, 2)
        self.assertIn("and one is needed", result.stderr)

    def test_json_that_is_no_recipe_is_said(self):
        path = self.folder / "other.json"
        path.write_text('{"name": "something else"}')
        result = rigspace("rerun", path)
        self.assertEqual(result.returncode, 3)
        self.assertIn("is JSON, but no recipe of this program", result.stderr)

    def test_joints_are_listed_with_their_places(self):
        listed = rigspace("info", self.hero, "--joints").stdout
        joints = json.loads(rigspace("info", self.hero, "--joints", "--json").stdout)["joints"]
        self.assertIn(f"{len(joints)} joints, at rest at", listed)
        for joint in joints:
            self.assertEqual(len(joint["rest"]), 3)
            self.assertIn(joint["name"], listed)

    def test_help_has_examples(self):
        self.assertIn("Examples", rigspace("--help").stdout)
        for command in ("info", "eval", "convert", "view", "render", "simulate", "rerun", "mesh", "cast", "bench"):
            self.assertIn("Example", rigspace(command, "--help").stdout, command)

    def test_bench_follows_its_schema(self):
        result = rigspace("bench", "rigs", "--quick", "--json")
        answer = json.loads(result.stdout)
        met = all(row["ok"] for row in answer["rows"])
        self.assertEqual(result.returncode, 0 if met else 4, result.stderr)
        self.assertEqual(list(answer), ["schema", "suite", "commit", "machine", "rows"])
        self.assertTrue({"cpu", "isa", "threads", "blas", "solver"} <= set(answer["machine"]))
        for row in answer["rows"]:
            self.assertEqual(list(row), ["scene", "method", "metrics", "paper", "required", "ok"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
