"""Cloth in real Blender, without a window: cloth_inside.py."""
import os
import pathlib
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent


class Cloth(unittest.TestCase):
    def test_a_sheet_on_a_moving_body_comes_back_as_a_cache(self):
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run(
                ["blender", "-b", "--factory-startup", "--python-exit-code", "3", "--python", HERE / "cloth_inside.py", "--", folder],
                env={**os.environ, "TMPDIR": folder}, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr[-6000:])
        self.assertRegex(result.stderr, r"Ran \d tests")


if __name__ == "__main__":
    unittest.main()
