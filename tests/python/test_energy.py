"""Energies from Python, alone and in a simulation."""
import unittest

import numpy as np

import rigspace
from support import InAFolder
from test_mesh import CUBE, FACES


class Springs(rigspace.Energy):
    """Edges of length 1: value alone."""

    def value(self, x):
        return (np.linalg.norm(x[:, 1] - x[:, 0], axis=1) - 1) ** 2


class SlopedSprings(Springs):
    def gradient(self, x):
        way = x[:, 1] - x[:, 0]
        length = np.linalg.norm(way, axis=1)[:, None]
        pull = 2 * (length - 1) * way / length
        return np.stack([-pull, pull], axis=1)


class WholeSprings(SlopedSprings):
    def hessian(self, x):
        way = x[:, 1] - x[:, 0]
        length = np.linalg.norm(way, axis=1)[:, None, None]
        n = way[:, :, None] / length
        along = n @ n.transpose(0, 2, 1)
        block = 2 * along + 2 * (1 - 1 / length) * (np.eye(3) - along)
        return np.block([[block, -block], [-block, block]])


class Energies(InAFolder):
    edges = [(0, 1), (1, 2), (2, 0), (2, 3)]
    x = np.random.default_rng(5).standard_normal((4, 3))

    def test_the_laws_hold_to_the_accuracy_of_differences(self):
        # Second differences of values are good to the fourth root of rounding, differences of gradients to its root.
        for kind, tolerance in ((Springs, 2e-3), (SlopedSprings, 1e-6), (WholeSprings, 1e-6)):
            self.assertEqual(rigspace.check_energy(kind(self.edges), self.x, tolerance=tolerance), "", kind.__name__)

    def test_a_wrong_gradient_is_noticed(self):
        class Wrong(SlopedSprings):
            def gradient(self, x):
                return 1.01 * super().gradient(x)

        self.assertIn("gradient", rigspace.check_energy(Wrong(self.edges), self.x, tolerance=1e-4))

    def test_all_three_find_the_same_minimum(self):
        for kind in (Springs, SlopedSprings, WholeSprings):
            minimum = rigspace.minimise([kind(self.edges)], self.x, fixed=[0], floor=1e-6)
            lengths = [np.linalg.norm(minimum.x[b] - minimum.x[a]) for a, b in self.edges]
            np.testing.assert_allclose(lengths, 1, atol=1e-5)
            np.testing.assert_array_equal(minimum.x[0], self.x[0])
            self.assertTrue(minimum.converged, minimum)

    def test_weights_count(self):
        pull = [rigspace.pulls(4, [3], [[k, 0.0, 0]], stiffness=1) for k in (0, 3)]
        minimum = rigspace.minimise([(2.0, pull[0]), (1.0, pull[1])], self.x, fixed=[0, 1, 2])
        np.testing.assert_allclose(minimum.x[3], [1, 0, 0], atol=1e-9)

    def test_it_runs_through_a_rig(self):
        line = np.linspace(0, 1, 5)[:, None] * [1.0, 0, 0]

        def turned(p):
            return np.stack([line[:, 0] * np.cos(p[0]), line[:, 0] * np.sin(p[0]), line[:, 2] + p[1]], axis=1)

        rig = rigspace.black_box(turned, [rigspace.Control("turn", unit="angle", max=0.5), "lift"], noise=0).rig
        target = rigspace.pulls(5, [4], [[0, 1.0, 0.2]])
        minimum = rigspace.minimise([target], rig=rig)
        self.assertAlmostEqual(minimum.p[0], 0.5, places=6)  # its limit
        self.assertAlmostEqual(minimum.p[1], 0.2, places=6)
        np.testing.assert_allclose(minimum.x, turned(minimum.p), atol=1e-12)
        held = rigspace.minimise([target], rig=rig, free=["lift"])
        self.assertEqual(held.p[0], 0)

    def test_a_built_in_solid_is_at_rest_at_rest(self):
        body = rigspace.mesh((CUBE, FACES), cell=0.25)
        solid = rigspace.solid(body.points, body.tets)
        self.assertAlmostEqual(solid.value(body.points), 0, places=9)
        stretched = solid.gradient(1.1 * body.points)
        self.assertGreater(np.abs(stretched).max(), 1)
        np.testing.assert_allclose(stretched.sum(axis=0), 0, atol=1e-9)

    def test_what_it_raises_comes_through_and_answers_are_checked(self):
        class Fails(Springs):
            def value(self, x):
                raise LookupError("mine")

        class Short(Springs):
            def value(self, x):
                return super().value(x)[1:]

        with self.assertRaisesRegex(LookupError, "mine"):
            rigspace.minimise([Fails(self.edges)], self.x)
        self.refused(rigspace.UsageError, rigspace.minimise, [Short(self.edges)], self.x)
        self.refused(rigspace.UsageError, rigspace.minimise, [Springs([(0, 4)])], self.x)
        self.refused(rigspace.UsageError, rigspace.minimise, [Springs([(0, -1)])], self.x)
        self.refused(rigspace.UsageError, rigspace.minimise, [object()], self.x)
        with self.assertRaises(NotImplementedError):
            rigspace.minimise([rigspace.Energy(self.edges)], self.x)


class InASimulation(InAFolder):
    @classmethod
    def setUpClass(cls):
        cls.peanut = rigspace.cast("peanut")
        cls.belly = [control.name for control in cls.peanut.rig.controls if control.group == "belly"]

    def body(self, **options):
        return rigspace.RigSpace(self.peanut, self.belly, cell=0.12, **options)

    def test_without_forces_nothing_moves(self):
        body = self.body()
        self.assertTrue(body.step()["converged"])
        np.testing.assert_allclose(body.p, self.peanut.rig.rest, atol=1e-8)

    def test_a_python_weight_does_what_gravity_does(self):
        heavy, mine = self.body(gravity=(0, -9.8, 0)), self.body()

        class Weight(rigspace.Energy):
            def __init__(self, masses):
                super().__init__(np.arange(len(masses))[:, None])
                self.masses = masses

            def value(self, x):
                return 9.8 * self.masses * x[:, 0, 1]

        mine.add(Weight(mine.masses))
        for _ in range(3):
            self.assertTrue(heavy.step()["converged"] and mine.step()["converged"])
        sag = heavy.nodes - heavy.rest
        self.assertLess(sag[:, 1].min(), -1e-4)
        # Solves end at a relative gradient of 1e-6.
        np.testing.assert_allclose(mine.nodes, heavy.nodes, atol=1e-3 * np.abs(sag).max())


if __name__ == "__main__":
    unittest.main()
