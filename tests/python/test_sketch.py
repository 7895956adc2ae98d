"""sketch_pose and SketchPoser: strokes move controls; what is no drawing is refused and the pose stays."""
import json
import os
import pathlib
import subprocess
import threading
import unittest

import numpy as np

import rigspace
from support import InAFolder, make_hero


def raised(curve, by=0.25):
    """Turned up about its beginning, in view units."""
    return curve + np.outer(np.linalg.norm(curve - curve[0], axis=1), [0, by])


class Sketch(InAFolder):
    @classmethod
    def setUpClass(cls):
        cls.hero = rigspace.cast("bobbin", skeleton=True)
        cls.poser = rigspace.SketchPoser(cls.hero, camera="front")
        cls.arm = raised(cls.poser.seen["clavicle_l"])
        cls.names = [control.name for control in cls.hero.rig.controls]

    def setUp(self):
        super().setUp()
        self.poser.set_pose(self.hero.rig.rest)

    def turned(self, p):
        """Nodes of controls that are off their rest by more than two degrees."""
        return {self.names[c].split(".")[0] for c in np.flatnonzero(np.abs(p - self.hero.rig.rest) > np.radians(2))}

    def test_a_raised_arm_is_raised_and_nothing_else(self):
        sketched = rigspace.sketch_pose(self.hero, self.arm, camera="front")
        (stroke,) = sketched.report.strokes
        self.assertEqual((stroke.curve, stroke.reached, sketched.reached), ("clavicle_l", True, True))
        self.assertIn("upper_arm_l", self.turned(sketched.p))
        self.assertFalse([node for node in self.turned(sketched.p) if node.endswith("_r")])
        gap = np.linalg.norm(sketched.seen["clavicle_l"][-1] - self.arm[-1])
        self.assertLess(gap, 0.03)
        np.testing.assert_allclose(sketched.clip.sample(self.hero.rig, [0])[0], sketched.p, atol=1e-9)
        self.hero.with_clips(sketched.clip).save("posed.glb")

    def test_the_poser_and_the_function_are_one(self):
        once = rigspace.sketch_pose(self.hero, self.arm, camera="front")
        report = self.poser.solve([self.arm])
        np.testing.assert_allclose(self.poser.p, once.p, atol=1e-9)
        self.assertEqual(report.residual, once.report.residual)
        self.assertEqual((self.poser.free, self.poser.size), (once.free, once.size))

    def test_pixels_and_view_units_and_files_are_one_drawing(self):
        pixels = (self.arm * [1, -1] + 1) * 320
        pathlib.Path("drawing.json").write_text(json.dumps(
            {"width": 640, "height": 640, "camera": "front", "strokes": [pixels.tolist()]}))
        line = " ".join(f"{x},{y}" for x, y in pixels)
        pathlib.Path("drawing.svg").write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="640" height="640"><polyline points="{line}"/></svg>')
        given = rigspace.sketch_pose(self.hero, [self.arm], camera="front")
        for drawing, options in ((pixels, dict(size=(640, 640), camera="front")), ("drawing.json", {}),
                                 (pathlib.Path("drawing.svg"), dict(camera="front"))):
            again = rigspace.sketch_pose(self.hero, drawing, **options)
            np.testing.assert_allclose(again.p, given.p, atol=1e-6)

    def test_the_program_finds_the_same_pose(self):
        make_hero()
        loaded = rigspace.load("hero.glb")
        pathlib.Path("drawing.json").write_text(json.dumps({"camera": "front", "strokes": [self.arm.tolist()]}))
        done = subprocess.run([os.environ["RIGSPACE_PROGRAM"], "--json", "sketch", "pose", "hero.glb", "--strokes", "drawing.json",
                               "-o", "x.rigspace.json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        (pose,) = json.loads(done.stdout)["poses"]
        sketched = rigspace.sketch_pose(loaded, "drawing.json")
        for c in sketched.free:
            control = loaded.rig.controls[c]
            shown = np.degrees(sketched.p[c]) if control.unit == "angle" else sketched.p[c]
            self.assertAlmostEqual(pose["controls"].get(control.name, shown), shown, places=6)

    def test_state_is_kept_between_strokes(self):
        half = self.arm[: len(self.arm) // 2]
        self.poser.solve([dict(points=half, curve="clavicle_l")])
        began = self.poser.p
        self.poser.solve([dict(points=self.arm, curve="clavicle_l")], go_on=True)
        self.assertGreater(np.abs(self.poser.p - began).max(), 1e-3)
        kept = self.poser.p
        self.poser.set_pose(kept)
        other = raised(self.poser.seen["clavicle_r"])
        self.poser.solve([dict(points=other, curve="clavicle_r")])
        column = self.names.index("upper_arm_l.rz")
        self.assertAlmostEqual(self.poser.p[column], kept[column], delta=np.radians(3))  # the first arm stays as it was drawn

    def test_limits_hold_and_only_what_is_free_turns(self):
        poser = rigspace.SketchPoser(self.hero, camera="front", free="upper_arm_l.r?")
        self.assertEqual({self.names[c].split(".")[0] for c in poser.free}, {"upper_arm_l"})
        poser.solve([self.arm])
        held = np.setdiff1d(np.arange(len(poser.p)), poser.free)
        np.testing.assert_array_equal(poser.p[held], self.hero.rig.rest[held])
        low, high = poser.limits.T
        self.assertTrue((poser.p[poser.free] >= low).all() and (poser.p[poser.free] <= high).all())

    def test_other_abstractions(self):
        action = rigspace.SketchPoser(self.hero, "action", "left")
        (curve,) = action.seen.values()
        action.solve([curve + np.outer((curve[:, 1] - curve[-1, 1]) ** 2, [0.2, 0])])
        self.assertGreater(len(self.turned(action.p)), 1)
        outline = rigspace.sketch_pose(self.hero, list(rigspace.SketchPoser(self.hero, "outline", "front").seen.values()),
                                       abstraction="outline", camera="front")
        self.assertLess(outline.report.residual, 0.01)
        own = {"name": "nod", "curves": [{"name": "neck", "places": [{"bone": "chest", "at": [0, 1, 0]},
                                                                     {"bone": "head", "at": [0, 1.4, 0]}]}]}
        pathlib.Path("own.json").write_text(json.dumps({"abstractions": [own]}))
        for given in (own, "own.json"):
            self.assertEqual(list(rigspace.SketchPoser(self.hero, given).seen), ["neck"])

    def test_strokes_over_times_give_a_clip_and_pairs_draw_over(self):
        drawing = [dict(points=self.arm, curve="clavicle_l"), dict(points=raised(self.arm), curve="clavicle_l", time=0.5)]
        sketched = rigspace.sketch_pose(self.hero, drawing, camera="front", name="Wave")
        self.assertEqual((sketched.clip.name, list(sketched.times), len(sketched.reports)), ("Wave", [0, 0.5], 2))
        self.assertEqual(sketched.poses.shape, (2, len(self.names)))
        on = self.poser.seen["clavicle_l"]
        over = rigspace.sketch_pose(self.hero, [dict(points=on, to="goal"), dict(points=on + [0, 0.05], name="goal")], camera="front")
        self.assertEqual(over.abstraction, "drawn")

    def test_unreached_strokes_are_named(self):
        far = dict(points=self.arm[0] + 2.2 * (self.arm - self.arm[0]), curve="clavicle_l", name="too long")
        report = rigspace.SketchPoser(self.hero, camera="front", free="*arm_l.r?").solve([far])  # the body cannot come nearer
        self.assertEqual(report.unreached, ["too long"])
        self.assertGreater(report.strokes[0].residual, 0.025)

    def test_bad_drawings_are_one_sentence_and_the_pose_stays(self):
        self.poser.solve([self.arm])
        before = self.poser.p
        for strokes, words in (([], "no stroke"), ([np.zeros((0, 2))], "no points"), ([[[0, 0]]], "single point"),
                               ([[[0, 0], [np.nan, 1]]], "finite"), ([[[9, 9], [8, 9]]], "outside the picture"),
                               ([[[0, 0], [0, 0]]], "length"), ([np.zeros((3, 3))], "(3, 3)"), ([["a", "b"]], "numbers"),
                               ([dict(points=self.arm, curve="clavicle_ll")], "did you mean"), ([dict(pionts=self.arm)], "pionts")):
            error = self.refused(rigspace.Error, self.poser.solve, strokes)
            self.assertIn(words, str(error))
            self.refused(rigspace.Error, rigspace.sketch_pose, self.hero, strokes)
            np.testing.assert_array_equal(self.poser.p, before)
        inside = {"eye": [0, 1, 0], "target": [0, 1, -1]}
        for options, words in ((dict(camera=inside), "inside the body"), (dict(camera="frnt"), "front"),
                               (dict(abstraction="stik"), "stick"), (dict(free="nobody*"), "leaves no control"),
                               (dict(abstraction="nowhere.json"), "nowhere.json"), (dict(size=(0, 5)), "size"),
                               (dict(abstraction={"name": "x", "curves": []}), "no curves"),
                               (dict(abstraction={"name": "x", "curves": [{"name": "y", "places": [{"bone": "belt", "at": [0, 0, 0]}] * 2}]}),
                                "no joint")):
            self.assertIn(words, str(self.refused(rigspace.Error, rigspace.sketch_pose, self.hero, self.arm, **options)))
        pathlib.Path("empty.json").write_text('{"strokes": []}')
        self.assertEqual(self.refused(rigspace.InputError, rigspace.sketch_pose, self.hero, "empty.json").file, "empty.json")
        self.refused(rigspace.InputError, rigspace.sketch_pose, self.hero, "nobody.svg")
        self.refused(rigspace.Cancelled, rigspace.sketch_pose, self.hero, self.arm, progress=lambda stage, fraction: False)

    def test_two_threads_wait_for_each_other(self):
        poses = []
        threads = [threading.Thread(target=lambda: (self.poser.solve([self.arm]), poses.append(self.poser.p))) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        np.testing.assert_allclose(poses[0], poses[1], atol=1e-9)


if __name__ == "__main__":
    unittest.main()
