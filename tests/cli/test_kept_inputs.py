"""No command writes over a file that it reads, under whatever name it reads it."""
import unittest

from program import OwnFolder, make_hero, rigspace

SHEET = "v 0 3 0\nv 0.3 3 0\nv 0 3 0.3\nv 0.3 3 0.3\nf 1 3 4 2\n"


class KeptInputs(OwnFolder):
    def setUp(self):
        super().setUp()
        self.hero = self.folder / "hero.glb"
        make_hero(self.hero)

    def refused(self, kept, what, *arguments):
        before = kept.read_bytes()
        result = rigspace(*arguments, "-o", kept)
        self.assertEqual(result.returncode, 2, (arguments, result.stdout + result.stderr))
        self.assertEqual(result.stderr, f"rigspace: {kept}: is the {what} itself; give the output another name: the "
                                        "artist's file is never overwritten\n")
        self.assertEqual(kept.read_bytes(), before, arguments)

    def test_a_character_that_is_dressed(self):
        garment = self.folder / "sheet.obj"
        garment.write_text(SHEET)
        self.refused(self.hero, "input", "cloth", "simulate", self.hero, "--garment", garment, "--to", "0.01")
        self.assertEqual(list(self.folder.glob("*.partial")) + list(self.folder.glob("*.lock")), [])

    def test_a_character_that_is_trained(self):
        self.refused(self.hero, "input", "train", self.hero)
        text, nowhere = self.folder / "hero.txt", self.folder / "none" / "hero.rigmodel"
        for output, said in ((text, f"rigspace: {text}: has the extension .txt; this command writes .rigmodel\n"),
                             (nowhere, f"rigspace: {nowhere}: cannot be written: its folder does not exist; create {nowhere.parent}\n")):
            result = rigspace("train", self.hero, "-o", output)
            self.assertNotEqual(result.returncode, 0)
            self.assertEqual(result.stderr, said)
            self.assertFalse(output.exists())

    def test_the_mesh_of_a_rig_file(self):
        rig = self.folder / "hero.rig.json"
        self.assertEqual(rigspace("rig", "new", self.hero, "-o", rig).returncode, 0)
        of = f"mesh of {rig}"
        clip = rigspace("info", self.hero, "--json").stdout.split('"clips"')[1].split('"name": "')[1].split('"')[0]
        self.refused(self.hero, of, "simulate", rig, "--clip", clip)
        self.refused(self.hero, of, "curves", "fit", rig, "--clip", clip)
        self.refused(self.hero, of, "sketch", "pose", rig, "--strokes", self.folder / "none.svg")
        self.refused(self.hero, of, "convert", rig)

    def test_what_a_force_rig_shapes(self):
        arm, rig = self.folder / "arm.glb", self.folder / "arm.rig.json"
        self.assertEqual(rigspace("cast", "arm", "-o", arm).returncode, 0)
        self.assertEqual(rigspace("forces", "lattice", arm, "--cells", "40", "-o", rig).returncode, 0)
        self.refused(arm, f"mesh of {rig}", "forces", "simulate", rig, "--clip", "Curl")
        self.refused(rig, "input", "forces", "transfer", rig, "--to", arm)

    def test_files_that_are_read_beside_the_input(self):
        other, fix = self.folder / "other.glb", self.folder / "fix.rigspace.json"
        make_hero(other)
        self.assertEqual(rigspace("convert", self.hero, "-o", fix).returncode, 0)
        clip = rigspace("info", self.hero, "--json").stdout.split('"clips"')[1].split('"name": "')[1].split('"')[0]
        self.refused(other, "file with the weights", "rig", "weights", self.hero, "--from", other)
        self.refused(other, "file with the skeleton", "rig", "weights", self.hero, "--skeleton", other)
        self.refused(fix, "layer", "curves", "merge", self.hero, "--clip", clip, "--layer", f"over={fix}:{clip}")


if __name__ == "__main__":
    unittest.main()
