"""Flesh shaped by forces: rigspace forces."""
import json
import unittest

from program import OwnFolder, rigspace


class Forces(OwnFolder):
    def setUp(self):
        super().setUp()
        self.arm = self.folder / "arm.glb"
        self.assertEqual(rigspace("cast", "arm", "-o", self.arm).returncode, 0)

    def test_from_a_character_to_a_played_clip(self):
        rig = self.folder / "arm.rig.json"
        made = rigspace("forces", "lattice", self.arm, "--cells", "20", "--bulge", "upper_arm", "-o", rig, "--json")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(json.loads(made.stdout)["joints"], ["upper_arm", "forearm", "hand"])
        controls = json.loads(rigspace("info", rig, "--json").stdout)["controls"]
        self.assertIn("upper_arm_bulge", [control["name"] for control in controls])
        sculpt = self.folder / "sculpt.obj"
        posed = ("--set", "forearm.rx=60", "--set", "skin:biceps=1")
        self.assertEqual(rigspace("eval", self.arm, *posed, "-o", sculpt).returncode, 0)
        fitted = self.folder / "fitted.forces.json"
        fit = rigspace("forces", "fit", rig, "--target", sculpt, "--set", "forearm.rx=60", "--control", "forearm.rx",
                       "--name", "flex", "-o", fitted, "--json")
        self.assertEqual(fit.returncode, 0, fit.stderr)
        self.assertGreater(json.loads(fit.stdout)["less_percent"], 40)
        refused = rigspace("forces", "fit", rig, "--target", self.arm, "-o", self.folder / "other.forces.json")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("is no .obj", refused.stderr)
        together = rigspace("forces", "fit", rig, "--target", sculpt, "--set", "forearm.rx=40", "--free", "forearm.rx", "--vertices", "0-3000",
                            "-o", self.folder / "together.forces.json", "--json")
        self.assertEqual(together.returncode, 0, together.stderr)
        self.assertAlmostEqual(json.loads(together.stdout)["pose"]["forearm.rx"], 60, delta=4)
        out = self.folder / "out.glb"
        played = rigspace("forces", "simulate", fitted, "--clip", "Curl", "--fps", "6", "-o", out, "--json")
        self.assertEqual(played.returncode, 0, played.stderr)
        self.assertEqual(json.loads(played.stdout)["frames"], 13)
        self.assertIn("Curl", rigspace("info", out).stdout)

    def test_split_cells_belts_and_creases(self):
        rig = self.folder / "arm.rig.json"
        self.assertEqual(rigspace("forces", "lattice", self.arm, "--cells", "20", "-o", rig).returncode, 0)
        document = json.loads(rig.read_text())
        document["belts"] = [{"name": "band", "bone": "forearm", "along": 0.7, "width": 0.02, "tight": 0.9}]
        rig.write_text(json.dumps(document))
        sculpt = self.folder / "sculpt.obj"
        posed = ("--set", "forearm.rx=60", "--set", "skin:biceps=1")
        self.assertEqual(rigspace("eval", self.arm, *posed, "-o", sculpt).returncode, 0)
        errors, cells = {}, {}
        for levels in (0, 1):
            fitted = self.folder / f"fitted{levels}.forces.json"
            fit = rigspace("forces", "fit", rig, "--target", sculpt, "--set", "forearm.rx=60", "--control",
                           "forearm.rx", "--name", "flex", *(("--refine", "0.001", "--levels", "1") if levels else ()),
                           "-o", fitted, "--json")
            self.assertEqual(fit.returncode, 0, fit.stderr)
            errors[levels], cells[levels] = (json.loads(fit.stdout)[key] for key in ("after", "cells"))
        self.assertLess(errors[1], 0.7 * errors[0])
        self.assertGreater(cells[1], cells[0])
        self.assertIn("split", json.loads(fitted.read_text())["rigs"][0])
        played = rigspace("forces", "simulate", fitted, "--clip", "Curl", "--fps", "6", "--creases", "-o",
                          self.folder / "out.mdd", "--json")
        self.assertEqual(played.returncode, 0, played.stderr)
        self.assertIn("contacts", json.loads(played.stdout))
        other = self.folder / "other.forces.json"
        moved = rigspace("forces", "transfer", fitted, "--to", self.arm, "-o", other)
        self.assertEqual(moved.returncode, 0, moved.stderr)
        self.assertEqual(json.loads(other.read_text())["rigs"][0]["split"], json.loads(fitted.read_text())["rigs"][0]["split"])

    def test_what_is_wrong_is_said_in_one_sentence(self):
        self.rig, self.sculpt = self.folder / "arm.rig.json", self.folder / "sculpt.obj"
        self.assertEqual(rigspace("forces", "lattice", self.arm, "--cells", "20", "-o", self.rig).returncode, 0)
        self.assertEqual(rigspace("eval", self.arm, "-o", self.sculpt).returncode, 0)
        for arguments, sentence in (
                (("lattice", self.arm, "-o", self.folder / "arm.glb2"), "end it in .forces.json"),
                (("lattice", self.arm, "--bulge", "leg", "-o", self.folder / "x.forces.json"), "is not a joint of the skin"),
                (("lattice", self.arm, "--cells", "1", "-o", self.folder / "x.forces.json"), "expected 8 to 200000"),
                (("fit", self.rig, "--target", self.sculpt, "--free", "tail*", "-o", self.folder / "y.forces.json"), "tail*"),
                (("fit", self.rig, "--target", self.sculpt, "--vertices", "4-x", "-o", self.folder / "y.forces.json"), "such as 0-99,205"),
                (("transfer", self.rig, "--to", self.arm, "--map", "hand", "-o", self.folder / "y.forces.json"), "pairs no joints"),
                (("transfer", self.rig, "--to", self.arm, "--map", "hand=hoof", "-o", self.folder / "y.forces.json"), "is not a joint of the skin"),
                (("simulate", self.folder / "none.forces.json", "-o", self.folder / "o.glb"), "none.forces.json")):
            result = rigspace("forces", *arguments)
            self.assertIn(result.returncode, (2, 3), arguments)
            self.assertIn(sentence, result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)


if __name__ == "__main__":
    unittest.main()
