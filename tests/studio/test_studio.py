"""The studio's server as a page sees it: state, undo, live motion, export, restarts, and who is refused."""

import json
import math
import os
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from client import PROGRAM, Server, header, points, poses  # noqa: E402
from program import Glb, make_hero  # noqa: E402
from work_time import after_cancel  # noqa: E402


class Studio(unittest.TestCase):
    """One server for all tests of a class, with a small hero that has a tail."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        cls.hero = cls.folder / "hero.glb"
        make_hero(cls.hero)
        cls.server = Server(cls.hero, folder=cls.folder)
        cls.page = cls.server.page()
        cls.page.opened()

    @classmethod
    def tearDownClass(cls):
        cls.page.close()
        cls.server.stop()
        cls.temporary.cleanup()

    def part(self, page=None):
        return (page or self.page).state["parts"]["chosen"][0]

    def baked(self):
        self.page.until(lambda: self.page.state["bake"]["state"] == "ready")

    def frame_after(self, answer):
        self.assertNotIn("error", answer, answer)
        self.page.until(lambda: self.page.frame and header(self.page.frame)[3] >= answer["change"])
        return self.page.frame


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


class Curves(Studio):
    def test_a_key_that_is_moved_shows_and_is_undone(self):
        self.page.do("play.set", clip="Walk", playing=False)
        self.baked()
        control = self.part()["nodes"][-1] + ".rx"
        got = self.page.do("curves.get", controls=[control])
        curve = got["curves"][0]
        self.assertEqual(len(curve["soft"]), len(got["times"]))
        keys = curve["keys"]
        middle = len(keys) // 2
        before = keys[middle]["value"]
        keys[middle]["value"] += 10
        self.page.do("curves.edit", control=control, keys=keys)
        again = self.page.do("curves.get", controls=[control])["curves"][0]["keys"]
        self.assertAlmostEqual(again[middle]["value"], before + 10, delta=1e-6)
        frame = self.frame_after(self.page.do("play.set", time=keys[middle]["time"]))
        soft, _ = poses(frame)
        self.page.do("history.undo")
        undone, _ = poses(self.frame_after(self.page.do("play.set", time=keys[middle]["time"])))
        index = self.page.state["file"]["nodes"].index(self.part()["nodes"][-1])
        dot = abs(sum(a * b for a, b in zip(soft[10 * index + 3:10 * index + 7], undone[10 * index + 3:10 * index + 7])))
        self.assertAlmostEqual(2 * math.degrees(math.acos(min(1, dot))), 10, delta=0.5)

    def test_a_mode_that_is_doubled_moves_farther_and_undo_takes_it_back(self):
        self.page.do("play.set", clip="Walk", playing=False)
        self.baked()
        self.assertNotIn("error", self.page.do("modes.find", count=3))
        shares = [mode["share"] for mode in self.page.state["modes"]["modes"]]
        self.assertEqual(shares, sorted(shares, reverse=True))
        before, artist = poses(self.frame_after(self.page.do("play.set", time=0.25)))
        self.assertNotIn("error", self.page.do("modes.set", mode=0, factor=3))
        after, _ = poses(self.frame_after(self.page.do("play.set", time=0.25)))
        size = lambda pose: sum((a - b) ** 2 for a, b in zip(pose, artist))  # noqa: E731
        self.assertGreater(size(after), 1.5 * size(before))
        self.assertEqual(self.page.state["modes"]["modes"][0]["factor"], 3)
        self.page.do("history.undo")
        self.page.until(lambda: self.page.state["modes"]["modes"][0]["factor"] == 1)
        again, _ = poses(self.frame_after(self.page.do("play.set", time=0.25)))
        self.assertLess(max(abs(a - b) for a, b in zip(again, before)), 1e-6)

    def test_less_tolerance_has_more_keys_and_a_muted_layer_is_the_artists(self):
        self.page.do("play.set", clip="Walk", playing=False)
        self.baked()
        control = self.part()["nodes"][0] + ".rx"
        counts = []
        for tolerance in (0.01, 0.0001):
            self.page.do("curves.tolerance", value=tolerance)
            counts.append(len(self.page.do("curves.get", controls=[control])["curves"][0]["keys"]))
        self.assertLess(counts[0], counts[1])
        self.page.do("curves.layer", mute=True)
        soft, artist = poses(self.frame_after(self.page.do("play.set", time=0.3)))
        self.assertLess(max(abs(a - b) for a, b in zip(soft, artist)), 1e-6)
        self.page.do("history.undo")


class RigFile(unittest.TestCase):
    """A bar whose own controls bend it, by drivers and joints: the server sends its points."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        cls.server = Server(folder=cls.folder)
        cls.page = cls.server.page()
        cls.page.until(lambda: "server" in cls.page.state)
        cls.page.do("file.cast", name="bar", rig=True)
        cls.page.opened()
        cls.changed("controls.free", pattern="modes", on=True)

    @classmethod
    def tearDownClass(cls):
        cls.page.close()
        cls.server.stop()
        cls.temporary.cleanup()

    @classmethod
    def changed(cls, command, **arguments):
        """A command after which the parts are made anew."""
        revision = cls.page.state["file"]["revision"]
        answer = cls.page.do(command, **arguments)
        assert "error" not in answer, answer
        cls.page.until(lambda: cls.page.state["file"]["revision"] > revision and cls.page.state["job"] is None)

    def frame_after(self, answer):
        self.assertNotIn("error", answer, answer)
        self.page.until(lambda: self.page.frame and header(self.page.frame)[3] >= answer["change"])
        return self.page.frame

    def control(self, name):
        return next(each for each in self.page.state["controls"]["controls"] if each["name"] == name)

    def evaluated(self, *settings):
        """Points of `rigspace eval`, without those of pieces that are not drawn."""
        out = self.folder / "eval.obj"
        subprocess.run([PROGRAM, "eval", self.folder / "bar.rig.json", *settings, "-o", out], check=True, capture_output=True)
        lines = [line.split() for line in out.read_text().splitlines()]
        return [float(x) for line in lines if line[0] == "v" for x in line[1:4]]

    def test_frames_hold_the_points_that_eval_gives(self):
        file = self.page.state["file"]
        self.assertEqual(file["kind"], "points")
        status, _, glb = self.server.request("GET", f"/file/{file['revision']}/model.glb")
        self.assertEqual((status, glb[:4]), (200, b"glTF"))
        self.page.do("play.set", clip=None)
        frame = self.frame_after(self.page.do("controls.hold", values={"p1": 20, "left_01.ry": 15}))
        _, artist, _ = points(frame)
        self.assertEqual(len(artist), 3 * file["points"])
        expected = self.evaluated("--set", "p1=20", "--set", "left_01.ry=15")
        self.assertLess(max(abs(a - b) for a, b in zip(artist, expected)), 1e-5)
        self.page.do("controls.release")

    def test_it_swings_live_and_what_stands_is_baked(self):
        self.frame_after(self.page.do("play.set", clip="Swing", time=0, playing=True, live=True))
        most, start = 0, self.page.frames
        while self.page.frames < start + 60:
            self.page.take()
            soft, artist, _ = points(self.page.frame)
            most = max(most, max(abs(a - b) for a, b in zip(soft, artist)))
        self.assertGreater(most, 1e-3)
        self.assertTrue(header(self.page.frame)[6] & 1, "solved live")
        self.page.do("play.set", playing=False)
        self.page.until(lambda: self.page.state["bake"]["state"] == "ready")
        frame = self.frame_after(self.page.do("play.set", time=0.4))
        self.assertTrue(header(frame)[6] & 8, "baked")
        soft, artist, _ = points(frame)
        self.assertGreater(max(abs(a - b) for a, b in zip(soft, artist)), 1e-4)

    def test_controls_are_bound_and_freed_by_name_and_pattern(self):
        self.assertTrue(all(self.control(f"p{k}")["free"] for k in (1, 2, 3, 4)))
        self.changed("controls.free", pattern="p4", on=False)
        self.assertEqual([self.control(f"p{k}")["free"] for k in (1, 2, 3, 4)], [True, True, True, False])
        self.assertEqual(len(self.page.state["parts"]["chosen"]), 1)
        self.changed("history.undo")
        self.assertTrue(self.control("p4")["free"])
        self.assertIn("error", self.page.do("controls.free", pattern="nobody*", on=True))
        self.assertIn("error", self.page.do("controls.free", pattern="modes", on=False))  # nothing would be left

    def test_stiffness_shows_on_the_control_and_on_the_body(self):
        file = self.page.state["file"]
        _, _, before = self.server.request("GET", f"/file/{file['revision']}/stiffness.bin")
        self.assertEqual((len(before), set(before) - {0}), (file["points"], {128}))
        self.changed("controls.stiffness", pattern="p1", value=3)
        self.assertEqual((self.control("p1")["stiffness"], self.control("p2")["stiffness"]), (3, 1))
        _, _, after = self.server.request("GET", f"/file/{self.page.state['file']['revision']}/stiffness.bin")
        self.assertGreater(max(after), 140)
        self.changed("history.undo")
        self.assertEqual(self.control("p1")["stiffness"], 1)
        self.assertIn("error", self.page.do("controls.stiffness", pattern="bar.tx", value=3))

    def test_a_joint_of_any_kind_turns_after_the_pointer(self):
        self.page.do("controls.release")
        self.page.do("play.set", clip=None)
        nodes = self.page.state["file"]["nodes"]
        def place(frame, node):  # of a joint whose parents do not turn
            return poses(frame)[1][10 * nodes.index(node):10 * nodes.index(node) + 3]
        frame = self.frame_after(self.page.do("controls.hold", values={"left_01.rx": 0}))
        length = math.dist(place(frame, "left_02"), (0, 0, 0))
        answer = self.page.do("controls.aim", joint="left_01", handle="left_02", target=[-5, 2, 3])
        frame = self.frame_after(answer)
        self.assertEqual(set(answer["values"]), {"left_01.rx", "left_01.ry", "left_01.rz"})
        self.assertAlmostEqual(math.dist(place(frame, "left_02"), (0, 0, 0)), length, delta=1e-4)
        # The handle lies on the ray from the joint to the target: turning farther brings it no nearer.
        worlds = self.page.do("controls.aim", joint="left_01", handle="left_02", target=[-5, 2, 3])
        for name, value in answer["values"].items():
            self.assertAlmostEqual(worlds["values"][name], value, delta=0.5)
        self.assertIn("error", self.page.do("controls.aim", joint="nobody", target=[0, 0, 0]))
        self.page.do("controls.release")

    def test_a_point_is_pulled_and_export_makes_what_the_command_makes(self):
        self.page.do("play.set", clip="Swing", playing=False)
        pull = self.page.do("pull.begin", point=0)["pull"]
        self.page.do("pull.move", pull=pull, position=[0, 1, 0])
        self.page.until(lambda: self.page.state["pulls"]["state"] == "pulling")
        self.page.do("pull.end", pull=pull)
        self.page.do("export.run")
        self.page.until(lambda: self.page.state["export"]["files"])
        files = self.page.state["export"]["files"]
        self.assertIn("bar.soft.rigspace.json", [each["name"] for each in files])
        exported = {each["name"]: self.server.request("GET", each["url"])[2] for each in files}
        for name in exported:
            os.remove(self.folder / name)
        subprocess.run([PROGRAM] + shlex.split(self.page.state["export"]["command"])[1:], check=True, capture_output=True)
        for name, data in exported.items():
            self.assertEqual((self.folder / name).read_bytes(), data, name)


