"""Input that asks for too much, or is much: what is bounded says its bound, and the rest takes time in proportion.

Bounds of time and memory are those of the operating system for the process: processor seconds and bytes, ten times and
more above what was measured, so that a busy machine does not matter and work that grows with the square does."""
import json
import os
import resource
import struct
import subprocess
import unittest

from program import PROGRAM, OwnFolder, rigspace

ANNOUNCE = """
import sys
count = int(sys.argv[1])
sys.stdout.write('{"rigspace": 1, "points": 3, "controls": [')
sys.stdout.write(','.join('{"name": "c%d"}' % k for k in range(count)))
sys.stdout.write(']}\\n')
sys.stdout.flush()
"""
ENDLESS = """
import sys
sys.stdout.write('{"rigspace": 1, "name": "')
while True:
    sys.stdout.write('x' * 65536)
"""


class Bounds(OwnFolder):
    def limited(self, *arguments, seconds=60, megabytes=4096):
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

        return rigspace(*arguments, preexec_fn=limit, env={**os.environ, "RIGSPACE_THREADS": "1"})

    def refused(self, code, sentence, *arguments, **limits):
        result = self.limited(*arguments, **limits)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn(sentence, result.stderr)
        return result

    def script(self, name, text, *arguments):
        path = self.folder / name
        path.write_text(text)
        return " ".join(["exec /usr/bin/python3 -S", f"'{path}'", *arguments])

    def rig(self, name, **sections):
        mesh = self.folder / "bobbin.glb"
        if not mesh.exists():
            rigspace("cast", "bobbin", "-o", mesh)
        path = self.folder / f"{name}.rig.json"
        path.write_text(json.dumps({"rigspace_rig": 1, "mesh": mesh.name, **sections}))
        return path

    def test_a_process_that_announces_two_million_controls_is_refused(self):
        command = self.script("announce.py", ANNOUNCE, "2000000")
        self.refused(5, "has 2000000 entries", "info", "--rig-process", command)

    def test_a_first_line_without_end_is_refused_within_its_bound(self):
        command = self.script("endless.py", ENDLESS)
        self.refused(5, "longer than 64 MiB", "info", "--rig-process", command, megabytes=1500)

    def test_three_hundred_thousand_controls_of_a_rig_file_are_read(self):
        path = self.rig("many", controls=[{"name": f"c{k}"} for k in range(300_000)])
        result = self.limited("info", path, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertGreater(len(json.loads(result.stdout)["controls"]), 300_000)

    def test_twenty_thousand_chained_drivers_are_read(self):
        drivers = [{"name": "d0", "to": "own"}]
        drivers += [{"name": f"d{k}", "to": f"d{k - 1} + 1"} for k in range(1, 20_000)]
        path = self.rig("chain", controls=[{"name": "own"}], drivers=drivers)
        result = self.limited("info", path)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_clip_of_thirty_years_is_refused_by_name(self):
        path = self.folder / "bobbin.glb"
        rigspace("cast", "bobbin", "-o", path)
        data = bytearray(path.read_bytes())
        length = struct.unpack_from("<I", data, 12)[0]
        document, binary = json.loads(data[20:20 + length]), data[20 + length:]
        clip = document["animations"][0]
        for index in {sampler["input"] for sampler in clip["samplers"]}:
            accessor = document["accessors"][index]
            view = document["bufferViews"][accessor["bufferView"]]
            last = 8 + view.get("byteOffset", 0) + accessor.get("byteOffset", 0) + 4 * (accessor["count"] - 1)
            struct.pack_into("<f", binary, last, 1e9)
            accessor["max"] = [1e9]
        text = json.dumps(document).encode()
        text += b" " * (-len(text) % 4)
        long = self.folder / "long.glb"
        long.write_bytes(struct.pack("<III", 0x46546C67, 2, 20 + len(text) + len(binary)) +
                         struct.pack("<II", len(text), 0x4E4F534A) + text + binary)
        out = self.folder / "out.glb"
        self.refused(3, f'clip "{clip["name"]}" lasts 1e+09 s', "simulate", long, "-o", out)
        self.assertFalse(out.exists())

    def test_a_step_of_a_nanosecond_is_shown_as_it_was_given(self):
        path = self.rig("plain")
        self.refused(2, "physics step is 1e-09; expected", "simulate", path, "--step", "1e-9", "-o",
                     self.folder / "out.glb")


if __name__ == "__main__":
    unittest.main()
