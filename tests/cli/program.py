"""The program under test, and what its tests share."""
import array
import json
import math
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


def make_toy(path, names):
    """Solid boxes on nodes, one behind the other, without a skin; the clip Trot moves the first."""
    corners = [(x, y, z) for x in (-0.15, 0.15) for y in (-0.15, 0.15) for z in (-0.25, 0.25)]
    faces = (0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3)
    times = [k / 24 for k in range(25)]
    turns = [0.2 * math.sin(2 * math.pi * t) for t in times]
    blobs = [struct.pack("<24f", *sum(corners, ())), struct.pack("<36H", *faces), struct.pack("<25f", *times),
             b"".join(struct.pack("<4f", 0, math.sin(a), 0, math.cos(a)) for a in turns),
             b"".join(struct.pack("<3f", 0, 0.6 + 0.1 * abs(math.sin(2 * math.pi * t)), 0) for t in times)]
    views, data = [], b""
    for blob in blobs:
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(blob)})
        data += blob + b"\0" * (-len(blob) % 4)
    kinds = ((5126, 8, "VEC3"), (5123, 36, "SCALAR"), (5126, 25, "SCALAR"), (5126, 25, "VEC4"), (5126, 25, "VEC3"))
    accessors = [{"bufferView": k, "componentType": kind, "count": n, "type": shape} for k, (kind, n, shape) in enumerate(kinds)]
    accessors[0].update(min=[-0.15, -0.15, -0.25], max=[0.15, 0.15, 0.25])
    accessors[2].update(min=[0], max=[1])
    nodes = [{"name": name, "mesh": 0, "translation": [0, 0, -0.4], "scale": [0.8] * 3, "children": [k + 1]} for k, name in enumerate(names)]
    nodes[0].update(translation=[0, 0.6, 0], scale=[1, 1, 1])
    del nodes[-1]["children"]
    document = json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": nodes, "bufferViews": views,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}], "accessors": accessors,
        "buffers": [{"byteLength": len(data)}],
        "animations": [{"name": "Trot", "samplers": [{"input": 2, "output": 3}, {"input": 2, "output": 4}],
                        "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}},
                                     {"sampler": 1, "target": {"node": 0, "path": "translation"}}]}]}).encode()
    document += b" " * (-len(document) % 4)
    pathlib.Path(path).write_bytes(
        struct.pack("<III", 0x46546C67, 2, 28 + len(document) + len(data)) + struct.pack("<II", len(document), 0x4E4F534A) +
        document + struct.pack("<II", len(data), 0x004E4942) + data)


class OneFolder(unittest.TestCase):
    """A folder, `folder`, for all tests of the class."""

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)


class OneHero(OneFolder):
    """The same, with the first character of the cast in it, `hero`."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.hero = cls.folder / "hero.glb"
        make_hero(cls.hero)


class OwnFolder(unittest.TestCase):
    """A folder, `folder`, for each test."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)


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


class AfterAHerosRun(AfterAFirstRun):
    """The first run is one of the hero, in hero.soft.glb, .html and .json."""

    @classmethod
    def begin(cls, *arguments):
        """Returns what the run printed, and its recipe."""
        super().begin()
        make_hero(cls.first / "hero.glb")
        made = rigspace("simulate", cls.first / "hero.glb", *arguments)
        assert made.returncode == 0, made.stderr
        return made.stdout, json.loads((cls.first / "hero.soft.json").read_text())

    def setUp(self):
        super().setUp()
        self.hero, self.file = self.folder / "hero.glb", self.folder / "hero.soft.json"

    def run_it(self, *arguments):
        result = rigspace(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(self.file.read_text()), result.stdout

    def contents(self):
        return {name: (self.folder / name).read_bytes() for name in ("hero.soft.glb", "hero.soft.html", "hero.soft.json")}
