"""Nonsense for the studio's server: fuzz.py [COUNT] sends so many broken HTTP requests and WebSocket messages, and
expects that it still answers. Run it on a program that was built with sanitizers (./run sanitize) to see more."""

import json
import random
import socket
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from client import Server  # noqa: E402

COMMANDS = ["play.set", "parts.set", "parts.mode", "parts.preset", "parts.find", "controls.hold", "controls.release",
            "controls.stiffness", "controls.free", "controls.aim", "world.set", "poses.at", "curves.get", "curves.edit", "curves.layer", "curves.tolerance",
            "curves.clear", "modes.find", "modes.set", "pull.begin", "pull.move", "pull.end", "project.save", "job.cancel",
            "history.undo", "history.redo", "file.list", "file.open", "curves.merge", "sketch.look", "sketch.preview",
            "sketch.stroke", "sketch.change", "sketch.clear", "sketch.key", "sketch.choose", "sketch.cancel",
            "effectors.prepare", "effectors.drag", "effectors.pin", "effectors.end", "effectors.clear",
            "forces.make", "forces.place", "forces.select", "forces.set", "forces.remove", "forces.drag", "forces.end", "forces.release",
            "forces.fit", "forces.undo", "forces.keep",
            "weights.prepare", "weights.compute", "weights.paint", "weights.undo", "weights.redo", "weights.keep",
            "cage.make", "cage.drag", "cage.end", "cage.undo", "cage.reset", "cage.keep", "no.such"]
FIELDS = ["clip", "time", "playing", "speed", "loop", "live", "muted", "part", "field", "value", "from", "to", "candidate",
          "mode", "preset", "values", "pattern", "collide", "friction", "material", "unit", "times", "controls", "control",
          "keys", "mute", "influence", "count", "factor", "point", "dynamic", "pull", "position", "keep", "path",
          "gravity", "cells", "on", "joint", "handle", "beyond", "target", "stroke", "camera", "aspect", "points", "closed",
          "curve", "locked", "remove", "all", "abstraction", "eye", "fov", "effector", "pinned", "template", "rig", "number",
          "nearest", "name", "method", "influences", "smoothing", "strength", "mirrored", "faces", "coordinates", "offset",
          "radius"]
CAMERA = {"eye": [0, 1, 4], "target": [0, 1, 0], "fov": 32}


def value(random, depth=0):
    kind = random.randrange(14 if depth < 3 else 9)
    if kind == 0:
        return None
    if kind == 1:
        return random.random() < 0.5
    if kind == 2:
        return random.choice([0, 1, -1, 2**31, -2**63, 10**18, 1e308, -1e-308, 0.5, 3])
    if kind == 3:
        return random.uniform(-2, 2)
    if kind < 8:
        return random.choice(["", "Walk", "tail", "amount", "rate", "soft", "firm", "belly", "tail_01.rx", "../x", "/etc/passwd",
                              "\u0000", "x" * 3000, "*", "tail*=tail", "sphere:0,0,0,1", "sphere:", "stiffening", "ground",
                              "stick", "outline", "action", "drawn", "bump", "torus", "strength", "radius",
                              "falloff", "add", "smooth", "mean-value", "harmonic"])
    if kind == 8:
        return random.randrange(-5, 50)
    if kind < 11:
        return [value(random, depth + 1) for _ in range(random.randrange(5))]
    return {random.choice(FIELDS + ["time", "value", "in", "out", "tail_01.rx"]): value(random, depth + 1)
            for _ in range(random.randrange(5))}


