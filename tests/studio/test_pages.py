"""The studio's state as pages see it: parts, live motion, undo, hands, results that are opened again."""

import json
import math
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from client import PROGRAM, header, points, poses  # noqa: E402
from program import Glb  # noqa: E402
from studio_case import Studio  # noqa: E402


class WhatPagesSee(Studio):
    def test_the_file_its_parts_and_their_reasons(self):
        file, parts = self.page.state["file"], self.page.state["parts"]
        self.assertEqual(file["name"], "hero.glb")
        self.assertIn("Walk", [clip["name"] for clip in file["clips"]])
        self.assertTrue(self.part()["reason"])
        self.assertGreater(self.part()["used"]["rate"], 0)
        status, headers, glb = self.server.request("GET", f"/file/{file['revision']}/model.glb")
        self.assertEqual((status, headers["Content-Type"], glb[:4]), (200, "model/gltf-binary", b"glTF"))
        _, _, shares = self.server.request("GET", f"/file/{file['revision']}/shares.bin")
        self.assertEqual(len(shares), file["points"] * len(parts["candidates"]))
        self.assertGreater(max(shares), 200)  # the tail's own skin

    def test_live_motion_departs_from_the_artists_and_a_slider_changes_it(self):
        self.frame_after(self.page.do("play.set", clip="Walk", time=0, playing=True, live=True))
        largest = 0
        start = self.page.frames
        while self.page.frames < start + 120:
            self.page.take()
            soft, artist = poses(self.page.frame)
            largest = max(largest, max(abs(a - b) for a, b in zip(soft, artist)))
        self.assertGreater(largest, 0.01)  # of a quaternion: more than a degree
        frame = self.frame_after(self.page.do("parts.set", part=self.part()["name"], field="amount", value=0))
        for _ in range(40):  # the amount eases in
            self.page.until(lambda before=self.page.frames: self.page.frames > before)
        soft, artist = poses(self.page.frame)
        nodes = self.page.state["file"]["nodes"]
        for node in self.part()["nodes"]:
            here = slice(10 * nodes.index(node), 10 * nodes.index(node) + 10)
            self.assertLess(max(abs(a - b) for a, b in zip(soft[here], artist[here])), 1e-3)
        self.assertTrue(header(frame)[6] & 1, "solved live")
        self.page.do("history.undo")
        self.page.do("play.set", playing=False)

    def test_what_stands_still_is_what_simulate_writes(self):
        self.page.do("play.set", clip="Walk", playing=False)
        self.baked()
        out = self.folder / "expected.glb"
        subprocess.run([PROGRAM, "simulate", self.hero, "--clip", "Walk", "-o", out], check=True, capture_output=True)
        tail = self.part()["nodes"][-1]
        times, values = Glb(out).channels("Walk_soft")[tail, "rotation"]
        key = len(times) // 3
        frame = self.frame_after(self.page.do("play.set", time=times[key][0]))
        self.assertTrue(header(frame)[6] & 8, "baked")
        soft, artist = poses(frame)
        self.assertGreater(max(abs(a - b) for a, b in zip(soft, artist)), 1e-3)
        index = self.page.state["file"]["nodes"].index(tail)
        shown = soft[10 * index + 3:10 * index + 7]
        self.assertGreater(abs(sum(a * b for a, b in zip(shown, values[key]))), 1 - 1e-6)

    def test_two_pages_see_one_state_and_undo_goes_back(self):
        other = self.server.page()
        self.addCleanup(other.close)
        name = self.part()["name"]
        other.until(lambda: "parts" in other.state and other.state["parts"]["chosen"])
        self.page.do("parts.set", part=name, field="rate", value=2.5)
        other.until(lambda: self.part(other)["set"].get("rate") == 2.5)
        self.assertEqual(self.part(other)["used"]["rate"], 2.5)
        self.page.until(lambda: self.page.state["history"]["undo"])
        other.do("history.undo")
        self.page.until(lambda: "rate" not in self.part()["set"])
        self.assertEqual(other.do("history.redo").get("error"), None)
        self.page.until(lambda: self.part()["set"].get("rate") == 2.5)
        self.page.do("history.undo")

    def test_a_dragged_slider_is_one_step_of_the_history(self):
        before = len(self.page.state["history"]["undo"])
        for k in range(10):
            self.page.do("parts.set", part=self.part()["name"], field="settle", value=0.5 + 0.05 * k)
        self.page.until(lambda: self.part()["set"].get("settle") == 0.95)
        self.assertEqual(len(self.page.state["history"]["undo"]), before + 1)
        self.page.do("history.undo")
        self.page.until(lambda: "settle" not in self.part()["set"])

    def test_firm_and_soft_by_candidate(self):
        candidate = self.part()["candidate"]
        self.assertGreaterEqual(candidate, 0)
        count = len(self.page.state["parts"]["chosen"])
        revision = self.page.state["file"]["revision"]
        self.page.do("parts.mode", candidate=candidate, mode="firm")
        if count == 1:  # nothing is left to move: that is said, and the parts stay
            self.page.until(lambda: any(said["kind"] == "error" for said in self.page.said))
            self.page.do("history.undo")
            self.page.until(lambda: self.page.state["job"] is None)
            return
        self.page.until(lambda: self.page.state["file"]["revision"] > revision)
        self.assertEqual(len(self.page.state["parts"]["chosen"]), count - 1)
        self.page.do("history.undo")
        self.page.until(lambda: len(self.page.state["parts"]["chosen"]) == count)

    def test_a_held_control_moves_and_lets_go(self):
        self.page.do("play.set", clip=None)
        control = next(each for each in self.page.state["controls"]["controls"]
                       if each["unit"] == "angle" and not each["free"])
        frame = self.frame_after(self.page.do("controls.hold", values={control["name"]: 30}))
        index = self.page.state["file"]["nodes"].index(control["node"])
        _, artist = poses(frame)
        w = artist[10 * index + 6]
        self.assertAlmostEqual(abs(2 * math.degrees(math.acos(min(1, abs(w))))), 30, delta=0.01)
        self.frame_after(self.page.do("controls.hold", values={control["name"]: None}))
        self.assertIn("error", self.page.do("controls.hold", values={"no_such.rx": 1}))


