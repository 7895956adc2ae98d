"""Python callables as rigs."""
import os
import signal
import unittest

import numpy as np

import rigspace
from support import InAFolder

PLANE = np.array([[x, y, 0.0] for x in range(3) for y in range(3)])


def shear(p):
    """Shears and lifts a plane."""
    return PLANE + p[0] * PLANE[:, [1, 2, 2]] + [0, 0, p[1] ** 2]


def shear_jacobian(p):
    J = np.zeros((len(PLANE), 3, 2))
    J[:, 0, 0] = PLANE[:, 1]
    J[:, 2, 1] = 2 * p[1]
    return J.reshape(-1, 2)


def shear_batch(poses):
    return np.stack([shear(p) for p in poses])


class BlackBox(InAFolder):
    p = np.array([0.3, -0.7])

    def test_it_is_the_callable(self):
        rig = rigspace.black_box(shear, ["shear", "lift"]).rig
        np.testing.assert_array_equal(rig.evaluate(self.p), shear(self.p))
        self.assertEqual((rig.point_count, rig.noise, rig.exact_jacobian), (9, 0, False))
        np.testing.assert_allclose(rig.jacobian(self.p), shear_jacobian(self.p), atol=1e-9)

    def test_batches_and_derivatives_are_used_where_there_are_any(self):
        calls = []

        def counted(poses):
            calls.append(len(poses))
            return shear_batch(poses)

        rig = rigspace.black_box(counted, ["shear", "lift"], batch=True, noise=0).rig
        calls.clear()
        np.testing.assert_allclose(rig.jacobian(self.p), shear_jacobian(self.p), atol=1e-9)
        self.assertEqual(calls, [4])  # central differences in one go
        np.testing.assert_array_equal(rig.evaluate_batch([self.p, -self.p]), shear_batch([self.p, -self.p]))
        exact = rigspace.black_box(shear, ["shear", "lift"], jacobian=shear_jacobian).rig
        self.assertTrue(exact.exact_jacobian)
        np.testing.assert_array_equal(exact.jacobian(self.p, ["lift"]), shear_jacobian(self.p)[:, [1]])

    def test_noise_is_measured(self):
        random = np.random.default_rng(3)
        rig = rigspace.black_box(lambda p: shear(p) + 1e-4 * random.standard_normal(PLANE.shape), ["shear", "lift"]).rig
        self.assertTrue(3e-5 < rig.noise < 3e-4, rig.noise)

    def test_what_it_raises_comes_through(self):
        def fails(p):
            if p[0] > 0.2:
                raise LookupError("out of range")
            return shear(p)

        rig = rigspace.black_box(fails, ["shear", "lift"], noise=0).rig
        with self.assertRaisesRegex(LookupError, "out of range"):
            rig.evaluate(self.p)
        rig.evaluate([0.1, 0])  # and it goes on

    def test_answers_are_checked(self):
        rig = rigspace.black_box(lambda p: shear(p)[: 9 - int(p[0] > 0)], ["shear", "lift"], noise=0).rig
        self.refused(rigspace.UsageError, rig.evaluate, self.p)
        rig = rigspace.black_box(lambda p: shear(p) / (1 - (p[0] > 0)), ["shear", "lift"], noise=0).rig
        with np.errstate(all="ignore"):
            error = self.refused(rigspace.ProcessError, rig.evaluate, self.p)
        self.assertEqual(error.element, "point 0")
        self.refused(rigspace.Error, rigspace.black_box, shear, [rigspace.Control("a", rest=2, max=1), "b"])
        self.refused(rigspace.UsageError, rigspace.black_box, shear, ["a", "b"], triangles=[(0, 1, 9)])

    def test_ctrl_c_in_the_callable_ends_a_solve(self):
        presses = []

        def pressed(p):
            if presses is not None and len(presses) == 30:
                os.kill(os.getpid(), signal.SIGINT)
            presses.append(p)
            return shear(p)

        rig = rigspace.black_box(pressed, ["shear", "lift"], noise=0).rig
        with self.assertRaises(KeyboardInterrupt):
            rigspace.minimise([rigspace.pulls(9, [8], [[4.0, 2, 1]])], rig=rig, p=[0.0, 0.5], max_iterations=10000,
                              tolerance=0, floor=0)


if __name__ == "__main__":
    unittest.main()
