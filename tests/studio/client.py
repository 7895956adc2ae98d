"""A studio and a page without a browser: starts `rigspace studio`, speaks HTTP and WebSocket to it."""

import base64
import http.client
import json
import os
import socket
import struct
import subprocess
import tempfile
import time
from pathlib import Path

PROGRAM = os.environ.get("RIGSPACE_PROGRAM", str(Path(__file__).resolve().parents[2] / "build/bin/rigspace"))


class Server:
    """A studio in a folder of its own; `with Server() as server`."""

    def __init__(self, *arguments, folder=None, state=None, environment=None):
        self._own = tempfile.TemporaryDirectory() if folder is None else None
        self.folder = Path(folder or self._own.name)
        self.state = Path(state or self.folder / "state")
        self._arguments = [str(each) for each in arguments]
        self._environment = {**os.environ, "RIGSPACE_STATE": str(self.state), **(environment or {})}
        self.start()

    def start(self, port=0):
        command = [PROGRAM, "--json", "studio", "--no-browser", "--out", str(self.folder), "--port", str(port)]
        self.process = subprocess.Popen(command + self._arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=self._environment)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(self.process.stderr.read())
        said = json.loads(line)
        self.port, self.address = said["port"], said["address"]
        self.token = self.address.split("token=")[1]

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=60)
        self.process.stdout.close(), self.process.stderr.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        if self._own:
            self._own.cleanup()

    def request(self, method, target, body=None, headers=None, token=True):
        """Status, headers and bytes. With `token` it goes along in the cookie."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        all_headers = {"Cookie": f"rigspace_token_{self.port}={self.token}"} if token else {}
        connection.putrequest(method, target, skip_host="Host" in (headers or {}))
        for name, value in {**all_headers, **(headers or {})}.items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, dict(answer.getheaders()), data

    def page(self, **more):
        return Page(self, **more)


class Page:
    """The WebSocket of a page. `state` has the slices as they came last, `frames` counts binary messages."""

    def __init__(self, server, origin=None, token=None):
        self.server, self.state, self.frames, self.frame, self.said, self._last = server, {}, 0, None, [], 0
        self._replies = {}
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET /socket?token={server.token if token is None else token} HTTP/1.1",
                 f"Host: 127.0.0.1:{server.port}", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
        if origin:
            lines.append(f"Origin: {origin}")
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        head = b""
        while b"\r\n\r\n" not in head:
            got = self.socket.recv(1)
            if not got:
                break
            head += got
        self.status = int(head.split(b" ")[1])
        if self.status != 101:
            self.socket.close()
            raise ConnectionError(head.decode(errors="replace"))

    def _exactly(self, count):
        data = b""
        while len(data) < count:
            got = self.socket.recv(count - len(data))
            if not got:
                raise ConnectionError("closed")
            data += got
        return data

    def send_raw(self, opcode, payload):
        mask = os.urandom(4)
        size = len(payload)
        head = struct.pack("!B", 0x80 | opcode)
        if size < 126:
            head += struct.pack("!B", 0x80 | size)
        elif size < 65536:
            head += struct.pack("!BH", 0x80 | 126, size)
        else:
            head += struct.pack("!BQ", 0x80 | 127, size)
        masked = bytes(b ^ mask[i % 4] for i, b in enumerate(payload)) if size < 65536 else \
            (int.from_bytes(payload, "little") ^ int.from_bytes((mask * (size // 4 + 1))[:size], "little")).to_bytes(size, "little")
        self.socket.sendall(head + mask + masked)

    def take(self):
        """Reads one message. Returns its JSON, or None for a frame."""
        first, second = self._exactly(2)
        size = second & 127
        if size == 126:
            size, = struct.unpack("!H", self._exactly(2))
        elif size == 127:
            size, = struct.unpack("!Q", self._exactly(8))
        payload = self._exactly(size)
        opcode = first & 15
        if opcode == 9:
            self.send_raw(10, payload)
            return self.take()
        if opcode == 8:
            raise ConnectionError("closed by the server")
        if opcode == 2:
            self.frames, self.frame = self.frames + 1, payload
            return None
        message = json.loads(payload)
        if message.get("event") == "state":
            self.state.update(message["slices"])
        if message.get("event") == "say":
            self.said.append(message)
        if "re" in message:
            self._replies[message["re"]] = message
        return message

    def do(self, command, **arguments):
        """Sends a command and returns its answer; an error as {'error': ..}."""
        self._last += 1
        self.send_raw(1, json.dumps({"id": self._last, "do": command, **arguments}).encode())
        while self._last not in self._replies:
            self.take()
        answer = self._replies.pop(self._last)
        return answer["ok"] if "ok" in answer else {"error": answer["error"]}

    def until(self, true, seconds=240):
        end = time.monotonic() + seconds
        while not true():
            if time.monotonic() > end:
                raise TimeoutError(f"state: {list(self.state)}, job {self.state.get('job')}, said {self.said}")
            self.take()

    def opened(self):
        """Waits until a character is shown and nothing is being prepared."""
        self.until(lambda: self.state.get("file") and self.state.get("job") is None)

    def close(self):
        self.socket.close()


def header(frame):
    """Of a binary frame: kind, revision, number, change, time, ms, flags, nodes, morphs."""
    return struct.unpack_from("<IIIIdfIII", frame)


def poses(frame):
    """The soft and the artist's numbers of a frame, as lists of floats."""
    _, _, _, _, _, _, flags, nodes, morphs = header(frame)
    size = 10 * nodes + morphs
    numbers = struct.unpack_from(f"<{size * (2 if flags & 2 else 1)}f", frame, 40)
    return numbers[:size], numbers[size:]


def points(frame):
    """The soft and the artist's points of a frame of a rig, as lists of floats, and the nodes of cells."""
    _, _, _, _, _, _, flags, nodes, morphs = header(frame)
    at = 40 + 4 * (10 * nodes + morphs) * (2 if flags & 2 else 1)
    artist, soft, cells = [], [], []
    if flags & 16:
        count, runs = struct.unpack_from("<II", frame, at)
        artist = list(struct.unpack_from(f"<{3 * count}f", frame, at + 8))
        soft, at = list(artist), at + 8 + 12 * count
        lengths = [struct.unpack_from("<II", frame, at + 8 * k) for k in range(runs)]
        at += 8 * runs
        for first, length in lengths:
            soft[3 * first:3 * (first + length)] = struct.unpack_from(f"<{3 * length}f", frame, at)
            at += 12 * length
    if flags & 32:
        count, = struct.unpack_from("<I", frame, at)
        cells = list(struct.unpack_from(f"<{3 * count}f", frame, at + 4))
        at += 4 + 12 * count
    assert at == len(frame), (at, len(frame))
    return soft, artist, cells