def message(random):
    whole = {"id": random.randrange(10**6), "do": random.choice(COMMANDS)}
    for _ in range(random.randrange(5)):
        whole[random.choice(FIELDS)] = value(random)
    if whole["do"] in ("sketch.stroke", "sketch.preview", "sketch.look") and random.random() < 0.6:  # nearly a stroke
        whole.update(camera=CAMERA, aspect=1.5, stroke=str(random.randrange(9)),
                     points=[[random.uniform(-1, 1), random.uniform(-1, 1)] for _ in range(random.randrange(12))])
        whole[random.choice(["camera", "aspect", "points", "stroke", "curve"])] = value(random)
    if whole["do"] == "weights.paint" and random.random() < 0.7:  # nearly a stroke of the brush
        whole.update(mode=random.choice(["add", "subtract", "smooth"]), joint=random.choice(["tail_01", "head", "hips"]), radius=random.uniform(0.01, 0.4),
                     points=[random.randrange(3000) for _ in range(random.randrange(6))], strength=random.random(), stroke=random.randrange(5), mirrored=random.random() < 0.5)
        whole[random.choice(["mode", "joint", "points", "radius", "strength"])] = value(random)
    if whole["do"] in ("cage.drag", "cage.end") and random.random() < 0.7:  # nearly a hand on the cage
        whole.update(point=random.randrange(30), target=[random.uniform(-1, 1) for _ in range(3)], radius=random.uniform(0, 1), keep=random.random() < 0.5)
        whole[random.choice(["point", "target", "radius", "keep"])] = value(random)
    text = json.dumps(whole)
    if random.random() < 0.2:  # and broken
        cut = bytearray(text.encode())
        for _ in range(random.randrange(1, 6)):
            cut[random.randrange(len(cut))] = random.randrange(32, 127)
        text = cut[:random.randrange(1, len(cut) + 1)].decode()
    return text


def request(random, server):
    method = random.choice(["GET", "GET", "PUT", "POST", "HEAD", "G" * 300, "\x00"])
    target = random.choice(["/", "/file/1/model.glb", "/out/x", "/upload/x.glb", "/socket", "/" + "a" * random.randrange(20000), "*",
                            "/%", "/%zz", "/%2e%2e/", "http://x/", "", "/\xff"])
    lines = [f"{method} {target}?token={server.token} HTTP/{random.choice(['1.1', '1.0', '9', ''])}"]
    for _ in range(random.randrange(6)):
        lines.append(random.choice([f"Host: 127.0.0.1:{server.port}", "Host: x", "Content-Length: 5", "Content-Length: -1",
                                    "Transfer-Encoding: chunked", "Upgrade: websocket", "Connection: Upgrade", "Cookie: " + "a=b;" * 50,
                                    "Sec-WebSocket-Key: x", "Sec-WebSocket-Version: 13", ":", "x" * 5000]))
    body = bytes(random.randrange(256) for _ in range(random.randrange(40)))
    return "\r\n".join(lines).encode("latin-1", "replace") + random.choice([b"\r\n\r\n", b"\n", b""]) + body


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    chance = random.Random(19)
    with tempfile.TemporaryDirectory() as folder:
        with Server(folder=folder) as server:
            page = server.page()
            page.until(lambda: "server" in page.state)
            page.do("file.cast", name="bobbin")
            page.opened()
            page.do("weights.prepare")
            page.do("cage.make", faces=60, coordinates="mean-value")
            page.until(lambda: page.state["weights"]["state"] == "ready" and page.state["cage"]["state"] == "draft")
            page.do("play.set", clip="Walk", playing=True)
            for k in range(count):
                if k % 2:
                    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
                        try:
                            connection.sendall(request(chance, server))
                            connection.shutdown(socket.SHUT_WR)
                            connection.recv(1000)
                        except OSError:
                            pass
                else:
                    page.send_raw(1, message(chance).encode())
                if k % 50 == 0:  # read what came, so that nothing waits
                    assert "error" not in page.do("file.list")
                    if server.process.poll() is not None:
                        break
            raw = server.page()  # frames that are none
            raw.socket.sendall(bytes(chance.randrange(256) for _ in range(2000)))
            raw.close()
            assert "error" not in page.do("file.list")
            assert server.request("GET", "/")[0] == 200
            assert server.process.poll() is None
            page.close()
            server.process.terminate()
            code = server.process.wait(timeout=120)
            complaint = server.process.stderr.read()
            assert code in (0, 130) and "Sanitizer" not in complaint and "runtime error" not in complaint, (code, complaint[-3000:])
    print(f"{count} messages and requests; the server answers still")


if __name__ == "__main__":
    main()
