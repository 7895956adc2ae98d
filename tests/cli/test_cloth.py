"""Garments over characters: rigspace cloth."""
import json
import unittest

from program import OwnFolder, make_hero, rigspace


def sheet_obj(middle, size, cells=4, extra=""):
    lines = []
    for j in range(cells + 1):
        for i in range(cells + 1):
            lines.append(f"v {middle[0] + size * (i / cells - 0.5)} {middle[1]} {middle[2] + size * (j / cells - 0.5)}")
    for j in range(cells):
        for i in range(cells):
            a = j * (cells + 1) + i + 1
            lines.append(f"f {a} {a + cells + 1} {a + cells + 2} {a + 1}")
    return "\n".join(lines) + "\n" + extra


class Cloth(OwnFolder):
    def setUp(self):
        super().setUp()
        self.hero = self.folder / "hero.glb"
        make_hero(self.hero)
        rest = self.folder / "rest.obj"
        self.assertEqual(rigspace("eval", self.hero, "-o", rest).returncode, 0)
        points = [[float(w) for w in line.split()[1:4]] for line in rest.read_text().splitlines() if line.startswith("v ")]
        self.top = max(points, key=lambda p: p[1])
        self.tail = max((p for p in points if p[2] < -0.3), key=lambda p: p[1])

    def simulate(self, garment, *more, output="cloth.obj"):
        file = self.folder / "garment.obj"
        file.write_text(garment)
        return rigspace("cloth", "simulate", self.hero, "--garment", file, "--unit", "1", "-o", self.folder / output, *more)

    def test_a_sheet_above_the_head_falls_and_is_written_frame_by_frame(self):
        above = [self.top[0], self.top[1] + 0.05, self.top[2]]
        result = self.simulate(sheet_obj(above, 0.3), "--to", "0.1", "--lead", "0.05", "--fps", "20", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        answer = json.loads(result.stdout)
        self.assertEqual((answer["clips"][0]["frames"], answer["points"], answer["held_points"]), (3, 25, 0))
        self.assertFalse((self.folder / "cloth.obj.partial").exists())
        self.assertEqual(len(answer["outputs"]), 3)
        last = (self.folder / "cloth_0002.obj").read_text().splitlines()
        self.assertLess(min(float(line.split()[2]) for line in last if line.startswith("v ")), above[1] - 1e-3)

    def test_a_garment_is_trained_and_comes_back_in_the_characters_file(self):
        above = [0, self.tail[1] + 0.05, -0.45]  # carried by several joints, so that its poses differ
        garment = self.folder / "garment.obj"
        garment.write_text(sheet_obj(above, 0.3))
        common = [self.hero, "--garment", garment, "--unit", "1", "--lead", "0.05", "--fps", "20", "--json"]
        database = self.folder / "sheet.cloth"
        trained = rigspace("cloth", "train", *common, "--clips", "Walk", "-o", database)
        self.assertEqual(trained.returncode, 0, trained.stdout + trained.stderr)
        self.assertGreater(json.loads(trained.stdout)["vectors"], 0)
        dressed = self.folder / "dressed.glb"
        result = rigspace("cloth", "simulate", *common, "--clip", "Walk", "--to", "0.1", "--database", database, "-o", dressed)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("garment", rigspace("info", dressed).stdout + rigspace("info", dressed, "--json").stdout)
        other = self.folder / "other.obj"
        other.write_text(sheet_obj(above, 0.31))
        common[2] = other
        refused = rigspace("cloth", "simulate", *common, "--database", database, "-o", dressed)
        self.assertEqual(refused.returncode, 3)
        self.assertIn("database of another garment", refused.stdout + refused.stderr)

    def test_a_body_of_points_over_time_wears_a_garment(self):
        (self.folder / "body.obj").write_text(sheet_obj([0, 0, 0], 1))
        (self.folder / "garment.obj").write_text(sheet_obj([0, 0.02, 0], 0.5))
        for k in range(2):
            (self.folder / f"moved_{k}.obj").write_text(sheet_obj([0, 0.05 * k, 0], 1))
        out = self.folder / "out.obj"
        result = rigspace("cloth", "simulate", self.folder / "body.obj", "--motion", self.folder / "moved_0.obj", "--garment",
                          self.folder / "garment.obj", "--unit", "1", "--lead", "0", "--fps", "5", "--to", "0.2", "-o", out)
        self.assertEqual(result.returncode, 0, result.stderr)
        heights = [float(line.split()[2]) for line in (self.folder / "out_0001.obj").read_text().splitlines() if line.startswith("v ")]
        self.assertGreater(min(heights), 0.05)  # lifted, not passed through
        self.assertEqual(rigspace("cloth", "simulate", self.hero, "--motion", out, "--garment", out, "-o", out).returncode, 2)

    def test_a_body_that_passes_through_itself_wears_a_garment(self):
        # Two slopes that face each other and cross at the bottom of their valley; the sheet lies above it.
        slopes = "v -0.3 0.6 -0.5\nv 0.02 -0.1 -0.5\nv 0.02 -0.1 0.5\nv -0.3 0.6 0.5\n" \
                 "v 0.3 0.6 -0.5\nv -0.02 -0.1 -0.5\nv -0.02 -0.1 0.5\nv 0.3 0.6 0.5\nf 1 4 3 2\nf 5 6 7 8\n"
        for name in ("body", "moved_0", "moved_1"):
            (self.folder / f"{name}.obj").write_text(slopes)
        (self.folder / "garment.obj").write_text(sheet_obj([0, 0.3, 0], 0.24, cells=6))
        out = self.folder / "out.obj"
        result = rigspace("cloth", "simulate", self.folder / "body.obj", "--motion", self.folder / "moved_0.obj", "--garment",
                          self.folder / "garment.obj", "--unit", "1", "--lead", "0", "--fps", "5", "--to", "0.2", "--json", "-o", out)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        clip = json.loads(result.stdout)["clips"][0]
        self.assertEqual(clip["unfinished"], 0)
        self.assertGreater(clip["body_triangles_out_of_contact"], 0)  # counted

    def test_what_cannot_be_worn_is_refused_in_one_sentence(self):
        far = self.simulate(sheet_obj([0, self.top[1] + 500, 0], 0.3))
        self.assertEqual(far.returncode, 3)
        self.assertIn("away from the body", far.stderr)
        above = [self.top[0], self.top[1] + 0.05, self.top[2]]
        fin = self.simulate(sheet_obj(above, 0.3, extra=f"v {above[0]} {above[1] + 0.1} {above[2]}\nf 1 2 26\nf 2 1 26\nf 1 26 2\n"))
        self.assertEqual(fin.returncode, 3)
        self.assertIn("edge of", fin.stderr)
        large = self.simulate(sheet_obj(above, 300))
        self.assertEqual(large.returncode, 3)
        self.assertIn("--scale", large.stderr)
        ending = self.simulate(sheet_obj(above, 0.3), output="cloth.txt")
        self.assertEqual(ending.returncode, 2)


if __name__ == "__main__":
    unittest.main()
