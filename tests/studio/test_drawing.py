"""Poses that are drawn in the studio: strokes over the character move its controls."""

import math
import os
import shlex
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from client import PROGRAM, poses  # noqa: E402
from studio_case import Studio  # noqa: E402

CAMERA = {"eye": [0, 0.9, 7], "target": [0, 0.9, 0], "fov": 32}
HALF = math.tan(math.radians(CAMERA["fov"] / 2))


def seen(points):
    """View units of points x y z in a row, from CAMERA, which looks along -z."""
    (ex, ey, ez), places = CAMERA["eye"], [points[i:i + 3] for i in range(0, len(points), 3)]
    return [[(x - ex) / (ez - z) / HALF, (y - ey) / (ez - z) / HALF] for x, y, z in places]


def turned(line, degrees):
    """About its first point."""
    c, s, (u, v) = math.cos(math.radians(degrees)), math.sin(math.radians(degrees)), line[0]
    return [[u + c * (x - u) - s * (y - v), v + s * (x - u) + c * (y - v)] for x, y in line]


def apart(a, b):
    return max(math.dist(x, y) for x, y in zip(a, b))


class Drawing(Studio):
    """Stands in the rest pose, seen from the front; nothing is drawn."""

    CLIP = None

    def setUp(self):
        self.page.do("play.set", clip=self.CLIP, playing=False)
        if self.CLIP:
            self.baked()
        self.page.do("sketch.clear", all=True)
        self.page.do("sketch.choose", abstraction="stick")
        self.page.do("sketch.look", camera=CAMERA)
        self.page.until(lambda: self.page.state["sketch_lines"]["curves"])
        self.settled()

    def settled(self):
        self.page.until(lambda: not self.page.state["sketch"]["solving"])

    def sketch(self):
        return self.page.state["sketch"]

    def limb(self, name=None):
        """A curve as it is seen: by name, or the last one that is long: the first is the trunk."""
        curves = self.page.state["sketch_lines"]["curves"]
        lines = {each["name"]: seen(each["points"]) for each in curves}
        name = name or max(list(lines)[1:], key=lambda each: math.dist(lines[each][0], lines[each][-1]))
        return name, lines[name]

    def draw(self, line, strokes=1, **more):
        answer = self.page.do("sketch.stroke", stroke=os.urandom(4).hex(), camera=CAMERA, aspect=1.5, points=line, **more)
        self.assertNotIn("error", answer, answer)
        self.page.until(lambda: (len(self.sketch()["strokes"]) == strokes or self.sketch()["problem"]) and not self.sketch()["solving"])
        self.assertEqual(self.sketch()["problem"], "")

    def lines_at(self, name, line, within):
        self.page.until(lambda: apart(self.limb(name)[1], line) < within)


