"""The program under test, and what its tests share."""
import array
import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["RIGSPACE_PROGRAM"]


def rigspace(*arguments, **options):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, **options)


class Glb:
    """A binary glTF file, opened far enough to compare numbers."""

    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        length = struct.unpack_from("<I", data, 12)[0]
        self.document = json.loads(data[20 : 20 + length])
        self.binary = data[28 + length :]
        self.names = [node.get("name") for node in self.document["nodes"]]

    def rows(self, index):
        """The rows of an accessor, as tuples."""
        accessor = self.document["accessors"][index]
        view = self.document["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}[accessor["type"]]
        row = struct.Struct("<" + str(width) + {5121: "B", 5123: "H", 5125: "I", 5126: "f"}[accessor["componentType"]])
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        step = view.get("byteStride", row.size)
        return [row.unpack_from(self.binary, start + step * k) for k in range(accessor["count"])]

    def channels(self, name):
        """Key times and values by (node, path), of one animation."""
        animation = next(a for a in self.document["animations"] if a["name"] == name)
        samplers = animation["samplers"]
        return {
            (self.names[c["target"]["node"]], c["target"]["path"]):
                tuple(self.rows(samplers[c["sampler"]][k]) for k in ("input", "output"))
            for c in animation["channels"]}

    def influences(self):
        """For each vertex, in the order of `eval`: its weights by joint, without zeros."""
        result = []
        for node in self.document["nodes"]:
            if "skin" not in node:
                continue
            joints = [self.names[j] for j in self.document["skins"][node["skin"]]["joints"]]
            for primitive in self.document["meshes"][node["mesh"]]["primitives"]:
                attributes = primitive["attributes"]
                assert "JOINTS_1" not in attributes, "more than four influences"
                for chosen, weights in zip(self.rows(attributes["JOINTS_0"]), self.rows(attributes["WEIGHTS_0"])):
                    vertex = {}
                    for joint, weight in zip(chosen, weights):
                        if weight:
                            vertex[joints[joint]] = vertex.get(joints[joint], 0) + weight
                    result.append(vertex)
        return result


def glb_json(path):
    return Glb(path).document


def points(file, folder, *arguments):
    """What `eval` says, as a flat array x y z x y z .."""
    out = pathlib.Path(folder) / "points.npy"
    result = rigspace("eval", file, *arguments, "-o", out)
    assert result.returncode == 0, result.stderr
    data = out.read_bytes()
    out.unlink()
    assert data[:6] == b"\x93NUMPY"
    start = 10 + struct.unpack_from("<H", data, 8)[0]
    values = array.array("d", data[start:])
    header = data[10:start].decode()
    assert "'<f8'" in header and f"({len(values) // 3}, 3)" in header, header
    return values


def apart(a, b):
    """The distance between each two points."""
    assert len(a) == len(b)
    return [((a[i] - b[i]) ** 2 + (a[i + 1] - b[i + 1]) ** 2 + (a[i + 2] - b[i + 2]) ** 2) ** 0.5 for i in range(0, len(a), 3)]


def height(x):
    return max(x[1::3]) - min(x[1::3])


def asset(relative):
    """The path of a third-party asset, or None where it is absent (an error under RIGSPACE_REQUIRE_ASSETS=1)."""
    default = pathlib.Path(__file__).resolve().parents[3] / "shared/assets"
    path = pathlib.Path(os.environ.get("RIGSPACE_ASSETS", default)) / relative
    if path.exists():
        return path
    if os.environ.get("RIGSPACE_REQUIRE_ASSETS"):
        raise FileNotFoundError(f"asset {relative} is required")
    return None


def make_hero(path):
    """The first character of the cast as a file."""
    listed = json.loads(rigspace("cast", "--json").stdout)
    made = rigspace("cast", listed[0]["name"], "-o", path)
    assert made.returncode == 0, made.stderr


class AfterAFirstRun(unittest.TestCase):
    """A run is made once, in the folder `first`; each test has a copy of it, `folder`."""

    @classmethod
    def begin(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.first = pathlib.Path(cls.temporary.name) / "first"
        cls.first.mkdir()

    def setUp(self):
        self.folder = pathlib.Path(self.temporary.name) / "again"
        shutil.copytree(self.first, self.folder)
        self.addCleanup(shutil.rmtree, self.folder)

    def fails(self, code, *arguments):
        """One sentence, and every file as it was."""
        before = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        result = rigspace(*arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        self.assertEqual({path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}, before)
        self.assertFalse(list(self.folder.rglob("*.partial")))
        return result.stderr
