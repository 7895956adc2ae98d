"""Runs that are stopped, fail, lose their Blender or are undone; files saved and opened again; two characters in one scene."""
import os
import pathlib
import signal
import threading
import time

import bpy
import numpy
from addon_case import FOLDER, HERO, AddonCase, played, state
from processes import descendants


def command_of(process):
    try:
        return pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


class Addon(AddonCase):
    def test_stopped_in_mid_run_it_leaves_nothing(self):
        from rigspace_addon import program, simulate

        scratch = lambda: set(pathlib.Path(bpy.app.tempdir).parent.glob("rigspace_*"))  # noqa: E731
        self.assertEqual(bpy.app.tempdir.rstrip("/").rsplit("/", 1)[0], os.environ["TMPDIR"])
        before, others = state(), scratch()
        steps = simulate.simulation(bpy.context, self.set_up())
        while not program.STARTED:
            next(steps)
        time.sleep(0.5)
        next(steps)
        self.assertTrue(descendants())
        steps.close()
        self.assertEqual((state(), scratch(), program.STARTED), (before, others, set()))
        self.assertEqual(descendants(), set())

    def test_an_error_that_nobody_foresaw_is_one_sentence_and_leaves_nothing(self):
        from rigspace_addon import layers, program, work

        scratch = lambda: set(pathlib.Path(bpy.app.tempdir).parent.glob("rigspace_*"))  # noqa: E731
        self.set_up()
        before, others, asked = state(), scratch(), []

        def fails_at_last(run):
            asked.append(run.process.poll())
            if len(asked) > 5:
                raise ZeroDivisionError("a sum\nof nothing")
            return asked[-1] is None

        def fails_to_write(*_, **__):
            raise ValueError("boom")

        for module, name, instead, words in (
                (program.Run, "working", fails_at_last, r"rigspace failed \(ZeroDivisionError: a sum of nothing\); nothing was changed"),
                (layers, "replace_layer", fails_to_write, r"rigspace failed \(ValueError: boom\); undo takes back what was begun")):
            was = getattr(module, name)
            setattr(module, name, instead)
            try:
                self.fails(words, bpy.ops.rigspace.simulate)
            finally:
                setattr(module, name, was)
            program.stop_all()
            self.assertIsNone(work.Current.work)
            self.assertEqual((state(), scratch(), program.STARTED, descendants()), (before, others, set(), set()))
        self.assertEqual(asked[0], None)  # it was at work
        self.assertEqual(bpy.ops.rigspace.simulate(), {"FINISHED"})

    def test_blender_killed_in_mid_run_is_started_again(self):
        from rigspace_addon import program

        self.set_up()
        killed, cache = [], os.environ.get("RIGSPACE_CACHE")

        def kill_a_rig():
            for _ in range(1200):
                time.sleep(0.05)
                rigs = [process for process in descendants() if b"rigspace_host.py" in command_of(process)]
                if rigs and any(run.fraction > 0 for run in list(program.STARTED)):  # it is being asked
                    os.kill(rigs[0], signal.SIGKILL)
                    return killed.append(rigs[0])

        thread = threading.Thread(target=kill_a_rig)
        os.environ["RIGSPACE_CACHE"] = str(pathlib.Path(FOLDER) / "empty_cache")  # so that there is much to ask
        try:
            thread.start()
            self.assertEqual(bpy.ops.rigspace.simulate(), {"FINISHED"})
            thread.join()
        finally:
            os.environ.pop("RIGSPACE_CACHE") if cache is None else os.environ.update(RIGSPACE_CACHE=cache)
        self.assertTrue(killed)
        self.assertIn("Walk_soft", self.rig.animation_data.nla_tracks)

    def test_undo_restores(self):
        self.set_up()
        bpy.ops.ed.undo_push(message="before")
        before = state()
        bpy.ops.rigspace.simulate()
        bpy.ops.ed.undo_push(message="simulated")
        self.assertNotEqual(state(), before)
        bpy.ops.ed.undo()
        self.assertEqual(state(), before)

    def test_a_saved_and_opened_file_is_clean_and_goes_on(self):
        self.simulated()
        first = state()
        saved = pathlib.Path(FOLDER) / "saved.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(saved))
        self.open(saved)
        self.assertEqual(state(), first)
        for owner in (*bpy.data.objects, bpy.context.scene, *bpy.data.window_managers):
            self.assertFalse([key for key in owner.keys() if "job" in key.lower() or "progress" in key.lower()])
        bpy.ops.rigspace.simulate()
        self.assertEqual(state(), first)
        bpy.ops.rigspace.clear()
        self.open(HERO)
        untouched = state()
        self.open(saved)
        bpy.ops.rigspace.clear()
        self.assertEqual(state(), untouched)

    def test_two_characters_and_an_override_each_have_their_own(self):
        bpy.ops.wm.read_homefile(use_empty=True)
        with bpy.data.libraries.load(HERO, link=True) as (there, here):
            here.objects = [name for name in there.objects if name in ("Body", "Rig", "Cage")]
        scene = bpy.context.scene
        scene.render.fps, scene.frame_end = 24, 49
        for item in here.objects:
            scene.collection.objects.link(item)
        first = {item.name: item for item in here.objects}
        body = first["Body"].override_hierarchy_create(scene, bpy.context.view_layer)
        body = body or next(item for item in bpy.data.objects if item.name.startswith("Body") and item.override_library)
        for item in list(scene.objects):
            if item.library is not None:
                scene.collection.objects.unlink(item)
        rig = body.find_armature()
        self.assertIsNotNone(rig.override_library)
        with bpy.data.libraries.load(HERO) as (there, here):
            here.objects = ["Body", "Rig", "Cage"]
        second = next(item for item in here.objects if item.name.startswith("Body"))
        for item in here.objects:
            scene.collection.objects.link(item)
        other = second.find_armature()
        shown = [played(body.name), played(second.name)]
        for item in (body, second):
            bpy.context.view_layer.objects.active = item
            self.set_up(parts=[("tail?.r?", "tail")])
            self.assertEqual(len(scene.rigspace.characters), 1 if item is body else 2)
        bpy.context.view_layer.objects.active = body
        bpy.ops.rigspace.simulate()
        self.assertIn("Walk_soft", rig.animation_data.nla_tracks)
        self.assertEqual(len(other.animation_data.nla_tracks), 0)
        self.assertGreater(abs(played(body.name) - shown[0]).max(), 0.005)
        numpy.testing.assert_array_equal(played(second.name), shown[1])
        soft = played(body.name)
        bpy.context.view_layer.objects.active = second
        bpy.ops.rigspace.simulate()
        numpy.testing.assert_array_equal(played(body.name), soft)
        self.assertGreater(abs(played(second.name) - shown[1]).max(), 0.005)
        saved = pathlib.Path(FOLDER) / "two.blend"
        names = body.name, second.name, rig.name
        bpy.ops.wm.save_as_mainfile(filepath=str(saved))
        again = [played(name) for name in names[:2]]
        bpy.ops.wm.open_mainfile(filepath=str(saved))
        for name, known in zip(names, again):
            numpy.testing.assert_array_equal(played(name), known)
        bpy.data.objects[names[2]].animation_data.nla_tracks["Walk_soft"].mute = True
        numpy.testing.assert_array_equal(played(names[0]), shown[0])
