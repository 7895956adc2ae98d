"""The add-on in real Blender: from its zip, without a window (addon_inside.py) and with one (addon_window.py)."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
import zipfile

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
        self.assertRegex(result.stderr, r"Ran 4[0-9] tests")

    def test_the_tutorial_step_by_step(self):
        result = subprocess.run(
            ["blender", "-b", "--factory-startup", "--python-exit-code", "3", "--python", HERE / "tutorial_inside.py", "--", self.zip,
             self.folder], env=self.environment, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr[-6000:])
        self.assertIn("the tutorial was followed", result.stdout)

    def test_a_zip_with_the_program_needs_nothing_else(self):
        program, alone = os.environ.get("RIGSPACE_PROGRAM", str(ROOT / "build/bin/rigspace")), self.folder / "alone"
        alone.mkdir()
        subprocess.run([sys.executable, ROOT / "blender/pack.py", alone / "rigspace_addon.zip", program], check=True, capture_output=True)
        environment = {**self.environment, "BLENDER_USER_SCRIPTS": str(alone), "BLENDER_USER_CONFIG": str(alone), "PATH": ""}
        for name in ("RIGSPACE_PROGRAM", "RIGSPACE_BLENDER_HOST"):
            environment.pop(name, None)
        with zipfile.ZipFile(alone / "rigspace_addon.zip") as archive:
            archive.extractall(alone / "unzipped")
        unzipped = alone / "unzipped/rigspace_addon/program/rigspace"
        unzipped.chmod(0o755)  # what unpacks zips leaves this out
        told = subprocess.run([unzipped, "--version"], env={"PATH": ""}, capture_output=True, text=True)
        self.assertEqual(told.returncode, 0, told.stderr)
        result = subprocess.run(
            [shutil.which("blender"), "-b", "--factory-startup", "--python-exit-code", "3", "--python", HERE / "addon_inside.py", "--",
             alone / "rigspace_addon.zip", self.hero, alone, "Addon.test_what_the_program_has_to_say_reaches_the_panel"],
            env=environment, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr[-6000:])

    def test_the_manifest_and_the_sources_are_fit_for_the_extensions_platform(self):
        with zipfile.ZipFile(self.zip) as archive:
            manifest = tomllib.loads(archive.read("rigspace_addon/blender_manifest.toml").decode())
            sources = {name: archive.read(name).decode() for name in archive.namelist() if name.endswith(".py")}
            self.assertIn("rigspace_addon/LICENSE-ADDON.md", archive.namelist())
        for text in (manifest["tagline"], *manifest["permissions"].values()):
            self.assertLessEqual(len(text), 64, text)
            self.assertTrue(text[-1].isalnum(), text)
        self.assertGreaterEqual(tuple(map(int, manifest["blender_version_min"].split("."))), (4, 2, 0))
        self.assertEqual(manifest["license"], ["SPDX:GPL-3.0-or-later"])
        self.assertIn(f'"version": ({manifest["version"].replace(".", ", ")})', sources["rigspace_addon/__init__.py"])
        for name, text in sources.items():
            for word in ("__annotations__", "killpg", "start_new_session", "preexec_fn", "import signal", "import fcntl"):
                self.assertNotIn(word, text, name)

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
