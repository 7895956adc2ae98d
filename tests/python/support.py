"""What the tests of the module share."""
import functools
import os
import pathlib
import tempfile
import unittest

import rigspace

ROOT = pathlib.Path(__file__).resolve().parents[2]


class InAFolder(unittest.TestCase):
    """Each test runs in a folder of its own."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def refused(self, kind, function, *arguments, **options):
        """The exception, which is one sentence."""
        with self.assertRaises(kind) as caught:
            function(*arguments, **options)
        self.assertEqual(len(str(caught.exception).splitlines()), 1)
        return caught.exception


@functools.lru_cache()
def _hero():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "hero.glb"
        rigspace.cast("bobbin", skeleton=True).save(path)
        return path.read_bytes()


def make_hero(path="hero.glb"):
    """A character with a tail, as a file."""
    pathlib.Path(path).write_bytes(_hero())
    return rigspace.load(path)