class World(Studio):
    def swing(self, seconds=1.5):
        """The soft numbers of the last frame, after some time in the rest pose."""
        self.page.do("play.set", clip=None)
        self.page.do("controls.release")  # hands on: the solver runs until all is still
        frames = self.page.frames
        while self.page.frames < frames + 60 * seconds and (self.page.frames == frames or header(self.page.frame)[6] & 1):
            self.page.take()
        soft, artist = poses(self.page.frame)
        return max(abs(a - b) for a, b in zip(soft, artist))

    def test_less_gravity_lifts_and_the_command_says_so(self):
        self.assertEqual(self.page.state["world"]["gravity"], [0, -9.81, 0])
        self.page.do("world.set", gravity=0)
        self.assertEqual(self.page.state["world"]["gravity"], [0, 0, 0])
        self.assertGreater(self.swing(), 5e-3)
        self.assertIn("--gravity 0", self.page.state["export"]["command"])
        self.page.do("world.set", gravity=[1, -9.81, 0])
        self.assertIn("--gravity 1,-9.81,0", self.page.state["export"]["command"])
        for wrong in ([1, 2], "x", 1e9, [1, 2, None]):
            self.assertIn("error", self.page.do("world.set", gravity=wrong))
        self.page.do("history.undo")
        self.assertEqual(self.page.state["world"]["gravity"], [0, 0, 0])
        self.page.do("history.undo")
        self.assertEqual(self.page.state["world"]["gravity"], [0, -9.81, 0])
        self.assertNotIn("--gravity", self.page.state["export"]["command"])

    def test_a_ball_pushes_live_and_lets_go(self):
        tail = self.part()["nodes"][-1]
        candidate = self.part()["candidate"]
        file = self.page.state["file"]
        _, _, shares = self.server.request("GET", f"/file/{file['revision']}/shares.bin")
        self.assertTrue(any(shares[candidate * file["points"]:]), tail)
        self.assertIn("error", self.page.do("world.set", collide=["sphere:0,0,x,1"]))
        self.assertNotIn("error", self.page.do("world.set", collide=["sphere:0,0.6,-0.6,0.35", "ground"]))
        pushed = self.swing()
        self.assertNotIn("error", self.page.do("world.set", collide=["sphere:0,0.6,-5,0.35", "ground"]))  # it is moved away
        away = self.swing(4)
        self.assertNotIn("error", self.page.do("world.set", collide=[]))
        free = self.swing(4)
        self.assertGreater(pushed, 5e-3)
        self.assertLess(away, 0.2 * pushed)
        self.assertLess(free, 0.2 * pushed)

    def test_cells_follow_while_they_are_shown(self):
        file = self.page.state["file"]
        status, _, cells = self.server.request("GET", f"/file/{file['revision']}/cells.bin")
        nodes, edges = int.from_bytes(cells[:4], "little"), int.from_bytes(cells[4:8], "little")
        self.assertEqual((status, len(cells)), (200, 8 + 8 * edges))
        frame = self.frame_after(self.page.do("play.set", clip=None, cells=True))
        self.assertEqual(len(points(frame)[2]), 3 * nodes)
        frame = self.frame_after(self.page.do("play.set", cells=False))
        self.assertFalse(header(frame)[6] & 32)


