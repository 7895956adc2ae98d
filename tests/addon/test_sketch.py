"""Posing by drawing in real Blender, without a window: sketch_inside.py."""
import os
import pathlib
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent


class Sketch(unittest.TestCase):
    def test_strokes_in_the_view_pose_the_armature(self):
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run(
                ["blender", "-b", "--factory-startup", "--python-exit-code", "3", "--python", HERE / "sketch_inside.py", "--", folder],
                env={**os.environ, "TMPDIR": folder}, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr[-6000:])
        self.assertRegex(result.stderr, r"Ran \d tests")


if __name__ == "__main__":
    unittest.main()
