"""The add-on in real Blender on files of other people: real_inside.py. Skipped without $RIGSPACE_ASSETS."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ASSETS = pathlib.Path(os.environ.get("RIGSPACE_ASSETS", ROOT.parent / "shared/assets"))


class Real(unittest.TestCase):
    @unittest.skipUnless((ASSETS / "blend_quaternius_Rat").is_dir(), f"skipped: {ASSETS} has no blend_quaternius_Rat")
    def test_shots_of_characters_that_nobody_made_for_it(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            environment = {**os.environ, "TMPDIR": name, "RIGSPACE_CACHE": str(folder / "cache"), "BLENDER_USER_SCRIPTS": name,
                           "BLENDER_USER_CONFIG": name}
            subprocess.run([sys.executable, ROOT / "blender/pack.py", folder / "addon.zip"], check=True, capture_output=True)
            subprocess.run(["blender", "-b", "--factory-startup", "--python-exit-code", "3", "--python", ROOT / "tests/blender/make_rigify.py",
                            "--", folder / "human.blend"], check=True, capture_output=True, env=environment)
            result = subprocess.run(
                ["blender", "-b", "--factory-startup", "--python-exit-code", "3", "--python", HERE / "real_inside.py", "--",
                 folder / "addon.zip", ASSETS, folder / "human.blend"], env=environment, capture_output=True, text=True)
            self.assertEqual(result.returncode, 0, result.stderr[-6000:])
            self.assertRegex(result.stderr, r"Ran 6 tests")
            self.assertEqual(list(folder.glob("rigspace_*")), [])


if __name__ == "__main__":
    unittest.main()
