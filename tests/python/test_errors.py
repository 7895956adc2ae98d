"""The library's messages as exceptions; cancelling; Ctrl-C."""
import os
import pathlib
import signal
import threading
import unittest

import numpy as np

import rigspace
from support import InAFolder, make_hero


class Errors(InAFolder):
    def test_a_file_that_is_not_there_is_an_input_error_with_its_name(self):
        error = self.refused(rigspace.InputError, rigspace.load, "nobody.glb")
        self.assertIsInstance(error, rigspace.Error)
        self.assertIsInstance(error, ValueError)
        self.assertEqual((error.code, error.file), (3, "nobody.glb"))
        self.assertTrue(error.problem)

    def test_a_broken_file_is_told_in_one_sentence(self):
        pathlib.Path("broken.glb").write_bytes(b"glTF" + bytes(40))
        self.assertIn("broken.glb", str(self.refused(rigspace.InputError, rigspace.load, "broken.glb")))

    def test_arguments_are_called_as_they_are_here(self):
        error = self.refused(rigspace.Error, rigspace.simulate, make_hero(), set={"tail": 1})
        self.assertNotIn("--", str(error))
        self.assertTrue(error.element.startswith("set="), error.element)

    def test_words_that_are_no_choice_are_refused_before_any_work(self):
        hero = make_hero()
        for options in (dict(loop="perhaps"), dict(soft="hard"), dict(keys="few"), dict(fps=0), dict(max_influences=5),
                        dict(material="jelly"), dict(method="slow"), dict(start="soon"), dict(poisson=0.7)):
            self.refused(rigspace.Error, rigspace.simulate, hero, "tail*=tail", **options)
        with self.assertRaises(TypeError):
            rigspace.simulate(hero, amuont=1)


class Cancelling(InAFolder):
    def test_a_progress_callback_that_says_false_cancels(self):
        seen = []

        def stop(stage, fraction):
            seen.append((stage, fraction))
            return len(seen) < 3

        self.refused(rigspace.Cancelled, rigspace.simulate, make_hero(), "tail*=tail", clip="Walk", progress=stop)
        self.assertEqual(len(seen), 3)
        self.assertTrue(all(0 <= fraction <= 1 for _, fraction in seen))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["hero.glb"])

    def test_what_a_progress_callback_raises_comes_through(self):
        def fail(stage, fraction):
            raise LookupError("mine")

        with self.assertRaisesRegex(LookupError, "mine"):
            rigspace.simulate(make_hero(), "tail*=tail", clip="Walk", progress=fail)
        with self.assertRaisesRegex(LookupError, "mine"):
            rigspace.mesh(rigspace.cast("bobbin"), cell=0.0231, progress=fail)

    def test_what_was_finished_can_be_kept(self):
        hero, whole = make_hero(), {}

        def stop(stage, fraction):
            whole[stage] = fraction
            return fraction < 0.6 or "finding rates" in stage  # before any clip there is nothing to keep

        kept = rigspace.simulate(hero, "tail*=tail", clip="Walk", loop=False, keep_partial=True, progress=stop)
        self.assertTrue(kept.stopped)
        values = kept.curves["Walk_soft"].values
        self.assertGreater(np.abs(values).max(), 0)
        self.assertEqual(np.abs(values[:, -1]).max(), 0)  # faded to the artist's

    def test_ctrl_c_stops_it(self):
        for progress in (None, lambda stage, fraction: True):
            started = threading.Event()

            def press():
                started.wait()
                os.kill(os.getpid(), signal.SIGINT)

            threading.Thread(target=press, daemon=True).start()
            with self.assertRaises(KeyboardInterrupt):
                started.set()
                rigspace.simulate(make_hero(), clip="Walk", progress=progress)


if __name__ == "__main__":
    unittest.main()
