"""The program under test, and what its tests share."""
import json
import os
import pathlib
import struct
import subprocess

PROGRAM = os.environ["RIGSPACE_PROGRAM"]


def rigspace(*arguments, **options):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120, **options)


def glb_json(path):
    data = pathlib.Path(path).read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + length])


def make_hero(path):
    """The first character of the cast as a file."""
    listed = json.loads(rigspace("cast", "--json").stdout)
    made = rigspace("cast", listed[0]["name"], "-o", path)
    assert made.returncode == 0, made.stderr