class Results(Studio):
    def test_a_result_is_played_as_it_is(self):
        subprocess.run([PROGRAM, "simulate", self.hero, "--clip", "Walk", "-o", self.folder / "made.glb"], check=True,
                       capture_output=True)
        self.page.do("file.open", path=str(self.folder / "made.glb"))
        self.page.until(lambda: self.page.state["file"]["name"] == "made.glb" and self.page.state["job"] is None)
        self.assertIn("Walk_soft", [clip["name"] for clip in self.page.state["file"]["clips"]])
        self.assertEqual(self.page.state["parts"]["chosen"], [])
        self.assertIn("is a result", self.page.state["file"]["notes"][-1])
        soft, artist = poses(self.frame_after(self.page.do("play.set", clip="Walk_soft", time=0.3)))
        self.assertEqual(soft, artist)

    def test_after_hands_the_baked_pose_is_shown_again(self):
        self.page.do("file.open", path=str(self.hero))
        self.page.until(lambda: self.page.state["file"]["name"] == "hero.glb" and self.page.state["job"] is None)
        self.page.do("play.set", clip="Walk", playing=False)
        self.baked()
        before, _ = poses(self.frame_after(self.page.do("play.set", time=0.3)))
        pull = self.page.do("pull.begin", point=10)["pull"]
        for k in range(10):
            self.page.do("pull.move", pull=pull, position=[0.02 * k, 1, 0.1])
        self.page.until(lambda: max(abs(a - b) for a, b in zip(poses(self.page.frame)[1], before)) > 1e-3)
        self.page.do("pull.end", pull=pull)
        self.page.until(lambda: header(self.page.frame)[6] & 8)
        self.assertLess(max(abs(a - b) for a, b in zip(poses(self.page.frame)[0], before)), 1e-6)


    def test_a_pull_that_is_kept_ends_where_pose_ends(self):
        self.page.do("file.open", path=str(self.hero))
        self.page.until(lambda: self.page.state["file"]["name"] == "hero.glb" and self.page.state["job"] is None)
        _, rest = poses(self.frame_after(self.page.do("play.set", clip=None)))
        out = self.folder / "rest.obj"
        subprocess.run([PROGRAM, "eval", self.hero, "-o", out], check=True, capture_output=True)
        places = [[float(x) for x in line.split()[1:4]] for line in out.read_text().splitlines() if line.startswith("v ")]
        tip = min(range(len(places)), key=lambda i: places[i][2])  # of the tail, which points backward
        target = [places[tip][0], places[tip][1] + 0.08, places[tip][2] + 0.02]
        pull = self.page.do("pull.begin", point=tip)["pull"]
        self.page.do("pull.move", pull=pull, position=target)
        self.page.until(lambda: max(abs(a - b) for a, b in zip(poses(self.page.frame)[1], rest)) > 1e-3)
        self.page.do("pull.end", pull=pull, keep=True)
        self.page.until(lambda: self.page.state["pulls"]["state"] == "refined")
        _, posed = poses(self.frame_after(self.page.do("play.set", muted=False)))
        subprocess.run([PROGRAM, "pose", self.hero, "--pull", f"{tip}=" + ",".join(map(str, target)), "-o",
                        self.folder / "pose.rigspace.json"], check=True, capture_output=True)
        tracks = json.loads((self.folder / "pose.rigspace.json").read_text())["clips"][0]["tracks"]
        turns = {track["control"]: math.radians(track["values"][0]) for track in tracks}
        nodes, largest = self.page.state["file"]["nodes"], 0
        for node in {control.split(".")[0] for control in turns}:
            at = 10 * nodes.index(node) + 3
            q, r = rest[at:at + 4], [turns.get(f"{node}.r{axis}", 0) for axis in "xyz"]
            angle = math.hypot(*r)
            s = math.sin(angle / 2) / angle if angle > 0 else 0.5
            x, y, z, w = s * r[0], s * r[1], s * r[2], math.cos(angle / 2)
            turned = (q[3] * x + q[0] * w + q[1] * z - q[2] * y, q[3] * y - q[0] * z + q[1] * w + q[2] * x,
                      q[3] * z + q[0] * y - q[1] * x + q[2] * w, q[3] * w - q[0] * x - q[1] * y - q[2] * z)
            self.assertGreater(abs(sum(a * b for a, b in zip(turned, posed[at:at + 4]))), 1 - 1e-6, node)
            largest = max(largest, angle)
        self.assertGreater(largest, 0.02)
        self.page.do("play.set", clip="Walk")  # lets go


if __name__ == "__main__":
    unittest.main()
