"""mesh: bodies of tetrahedra."""
import pathlib
import unittest

import numpy as np

import rigspace
from support import InAFolder

CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
FACES = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
         (1, 5, 7), (1, 7, 3)]


class Mesh(InAFolder):
    def test_a_cube_has_its_volume_and_no_inverted_tetrahedron(self):
        body = rigspace.mesh((CUBE, FACES), cell=0.2)
        corners = body.points[body.tets]
        np.testing.assert_allclose(np.linalg.det(corners[:, 1:] - corners[:, :1]) / 6, body.volumes, atol=1e-15)
        self.assertGreater(body.volumes.min(), 0)
        self.assertAlmostEqual(body.volumes.sum(), 1, delta=0.02)
        self.assertEqual((body.quality["inverted"], body.solids, body.sheets), (0, 1, 0))
        # The boundary is closed: its normals, by area, sum to zero.
        a, b, c = body.points[body.boundary].transpose(1, 0, 2)
        np.testing.assert_allclose(np.cross(b - a, c - a).sum(axis=0), 0, atol=1e-12)

    def test_files_come_back_as_they_were(self):
        body = rigspace.mesh(rigspace.cast("bobbin"), vertices=600)
        self.assertTrue(400 < len(body.points) < 900, len(body.points))
        for name in ("body.msh", "body.mesh"):
            body.save(name)
            read = rigspace.mesh(pathlib.Path(name))
            np.testing.assert_array_equal(read.points, body.points)
            np.testing.assert_array_equal(read.tets, body.tets)

    def test_what_encloses_nothing_is_refused(self):
        self.refused(rigspace.Error, rigspace.mesh, (CUBE, FACES[:1]))
        self.refused(rigspace.UsageError, rigspace.mesh, (CUBE, [(0, 1, 8)]))
        self.refused(rigspace.UsageError, rigspace.mesh, (CUBE[:, :2], FACES))
        self.refused(rigspace.UsageError, rigspace.mesh, (CUBE, FACES), cell=0.1, vertices=100)


if __name__ == "__main__":
    unittest.main()