class Strokes(Drawing):
    def test_a_limb_comes_to_lie_on_the_stroke_and_undo_brings_it_back(self):
        name, before = self.limb()
        line = turned(before, 25)
        start = poses(self.frame_after(self.page.do("play.set", time=0)))[0]
        self.draw(line)
        stroke, = self.sketch()["strokes"]
        self.assertEqual((stroke["curve"], stroke["reached"]), (name, True))
        self.assertGreater(self.sketch()["ms"], 0)
        self.assertLess(self.sketch()["residual"], 0.01)
        self.lines_at(name, line, 0.15 * apart(line, before))
        moved = poses(self.frame_after(self.page.do("play.set", speed=1)))[0]
        self.assertGreater(apart([moved], [start]), 0.05)
        other = self.server.page()  # two pages see one drawing
        other.until(lambda: "sketch" in other.state)
        self.assertEqual(other.state["sketch"]["strokes"][0]["points"], line)
        other.close()
        self.page.do("history.undo")
        self.page.until(lambda: not self.sketch()["strokes"])
        self.lines_at(name, before, 1e-6)
        back = poses(self.frame_after(self.page.do("play.set", speed=1)))[0]
        self.assertLess(apart([back], [start]), 1e-6)
        self.page.do("history.redo")
        self.page.until(lambda: len(self.sketch()["strokes"]) == 1)
        self.lines_at(name, line, 0.15 * apart(line, before))

    def test_a_limb_that_is_drawn_again_has_one_stroke_and_a_locked_one_stays(self):
        name, before = self.limb()
        self.draw(turned(before, 20))
        self.draw(turned(before, 10))
        self.assertEqual([each["curve"] for each in self.sketch()["strokes"]], [name])
        self.page.do("sketch.change", stroke=0, locked=True)
        self.page.do("sketch.clear")
        self.settled()
        self.assertEqual([each["locked"] for each in self.sketch()["strokes"]], [True])
        self.page.do("sketch.change", stroke=0, locked=False)
        self.page.do("sketch.clear")
        self.page.until(lambda: not self.sketch()["strokes"])
        self.lines_at(name, before, 1e-6)

    def test_a_preview_moves_the_pose_and_is_gone_when_it_is_cancelled(self):
        name, before = self.limb()
        line = turned(before, 30)
        self.page.do("sketch.preview", stroke="a", camera=CAMERA, aspect=1.5, points=line)
        self.page.until(lambda: apart(self.limb(name)[1], before) > 0.3 * apart(line, before))
        self.assertEqual((self.sketch()["strokes"], self.sketch()["keys"]), ([], []))
        self.page.do("sketch.cancel")
        self.lines_at(name, before, 1e-6)

    def test_what_no_pose_reaches_is_said_with_how_far_away_it_stops(self):
        name, before = self.limb()
        (u, v), (x, y) = before[0], before[-1]  # a limb that points away from the eye is longer than it is seen
        self.draw([[u + 8 * t * (x - u), v + 8 * t * (y - v)] for t in (0, 0.25, 0.5, 0.75, 1)], curve=name)
        stroke, = self.sketch()["strokes"]
        self.assertFalse(stroke["reached"])
        self.assertGreater(stroke["residual"], 0.025)
        self.assertEqual(self.sketch()["keys"][0]["unreached"], 1)

    def test_a_line_on_the_body_goes_where_it_is_drawn(self):
        _, before = self.limb()
        self.page.do("sketch.choose", abstraction="drawn")
        on_body = before[2:-1]
        self.draw(on_body)
        self.assertTrue(self.sketch()["waiting"])
        self.draw(turned(on_body, 15), strokes=2)
        self.assertFalse(self.sketch()["waiting"])
        self.assertTrue(self.sketch()["strokes"][1]["reached"], self.sketch()["strokes"][1]["residual"])
        self.page.do("sketch.change", stroke=1, remove=True)
        self.page.until(lambda: not self.sketch()["strokes"])
        self.page.do("sketch.stroke", stroke="off", camera=CAMERA, aspect=1.5, points=[[0.9, 0.9], [0.95, 0.95]])
        self.page.until(lambda: self.sketch()["problem"])
        self.assertEqual(self.sketch()["strokes"], [])

    def test_what_is_no_stroke_is_answered_with_a_sentence(self):
        good = {"stroke": "x", "camera": CAMERA, "aspect": 1.5, "points": [[0, 0], [0.1, 0.1]]}
        for wrong in ({"points": []}, {"points": [[0, 0]]}, {"points": [[0, 0], [0, "x"]]}, {"points": [[0, 0]] * 5000},
                      {"points": [[5, 5], [6, 6]]}, {"points": [[0, 0], [0, 0]]}, {"points": 3}, {"aspect": 0}, {"camera": "front"},
                      {"camera": {**CAMERA, "eye": CAMERA["target"]}}, {"camera": {**CAMERA, "fov": 0}}, {"camera": {}}):
            for command in ("sketch.stroke", "sketch.preview"):
                answer = self.page.do(command, **{**good, **wrong})
                self.assertIn("error", answer, wrong)
                self.assertTrue(answer["error"]["sentence"])
        for command, arguments in (("sketch.choose", {"abstraction": "x"}), ("sketch.change", {"stroke": 3, "locked": True}),
                                   ("sketch.key", {"time": -1})):
            self.assertIn("error", self.page.do(command, **arguments), command)
        self.assertEqual(self.sketch()["strokes"], [])


class DrawnClips(Drawing):
    CLIP = "Walk"

    def exported(self):
        """The written files by name; the printed commands then write the same bytes."""
        self.page.do("export.run")
        self.page.until(lambda: self.page.state["job"] is not None)
        self.page.until(lambda: self.page.state["job"] is None)
        self.page.until(lambda: self.page.state["export"]["files"])
        made = {each["name"]: (self.folder / each["name"]).read_bytes() for each in self.page.state["export"]["files"]}
        for name in made:
            if not name.endswith(".strokes.json"):
                os.remove(self.folder / name)
        for command in self.page.state["export"]["command"].splitlines():
            subprocess.run([PROGRAM] + shlex.split(command)[1:], check=True, capture_output=True)
        for name, data in made.items():
            self.assertEqual((self.folder / name).read_bytes(), data, name)
        return made

    def test_strokes_of_a_clip_are_corrections_and_those_of_the_rest_pose_a_clip(self):
        name, before = self.limb()
        self.draw(turned(before, 20))
        half = self.page.state["file"]["clips"][0]["duration"] / 2
        self.page.do("play.set", time=half)
        self.page.until(lambda: not self.sketch()["strokes"])
        self.settled()
        self.draw(turned(self.limb(name)[1], -20))
        self.assertEqual([round(each["time"], 6) for each in self.sketch()["keys"]], [0, round(half, 6)])
        self.assertIn("--fix", self.page.state["export"]["command"])
        self.page.do("play.set", clip=None)
        self.page.until(lambda: self.page.state["play"]["clip"] is None and self.sketch()["keys"] == [])
        self.settled()
        self.page.until(lambda: apart(self.limb(name)[1], before) > 0)
        name, before = self.limb()
        self.draw(turned(before, 20))
        self.page.do("sketch.key", time=0.5)
        self.page.until(lambda: self.page.state["play"]["length"] == 0.5 and not self.sketch()["strokes"])
        self.settled()
        self.draw(turned(before, -20))
        self.page.do("play.set", time=0.25)
        self.page.until(lambda: not self.sketch()["strokes"])
        self.lines_at(name, before, 0.5 * apart(before, turned(before, 20)))  # between both keys
        made = self.exported()
        self.assertLessEqual({"hero.soft.glb", "hero.sketch.glb", "hero.strokes.json"}, set(made))
        self.assertIn('"drawn"', Path(self.page.do("project.save")["path"]).read_text())


if __name__ == "__main__":
    unittest.main()
