"""What belly_modes.sh needs beside the rigspace program: clips named in a rig file, distances, pictures side by side.

    belly_figures.py clips RIG.rig.json CURVES.rigspace.json ..      the rig file names these curves too
    belly_figures.py widen RIG.rig.json PATTERN FACTOR               limits of controls farther out, for pictures
    belly_figures.py ways A.npy B.npy                                shares of x, y and z in what B is off A, in percent
    belly_figures.py apart A.npy B.npy [A.npy B.npy ..]              largest distance of points, in percent of the height
    belly_figures.py beside A.png B.png .. OUT.png                   in a row
    belly_figures.py below A.png B.png .. OUT.png                    in a column
    belly_figures.py over A.png B.png OUT.png                        both at once, coloured where they differ
    belly_figures.py peak CURVES.rigspace.json CLIP CONTROL          the time, s, at which it is farthest from 0
"""
import array
import fnmatch
import json
import pathlib
import struct
import sys
import zlib


def points(path):
    data = pathlib.Path(path).read_bytes()
    return array.array("d", data[10 + struct.unpack_from("<H", data, 8)[0] :])


def read_png(path):
    """Width, height and rows of RGB bytes: 8 bits, no alpha, not interlaced, as rigspace writes them."""
    data = pathlib.Path(path).read_bytes()
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack_from(">IIBB", data, at + 8)
            assert (depth, color) == (8, 2), "expected 8-bit RGB"
        if kind == b"IDAT":
            packed += data[at + 8 : at + 8 + length]
        at += 12 + length
    raw, stride, rows = zlib.decompress(packed), 3 * width, []
    above = bytearray(stride)
    for y in range(height):
        start = y * (stride + 1)
        kind, row = raw[start], bytearray(raw[start + 1 : start + 1 + stride])
        for x in range(stride):
            left, up = row[x - 3] if x >= 3 else 0, above[x]
            corner = above[x - 3] if x >= 3 else 0
            if kind == 4:
                p = left + up - corner
                d = abs(p - left), abs(p - up), abs(p - corner)
                guess = (left, up, corner)[d.index(min(d))]
            else:
                guess = (0, left, up, (left + up) // 2)[kind]
            row[x] = (row[x] + guess) & 255
        rows.append(row)
        above = row
    return width, height, rows


def write_png(path, width, rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packed, above = b"", bytes(3 * width)
    for row in rows:  # by the left neighbour or by the one above, whichever leaves less
        row = bytes(row)
        left = bytes((a - b) & 255 for a, b in zip(row, b"\0\0\0" + row))
        up = bytes((a - b) & 255 for a, b in zip(row, above))
        size = [sum(min(x, 256 - x) for x in line) for line in (left, up)]
        packed += b"\x01" + left if size[0] < size[1] else b"\x02" + up
        above = row
    header = struct.pack(">IIBBBBB", width, len(rows), 8, 2, 0, 0, 0)
    pathlib.Path(path).write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(packed, 9)) + chunk(b"IEND", b""))


def name_clips(rig, *files):
    path = pathlib.Path(rig)
    text = json.loads(path.read_text())
    clips = text.get("clips", [])
    text["clips"] = ([clips] if isinstance(clips, str) else clips) + list(files)
    path.write_text(json.dumps(text))


def widen(rig, pattern, factor):
    path = pathlib.Path(rig)
    text = json.loads(path.read_text())
    for control in text["controls"]:
        if fnmatch.fnmatchcase(control["name"], pattern):
            control["min"] *= float(factor)
            control["max"] *= float(factor)
    path.write_text(json.dumps(text))


def peak(curves, clip, control):
    clips = json.loads(pathlib.Path(curves).read_text())["clips"]
    tracks = next(c for c in clips if c["name"] == clip)["tracks"]
    track = next(t for t in tracks if t["control"] == control)
    print(max(zip(map(abs, track["values"]), track["times"]))[1])


def ways(first, second):
    a, b = points(first), points(second)
    squares = [sum((x - y) ** 2 for x, y in zip(a[k::3], b[k::3])) for k in range(3)]
    print(" ".join(f"{name} {100 * s / sum(squares):.0f} %" for name, s in zip("xyz", squares)))


def apart(*files):
    most = 0
    for first, second in zip(files[::2], files[1::2]):
        a, b = points(first), points(second)
        size = max(a[1::3]) - min(a[1::3])
        squares = [sum((a[3 * i + k] - b[3 * i + k]) ** 2 for k in range(3)) for i in range(len(a) // 3)]
        most = max(most, max(squares) ** 0.5 / size)
    print(f"{100 * most:.3f}")


def beside(*files):
    pictures = [read_png(file) for file in files[:-1]]
    rows = [b"".join(bytes(picture[2][y]) for picture in pictures) for y in range(min(p[1] for p in pictures))]
    write_png(files[-1], sum(p[0] for p in pictures), rows)


def below(*files):
    pictures = [read_png(file) for file in files[:-1]]
    width = max(p[0] for p in pictures)
    rows = [bytes(row) + b"\xff" * (3 * (width - p[0])) for p in pictures for row in p[2]]
    write_png(files[-1], width, rows)


def over(first, second, out):
    """Grey where they agree; bluer where the first is lighter, browner where it is darker, four times as much."""
    a, b = read_png(first), read_png(second)
    rows = []
    for row, other in zip(a[2], b[2]):
        line = bytearray()
        for x in range(0, len(row), 3):
            light, other_light = sum(row[x : x + 3]) / 3, sum(other[x : x + 3]) / 3
            mean, off = (light + other_light) / 2, 2 * (light - other_light)
            line += bytes(min(255, max(0, int(value))) for value in (mean - off, mean, mean + off))
        rows.append(line)
    write_png(out, a[0], rows)


if __name__ == "__main__":
    {"clips": name_clips, "widen": widen, "ways": ways, "peak": peak, "apart": apart, "beside": beside, "below": below,
     "over": over}[sys.argv[1]](*sys.argv[2:])
