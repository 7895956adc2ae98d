"""simulate --paper: the papers' choices, the table of steps and the arrays that a run was made of."""
import array
import ast
import csv
import json
import struct
import subprocess
import unittest
import zipfile

from program import PROGRAM, OneFolder, rigspace


def arrays(path):
    """All arrays of an .npz by name: shape, and values in C order. By hand, since NumPy may be absent."""
    result = {}
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None
        for name in file.namelist():
            data = file.read(name)
            assert data[:8] == b"\x93NUMPY\x01\x00", name
            end = 10 + struct.unpack_from("<H", data, 8)[0]
            header = ast.literal_eval(data[10:end].decode())
            kind, body = header["descr"], data[end:]
            if kind.startswith("<U"):
                width = 4 * int(kind[2:])
                values = [body[k : k + width].decode("utf-32-le").rstrip("\0") for k in range(0, len(body), width)]
            else:
                values = array.array({"<f8": "d", "<i4": "i"}[kind], body)
            result[name.removesuffix(".npy")] = (header["shape"], values)
    return result


class Paper(OneFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.bar = cls.folder / "bar.rig.json"
        assert rigspace("cast", "bar", "-o", cls.bar).returncode == 0
        cls.report, cls.dump = cls.folder / "steps.csv", cls.folder / "run.npz"
        cls.result = cls.simulate("bar.paper.rigspace.json", "--report", cls.report, "--dump", cls.dump)

    @classmethod
    def simulate(cls, out, *options):
        return rigspace("simulate", cls.bar, "--clip", "Swing", "--end", "0.2", "--part", "p?=flesh", "--young", "1e5",
                        "--paper", *options, "-o", cls.folder / out, "--json")

    def test_steps_by_a_hundredth_within_twenty_iterations(self):
        self.assertEqual(self.result.returncode, 0, self.result.stderr)
        with open(self.report, newline="") as file:
            steps = list(csv.DictReader(file))
        self.assertEqual(len(steps), 20)
        for k, step in enumerate(steps):
            self.assertAlmostEqual(float(step["time_s"]), 0.01 * (k + 1), places=9)
            self.assertEqual(step["converged"], "1")
            self.assertLessEqual(int(step["iterations"]), 20)
            self.assertLessEqual(float(step["gradient_n"]), 1e-3)
            self.assertGreater(int(step["rig_evaluations"]), 0)

    def test_arrays_fit_each_other(self):
        a = arrays(self.dump)
        self.assertEqual(a["control_names"][1], ["p1", "p2", "p3", "p4"])
        nodes, moments = a["rest_nodes"][0][0], a["times"][0][0]
        self.assertEqual(moments, 21)
        self.assertEqual(a["controls"][0], (4, moments))
        self.assertEqual(a["nodes"][0], (3 * nodes, moments))
        self.assertEqual(a["jacobian"][0], (3 * a["skin_nodes"][0][0], 4))
        self.assertEqual(a["masses"][0], (nodes,))
        self.assertLess(max(a["tets"][1]), nodes)
        # A bar of 1 x 0.15 x 0.15 m, its edges rounded and a little proud of that, at 1000 kg/m^3.
        self.assertAlmostEqual(sum(a["masses"][1]), 22.5, delta=3)
        self.assertGreater(max(map(abs, a["deviation"][1])), 0.01)

    def test_the_recipe_remembers(self):
        recipe = json.loads((self.folder / "bar.paper.json").read_text())
        self.assertTrue(recipe["options"]["paper"])
        self.assertEqual(recipe["options"]["solver"], "bfgs")
        self.assertEqual((recipe["options"]["step"], recipe["options"]["integrator"]), (0.01, "euler"))

    def test_a_run_that_was_killed_goes_on_and_ends_in_the_same_bytes(self):
        outputs = [self.folder / name for name in ("long.rigspace.json", "long.glb", "long.html", "long.json", "long.csv")]
        command = ["simulate", self.bar, "--clip", "Swing", "--end", "0.4", "--step", "0.002", "--part", "p?=flesh",
                   "--young", "1e5", "--paper", "--report", outputs[-1], "-o", outputs[0]]
        self.assertEqual(rigspace(*command).returncode, 0)
        unbroken = [path.read_bytes() for path in outputs]
        for path in outputs:
            path.unlink()
        process = subprocess.Popen([PROGRAM, *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not list((self.folder / "long.rigspace.json.partial").glob("checkpoint_????")):
            self.assertIsNone(process.poll())
        process.kill()
        process.wait()
        resumed = rigspace(*command, "--json")
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertGreater(json.loads(resumed.stdout)["resumed_at"], 0.5)
        self.assertTrue([path.read_bytes() for path in outputs] == unbroken)  # megabytes are not to be shown

    def test_interiors_differ(self):
        results = {}
        for interior in ("still", "carried"):
            dump = self.folder / f"{interior}.npz"
            result = self.simulate(f"{interior}.rigspace.json", "--interior", interior, "--dump", dump)
            self.assertEqual(result.returncode, 0, result.stderr)
            results[interior] = arrays(dump)["controls"][1]
        self.assertNotEqual(results["still"], results["carried"])

    def test_joints_of_a_mesh_are_controls_too(self):
        mesh, report = self.folder / "bobbin.glb", self.folder / "tail.csv"
        self.assertEqual(rigspace("cast", "bobbin", "-o", mesh).returncode, 0)
        result = rigspace("simulate", mesh, "--paper", "--clip", "Walk", "--end", "0.03", "--part", "tail*=tail",
                          "--young", "2e5", "--report", report, "-o", self.folder / "bobbin.soft.glb", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(report.read_text().splitlines()), 1 + 3)

    def test_what_cannot_be_is_refused(self):
        for options, word in ((["--report", self.folder / "x.txt"], ".csv"), (["--dump", self.folder / "x.npy"], ".npz"),
                              (["--collide", "ground"], "--paper")):
            result = self.simulate("x.rigspace.json", *options)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(word, result.stderr + result.stdout)
        result = rigspace("simulate", self.bar, "--part", "p?=flesh", "--report", self.folder / "y.csv", "-o",
                          self.folder / "y.rigspace.json")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--paper", result.stderr)


if __name__ == "__main__":
    unittest.main()
