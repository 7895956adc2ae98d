"""The add-on in real Blender: from its zip, without a window (addon_inside.py) and with one (addon_window.py)."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


class Addon(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.hero, cls.zip = cls.folder / "hero.blend", cls.folder / "rigspace_addon.zip"
        subprocess.run([sys.executable, ROOT / "blender/pack.py", cls.zip], check=True, capture_output=True)
        subprocess.run(["blender", "-b", "--factory-startup", "--python-exit-code", "3", "--python", ROOT / "tests/blender/make_character.py",
                        "--", cls.hero], check=True, capture_output=True)
        temporary = cls.folder / "temporary"  # of their own: what they leave behind is counted, and other tests write beside them
        temporary.mkdir()
        cls.environment = {**os.environ, "RIGSPACE_CACHE": str(cls.folder / "cache"), "BLENDER_USER_SCRIPTS": str(cls.folder),
                           "BLENDER_USER_CONFIG": str(cls.folder), "TMPDIR": str(temporary)}

    def test_without_a_window(self):
        result = subprocess.run(
            ["blender", "-b", "--factory-startup", "--python-exit-code", "3", "--python", HERE / "addon_inside.py", "--", self.zip,
             self.hero, self.folder], env=self.environment, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr[-6000:])
        self.assertRegex(result.stderr, r"Ran 2[0-9] tests")

    @unittest.skipUnless(shutil.which("Xvfb"), "Xvfb is not installed")
    def test_with_a_window(self):
        read, write = os.pipe()
        server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x900x24"], pass_fds=[write],
                                  stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: (server.kill(), server.wait()))
        os.close(write)
        with os.fdopen(read) as numbers:
            display = numbers.readline().strip()
        self.assertTrue(display, "Xvfb did not start")
        out = self.folder / "window.txt"
        environment = {**self.environment, "DISPLAY": f":{display}", "LIBGL_ALWAYS_SOFTWARE": "1"}
        result = subprocess.run(["blender", "--factory-startup", "--enable-event-simulate", "--window-geometry", "0", "0", "1280", "900",
                                 "--python", HERE / "addon_window.py", "--", self.zip, self.hero, out], env=environment,
                                capture_output=True, text=True)
        self.assertEqual(out.read_text() if out.exists() else result.stdout + result.stderr, "ok\n")


if __name__ == "__main__":
    unittest.main()
