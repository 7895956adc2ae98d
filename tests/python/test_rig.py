"""Rigs: the map, its derivative, arrays in and out."""
import threading
import unittest

import numpy as np

import rigspace
from support import InAFolder, make_hero


class Rig(InAFolder):
    @classmethod
    def setUpClass(cls):
        cls.peanut = rigspace.cast("peanut")
        cls.rig = cls.peanut.rig
        random = np.random.default_rng(1)
        cls.p = cls.rig.rest + 0.1 * random.standard_normal(len(cls.rig.controls)) * [c.typical for c in cls.rig.controls]

    def test_controls_rest_where_rest_says(self):
        np.testing.assert_array_equal(self.rig.rest, [control.rest for control in self.rig.controls])
        for control in self.rig.controls:
            self.assertLessEqual(control.min, control.rest)
            self.assertLessEqual(control.rest, control.max)
            self.assertGreater(control.typical, 0)

    def test_evaluate_fills_what_it_is_given_and_nothing_else(self):
        s = self.rig.evaluate(self.p)
        self.assertEqual((s.shape, s.dtype, s.flags.c_contiguous), ((self.rig.point_count, 3), np.float64, True))
        out = np.zeros_like(s)
        self.assertIs(self.rig.evaluate(self.p, out=out), out)
        np.testing.assert_array_equal(out, s)

    def test_a_batch_is_pose_after_pose(self):
        poses = np.stack([self.rig.rest, self.p])
        both = self.rig.evaluate_batch(poses)
        for pose, s in zip(poses, both):
            np.testing.assert_array_equal(s, self.rig.evaluate(pose))
        out = np.empty_like(both)
        self.assertIs(self.rig.evaluate_batch(poses, out), out)
        np.testing.assert_array_equal(out, both)

    def test_other_arrays_are_converted(self):
        expected = self.rig.evaluate(np.float32(self.p).astype(float))
        np.testing.assert_array_equal(self.rig.evaluate(np.float32(self.p)), expected)
        strided = np.repeat(self.p, 2)[::2]
        np.testing.assert_array_equal(self.rig.evaluate(strided), self.rig.evaluate(self.p))
        np.testing.assert_array_equal(self.rig.evaluate(list(self.p)), self.rig.evaluate(self.p))

    def test_the_jacobian_is_the_derivative_in_the_order_asked_for(self):
        names = [self.rig.controls[k].name for k in (7, 3, 11)]
        J = self.rig.jacobian(self.p, names)
        self.assertEqual(J.shape, (3 * self.rig.point_count, 3))
        self.assertGreater(np.abs(J).max(), 0)
        for column, name in zip(J.T, names):
            step = np.zeros_like(self.p)
            step[self.rig.find(name)] = h = 1e-6
            by_differences = (self.rig.evaluate(self.p + step) - self.rig.evaluate(self.p - step)).ravel() / (2 * h)
            np.testing.assert_allclose(column, by_differences, atol=1e-7 * max(1, np.abs(column).max()))
        np.testing.assert_array_equal(self.rig.jacobian(self.p)[:, [7, 3, 11]], J)

    def test_the_sparse_jacobian_is_the_same(self):
        try:
            import scipy.sparse
        except ImportError:
            with self.assertRaises(ImportError):
                self.rig.jacobian(self.p, sparse=True)
            return
        sparse = self.rig.jacobian(self.p, [7, 3], sparse=True)
        self.assertTrue(scipy.sparse.issparse(sparse))
        np.testing.assert_array_equal(sparse.toarray(), self.rig.jacobian(self.p, [7, 3]))

    def test_wrong_shapes_are_told_with_the_right_one(self):
        count = len(self.rig.controls)
        error = self.refused(rigspace.UsageError, self.rig.evaluate, np.zeros(count + 1))
        self.assertEqual((error.element, error.value), ("p", f"({count + 1},)"))
        self.assertIn(f"({count},)", error.remedy)
        self.refused(rigspace.UsageError, self.rig.evaluate_batch, self.p)
        for out in (np.zeros((2, 3)), np.zeros((self.rig.point_count, 3), np.float32),
                    np.zeros((3, self.rig.point_count)).T, "no array"):
            self.assertEqual(self.refused(rigspace.UsageError, self.rig.evaluate, self.p, out).element, "out")
        frozen = np.zeros((self.rig.point_count, 3))
        frozen.flags.writeable = False
        self.refused(rigspace.UsageError, self.rig.evaluate, self.p, frozen)

    def test_a_name_that_is_not_there_brings_up_what_is_near(self):
        name = self.rig.controls[0].name
        error = self.refused(rigspace.UsageError, self.rig.find, name + "x")
        self.assertIn(name, error.remedy)
        self.refused(rigspace.UsageError, self.rig.jacobian, self.p, [len(self.p)])
        self.refused(rigspace.UsageError, self.rig.jacobian, self.p, [name, name])

    def test_other_threads_run_while_it_works(self):
        poses = np.tile(self.p, (200, 1))
        counted, done = 0, threading.Event()
        worker = threading.Thread(target=lambda: (self.rig.evaluate_batch(poses), done.set()))
        worker.start()
        while not done.is_set():
            counted += 1
        worker.join()
        self.assertGreater(counted, 100)

    def test_a_file_gives_what_eval_gives(self):
        hero = make_hero()
        from_cast = rigspace.cast("bobbin", skeleton=True)
        p = hero.pose_at("Walk", 0.3)
        # A file holds floats.
        np.testing.assert_allclose(hero.rig.evaluate(p), from_cast.rig.evaluate(from_cast.pose_at("Walk", 0.3)), atol=1e-5)
        hero.save_points("pose.npy", hero.rig.evaluate(p))
        np.testing.assert_array_equal(np.load("pose.npy"), hero.rig.evaluate(p))


if __name__ == "__main__":
    unittest.main()