class Export(Studio):
    def test_the_printed_command_makes_the_same_bytes(self):
        self.page.do("play.set", clip="Walk", playing=False)
        self.baked()
        name = self.part()["name"]
        self.page.do("parts.set", part=name, field="amount", value=0.7)
        self.page.do("parts.set", part=name, field="settle", value=0.6, clip=True)
        self.baked()
        control = self.part()["nodes"][-1] + ".rx"
        keys = self.page.do("curves.get", controls=[control])["curves"][0]["keys"]
        keys[len(keys) // 2]["value"] += 8
        self.page.do("curves.edit", control=control, keys=keys)
        self.page.do("export.run")
        self.page.until(lambda: self.page.state["export"]["files"])
        files = self.page.state["export"]["files"]
        exported = {}
        for each in files:
            status, _, data = self.server.request("GET", each["url"])
            self.assertEqual((status, len(data)), (200, each["bytes"]))
            exported[each["name"]] = data
        command = shlex.split(self.page.state["export"]["command"])
        self.assertEqual(command[0], "rigspace")
        for each in files:
            os.remove(self.folder / each["name"])
        subprocess.run([PROGRAM] + command[1:], check=True, capture_output=True)
        for each in files:
            self.assertEqual((self.folder / each["name"]).read_bytes(), exported[each["name"]], each["name"])
        recipe = next(each["name"] for each in files if each["name"].endswith(".json"))
        again = self.folder / "again.glb"
        subprocess.run([PROGRAM, "rerun", self.folder / recipe, "-o", again], check=True, capture_output=True)
        model = next(each["name"] for each in files if each["name"].endswith(".glb"))
        (self.folder / "exported.glb").write_bytes(exported[model])
        for (node, path), (_, values) in Glb(self.folder / "exported.glb").channels("Walk_soft").items():
            self.assertEqual(Glb(again).channels("Walk_soft")[node, path][1], values, (node, path))


class Cancel(Studio):
    def test_the_page_is_told_and_the_work_itself_ends(self):
        self.page.do("play.set", clip="Walk", playing=False)
        self.baked()
        seen = after_cancel(self.server, self.page, "export.run", {"what": ["glb"]}, 0.05)
        self.assertIsNotNone(seen, "there was something to cancel")
        self.assertLess(seen["processor"], 0.2)  # s of its thread, however busy the machine is
        self.assertEqual(self.page.state["export"]["files"], [])
        self.page.until(lambda: any("Cancelled" in said["text"] for said in self.page.said))


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


class Restart(unittest.TestCase):
    def test_a_killed_server_comes_back_with_the_work(self):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            make_hero(folder / "hero.glb")
            server = Server(folder / "hero.glb", folder=folder)
            port = server.port
            server.stop()
            server.start(port)  # a fixed port keeps its token
            token = server.token
            page = server.page()
            page.opened()
            name = page.state["parts"]["chosen"][0]["name"]
            page.do("parts.set", part=name, field="amount", value=0.4)
            started = page.state["server"]["started"]
            page.close()
            server.process.kill()
            server.process.wait()
            server.process.stdout.close(), server.process.stderr.close()
            server.start(port)
            self.assertEqual(server.token, token)
            page = server.page()
            page.opened()
            self.assertNotEqual(page.state["server"]["started"], started)
            self.assertEqual(page.state["parts"]["chosen"][0]["set"]["amount"], 0.4)
            page.close()
            server.stop()


class Command(unittest.TestCase):
    def test_a_folder_of_the_same_name_is_no_character(self):
        with tempfile.TemporaryDirectory() as temporary:
            (Path(temporary) / "studio").mkdir()
            said = subprocess.run([PROGRAM, "studio", "--help"], cwd=temporary, capture_output=True, text=True)
            self.assertEqual(said.returncode, 0)
            self.assertIn("--no-browser", said.stdout)


class Safety(Studio):
    def test_who_is_refused(self):
        for target, headers, token, status in (
                ("/", {}, False, 403), ("/?token=wrong", {}, False, 403), ("/?token=", {}, False, 403),
                ("/", {"Host": "evil.example:" + str(self.server.port)}, True, 403),
                ("/", {"Host": "127.0.0.1"}, True, 403),
                ("/", {"Origin": "http://evil.example"}, True, 403),
                ("/", {"Origin": "null"}, True, 403),
                ("/", {"Origin": f"http://localhost:{self.server.port + 1}"}, True, 403),
                ("/", {"Origin": f"http://127.0.0.1:{self.server.port}"}, True, 200),
                ("/../../etc/passwd", {}, True, 400), ("/%2e%2e/etc/passwd", {}, True, 400),
                ("/out/..%2f..%2fetc%2fpasswd", {}, True, 400), ("/out/%5c..", {}, True, 400),
                ("/file/1/%00", {}, True, 400), ("/nothing", {}, True, 404)):
            got, answer, _ = self.server.request("GET", target, headers=headers, token=token)
            self.assertEqual(got, status, (target, headers))
            self.assertNotIn("Access-Control-Allow-Origin", answer)
        for more in ({"origin": "http://evil.example"}, {"token": "wrong"}):
            with self.assertRaises(ConnectionError):
                self.server.page(**more)

    def test_only_files_of_the_given_folders(self):
        with tempfile.TemporaryDirectory() as elsewhere:
            make_hero(Path(elsewhere) / "other.glb")
            os.symlink(Path(elsewhere) / "other.glb", self.folder / "link.glb")
            for path in (f"{elsewhere}/other.glb", str(self.folder / "link.glb"), f"{self.folder}/../../etc/passwd",
                         "/etc/passwd", "", "x" * 5000):
                self.assertIn("error", self.page.do("file.open", path=path), path)
            os.remove(self.folder / "link.glb")

    def test_uploads_are_bounded_and_named_plainly(self):
        data = self.hero.read_bytes()
        status, _, answer = self.server.request("PUT", "/upload/drop.glb", body=data)
        self.assertEqual(status, 200)
        path = json.loads(answer)["path"]
        self.assertEqual(Path(path).read_bytes(), data)
        self.assertEqual(json.loads(self.server.request("PUT", "/upload/drop.glb", body=data)[2])["path"], path)
        for name in (".hidden", "a%2fb.glb", "x" * 200, "%0a"):
            self.assertEqual(self.server.request("PUT", f"/upload/{name}", body=b"x")[0], 400, name)
        status, _, _ = self.server.request("PUT", "/upload/huge.glb", headers={"Content-Length": str(1 << 40)})
        self.assertEqual(status, 413)
        self.assertEqual(self.server.request("POST", "/", body=b"x")[0], 413)
        self.assertEqual(self.server.request("DELETE", "/")[0], 405)

    def test_nonsense_is_answered_with_a_sentence(self):
        for text in ("", "{", "[]", "null", '{"do": 3}', '{"id": 1001, "do": "no.such"}', '{"id": 1002, "do": "play.set", "time": "x"}',
                     '{"id": 1003, "do": "parts.set"}', '{"id": 1004, "do": "parts.set", "part": "x", "field": "rate", "value": 1e999}'):
            self.page.send_raw(1, text.encode())
        self.page.send_raw(2, b"binary")
        broken = self.server.page()
        broken.send_raw(1, b"\xff\xfe")  # no UTF-8: WebSockets end there
        with self.assertRaises(ConnectionError):
            while True:
                broken.take()
        broken.close()
        self.assertIn("error", self.page.do("parts.mode", candidate=10 ** 9, mode="soft"))
        self.assertNotIn("error", self.page.do("file.list"))


if __name__ == "__main__":
    unittest.main()
