"""Rigs in other processes, from the command line."""
import array
import importlib.util
import json
import math
import os
import pathlib
import signal
import struct
import subprocess
import sys
import unittest

from program import PROGRAM, OwnFolder, rigspace

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/python/rig_process.py"
COMMAND = f"/usr/bin/python3 -S '{EXAMPLE}'"
HOST = f"exec /usr/bin/python3 -S '{ROOT / 'tests/io/hosts/bar_host.py'}'"

sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("rig_process", EXAMPLE)
bar = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bar)


class ProcessRig(OwnFolder):
    def fails(self, code, *arguments):
        """One sentence on standard error, nothing on standard output, no file."""
        result = rigspace(*arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        self.assertEqual(list(self.folder.glob("*.npy*")), [])
        return result.stderr.strip()

    def values(self, path):
        data = path.read_bytes()
        return array.array("d", data[10 + struct.unpack_from("<H", data, 8)[0] :])

    def test_eval_gives_what_the_script_computes(self):
        out = self.folder / "bar.npy"
        result = rigspace("eval", "--rig-process", COMMAND, "--set", "bar.bend=60", "--set", "bar.lift=0.25", "-o", out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, f"{out}: 84 vertices\n")
        expected = bar.evaluate([math.radians(60), 0, 1, 0.25])
        self.assertLess(max(abs(a - b) for a, b in zip(self.values(out), expected, strict=True)), 1e-12)

    def test_several_processes_give_the_same_bytes(self):
        outputs = []
        for processes in (1, 3):
            out = self.folder / f"bar{processes}.npy"
            result = rigspace("eval", "--rig-process", COMMAND, "--rig-processes", processes, "--set", "bar.twist=30", "-o", out)
            self.assertEqual(result.returncode, 0, result.stderr)
            outputs.append(out.read_bytes())
        self.assertEqual(*outputs)

    def test_info_lists_controls_in_degrees(self):
        info = json.loads(rigspace("info", "--rig-process", COMMAND, "--json").stdout)
        self.assertEqual(info["meshes"], [{"name": "bar", "vertices": 84, "triangles": 164}])
        self.assertEqual(info["clips"], [])
        self.assertEqual(info["warnings"], [])
        bend, twist = info["controls"][:2]
        self.assertEqual((bend["name"], bend["unit"]), ("bar.bend", "degree"))
        self.assertAlmostEqual(bend["max"], math.degrees(3.1))
        self.assertIsNone(twist["max"])
        self.assertIn("84 vertices", rigspace("info", "--rig-process", COMMAND).stdout)

    def test_render_draws_it(self):
        out = self.folder / "bar.png"
        result = rigspace("render", "--rig-process", COMMAND, "--size", 64, "--quality", "draft", "--set", "bar.bend=60", "-o", out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(out.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_a_process_killed_in_mid_run_is_started_again_and_that_is_said(self):
        out, done = self.folder / "bar.npy", self.folder / "done"
        command = f"{HOST} kill --once '{done}'"
        result = rigspace("eval", "--rig-process", command, "--set", "bar.bend=60", "-o", out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("was killed by signal 9 (Killed)", result.stderr)
        self.assertIn("it was started again", result.stderr)
        expected = bar.evaluate([math.radians(60), 0, 1, 0])
        self.assertLess(max(abs(a - b) for a, b in zip(self.values(out), expected, strict=True)), 1e-12)
        done.unlink()
        answer = json.loads(rigspace("eval", "--json", "--rig-process", command, "-o", out).stdout)
        self.assertEqual(len(answer["warnings"]), 1)

    def test_failures_have_exit_code_5_and_name_the_command(self):
        out = self.folder / "bar.npy"
        message = self.fails(5, "eval", "--rig-process", "no-such-rig-anywhere", "-o", out)
        self.assertIn('rig process "no-such-rig-anywhere": exited with status 127 (command not found)', message)
        message = self.fails(5, "eval", "--rig-process", HOST + " exit", "-o", out)
        self.assertIn("its last words: Traceback: the licence server is gone", message)
        message = self.fails(5, "eval", "--rig-process", HOST + " text-first", "-o", out)
        self.assertIn('begins with "Loading the rig"', message)
        # Two lives of two seconds: long enough for Python to start on a busy machine.
        message = self.fails(5, "eval", "--rig-timeout", 2, "--rig-process", HOST + " hang", "-o", out)
        self.assertIn("was silent for 2 s, and again after a restart", message)
        error = json.loads(rigspace("eval", "--json", "--rig-process", HOST + " nan", "-o", out).stdout)["error"]
        self.assertEqual(error["code"], "external_process")
        self.assertIn("nan", error["value"])

    def test_a_file_or_a_process_but_one_of_them(self):
        out = self.folder / "bar.npy"
        self.assertIn("FILE is missing", self.fails(2, "eval", "-o", out))
        self.assertIn("are both given", self.fails(2, "eval", "x.glb", "--rig-process", COMMAND, "-o", out))

    def test_a_wrong_control_comes_with_the_right_one(self):
        message = self.fails(3, "eval", "--rig-process", COMMAND, "--set", "bar.bent=1", "-o", self.folder / "bar.npy")
        self.assertIn('did you mean "bar.bend"', message)

    def test_an_interrupt_ends_a_wait_and_the_process(self):
        reader, writer = os.pipe()  # the child tells its number, so that it has begun, and that it lives
        command = f"echo $$ >&{writer}; {HOST} mute"
        with subprocess.Popen([PROGRAM, "eval", "--rig-process", command, "-o", self.folder / "bar.npy"],
                              pass_fds=[writer], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
            os.close(writer)
            self.assertNotEqual(os.read(reader, 100), b"")
            running.send_signal(signal.SIGINT)
            _, errors = running.communicate()
        self.assertEqual(running.returncode, 130, errors)
        self.assertEqual(os.read(reader, 100), b"")  # would wait for ever for a child that is left
        os.close(reader)


if __name__ == "__main__":
    unittest.main()
