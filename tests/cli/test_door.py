"""What a new user meets: a floor in the file, a pose from the docs, titles in other scripts, and broken files."""
import json
import struct
import unittest

from program import Glb, OwnFolder, rigspace


def split(path):
    data = path.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20:20 + length]), bytearray(data[28 + length:])


def join(path, document, binary):
    while len(binary) % 4:
        binary.append(0)
    document["buffers"][0]["byteLength"] = len(binary)
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    path.write_bytes(struct.pack("<III", 0x46546C67, 2, 28 + len(text) + len(binary)) +
                     struct.pack("<II", len(text), 0x4E4F534A) + text +
                     struct.pack("<II", len(binary), 0x004E4942) + bytes(binary))


class Door(OwnFolder):
    def setUp(self):
        super().setUp()
        self.plain = self.folder / "bobbin.glb"
        rigspace("cast", "bobbin", "-o", self.plain)

    def with_floor(self):
        """A square of 8 m under the feet, as a mesh node of its own."""
        document, binary = split(self.plain)
        while len(binary) % 4:
            binary.append(0)
        corners = [(x, 0.0, z) for x in (-4.0, 4.0) for z in (-4.0, 4.0)]
        start = len(binary)
        for corner in corners:
            binary.extend(struct.pack("<3f", *corner))
        indices = len(binary)
        binary.extend(struct.pack("<6H", 0, 1, 2, 1, 3, 2))
        views, accessors = document["bufferViews"], document["accessors"]
        views += [{"buffer": 0, "byteOffset": start, "byteLength": 48},
                  {"buffer": 0, "byteOffset": indices, "byteLength": 12}]
        accessors += [{"bufferView": len(views) - 2, "componentType": 5126, "count": 4, "type": "VEC3",
                       "min": [-4, 0, -4], "max": [4, 0, 4]},
                      {"bufferView": len(views) - 1, "componentType": 5123, "count": 6, "type": "SCALAR"}]
        document["meshes"].append({"primitives": [{"attributes": {"POSITION": len(accessors) - 2},
                                                   "indices": len(accessors) - 1}]})
        document["nodes"].append({"name": "Square", "mesh": len(document["meshes"]) - 1})
        document["scenes"][0]["nodes"].append(len(document["nodes"]) - 1)
        path = self.folder / "floor.glb"
        join(path, document, binary)
        return path

    def test_a_floor_in_the_file_changes_no_part_and_no_rate(self):
        floor = self.with_floor()
        parts = [rigspace("parts", path).stdout.replace(path.name, "") for path in (self.plain, floor)]
        self.assertIn("belly", parts[0])
        self.assertEqual(*parts)
        summaries = []
        for path in (self.plain, floor):
            run = rigspace("simulate", path, "--part", "tail*=tail", "--clip", "Walk")
            self.assertEqual(run.returncode, 0, run.stderr)
            summaries.append([line for line in run.stdout.splitlines() if line.startswith("  tail ")])
            self.assertEqual('"Square" stands still and is no part of the character' in run.stdout, path == floor)
        self.assertEqual(*summaries)
        self.assertIn("Square", Glb(self.folder / "floor.soft.glb").names)

    def test_the_first_example_of_posing_reaches_its_target(self):
        run = rigspace("pose", self.plain, "--pull", "hand_l=+0,0.3,0.1", "-o", self.folder / "pose.glb")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("reached", run.stdout)

    def test_a_title_in_another_script_is_drawn(self):
        named = self.folder / "しっぽ.glb"
        named.write_bytes(self.plain.read_bytes())
        run = rigspace("render", named, "--sheet", "2", "--size", "64", "-o", self.folder / "x.png")
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_broken_files_are_one_sentence_and_exit_code_3(self):
        document, binary = split(self.plain)
        whole = self.plain.read_bytes()
        join(self.folder / "still.glb", {**document, "animations": []}, binary)
        join(self.folder / "empty_clip.glb", {**document, "animations": [{"channels": [], "samplers": []}]}, binary)
        join(self.folder / "bare.glb", {"asset": {"version": "2.0"}, "buffers": [{"byteLength": 0}]}, bytearray(4))
        (self.folder / "nothing.glb").write_bytes(b"")
        (self.folder / "text.glb").write_text("not a model\n")
        (self.folder / "half.glb").write_bytes(whole[:len(whole) // 2])
        (self.folder / "folder.glb").mkdir()
        for name, words in [("still", "has no clips"), ("empty_clip", "has no clip that lasts"),
                            ("bare", "has nothing that could move"), ("nothing", "is empty"),
                            ("text", "is no glTF file"), ("half", "get the whole file again"),
                            ("folder", "has no characters in it"), ("missing", "does not exist")]:
            run = rigspace(self.folder / f"{name}.glb")
            self.assertEqual(run.returncode, 3, f"{name}: {run.stderr}")
            self.assertIn(words, run.stderr)
            self.assertEqual(run.stderr.strip().count("\n"), 0, run.stderr)
            self.assertFalse((self.folder / f"{name}.soft.glb").exists())


if __name__ == "__main__":
    unittest.main()
