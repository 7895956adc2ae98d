"""Outside of the tests: long_play.py [MINUTES] [CHARACTER] plays a clip for an hour, and prints every minute how much
memory the server has, and how far the live motion is from what `simulate` bakes, of the swing. Exit 1 if memory grows
by more than 5 % after the first minutes, or the difference is above 10 %."""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from client import Server, header, poses  # noqa: E402


def resident(process):
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024


def times(a, b):
    """The product of two quaternions x y z w."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


def deviation(soft, artist, node):
    """How a node departs from the artist's pose: a rotation vector (small angles) and a translation."""
    q, k = soft[10 * node + 3:10 * node + 7], artist[10 * node + 3:10 * node + 7]
    x, y, z, w = times((-k[0], -k[1], -k[2], k[3]), q)
    sign = 2 if w >= 0 else -2
    return [sign * x, sign * y, sign * z], [soft[10 * node + c] - artist[10 * node + c] for c in range(3)]


class Difference:
    """Root mean square of the difference of two motions, of that of the second."""

    def __init__(self):
        self.error = self.swing = 0.0

    def add(self, a, b):
        self.error += sum((x - y) ** 2 for x, y in zip(a, b))
        self.swing += sum(y * y for y in b)

    def share(self):
        return (self.error / self.swing) ** 0.5 if self.swing > 1e-15 else 0.0


def table(page, clip, count):
    """The poses of a clip at even times."""
    poses_of_clip = []
    for k in range(0, count, 24):
        poses_of_clip += page.do("poses.at", times=[clip["duration"] * (k + j) / count for j in range(24)])["poses"]
    return poses_of_clip


def main():
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    name = sys.argv[2] if len(sys.argv) > 2 else "peanut"
    with Server() as server:
        page = server.page()
        page.until(lambda: "server" in page.state)
        page.do("file.cast", name=name)
        page.opened()
        clip = page.state["file"]["clips"][0]
        page.do("play.set", clip=clip["name"], playing=False)
        page.until(lambda: page.state["bake"]["state"] == "ready")
        nodes = page.state["file"]["nodes"]
        moved = [nodes.index(node) for part in page.state["parts"]["chosen"] for node in part["nodes"]]
        count, latency = 240, 0.05  # s: live deviations come so much later (docs/realtime.md)
        baked = table(page, clip, count)
        page.do("play.set", muted=True)
        artists = table(page, clip, count)
        page.do("play.set", muted=False, playing=True)
        first, memory, worst = None, 0, 0
        for minute in range(max(1, round(minutes))):
            end, frames = time.monotonic() + 60 * min(1, minutes), 0
            settled = time.monotonic() + (10 if minute == 0 else 0)
            turns, shifts = Difference(), Difference()
            while time.monotonic() < end:
                before = page.frames
                page.take()
                if page.frames == before or time.monotonic() < settled:
                    continue
                frames += 1
                soft, artist = poses(page.frame)
                then = round((header(page.frame)[4] - latency) / clip["duration"] * count) % count
                for node in moved:
                    live, made = deviation(soft, artist, node), deviation(baked[then], artists[then], node)
                    turns.add(live[0], made[0])
                    shifts.add(live[1], made[1])
            memory = resident(server.process)
            first = first or memory
            worst = max(worst, turns.share(), shifts.share())
            print(f"minute {minute + 1}: {memory:.1f} MiB, {frames} frames; from the bake, of the swing: turns "
                  f"{100 * turns.share():.1f} %, shifts {100 * shifts.share():.1f} %", flush=True)
        page.close()
    sys.exit(1 if memory > 1.05 * first or worst > 0.1 else 0)


if __name__ == "__main__":
    main()
