"""pip wheel . and pip install of what it made, without a network, in a virtual environment with Debian's site packages."""
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import unittest

from support import ROOT, InAFolder


class Pip(InAFolder):
    def test_it_installs_without_a_network_and_is_found(self):
        if importlib.util.find_spec("ensurepip") is None:
            self.skipTest("ensurepip is not installed")
        if not os.environ.get("RIGSPACE_BUILD"):
            self.skipTest("RIGSPACE_BUILD is not set: it would build everything")
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", "venv"], check=True, capture_output=True)
        before = {path.name for path in ROOT.iterdir()}
        made = subprocess.run(["venv/bin/pip", "wheel", "--no-deps", "--no-index", "--wheel-dir", "wheels", str(ROOT)],
                              capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        (wheel,) = (self.folder / "wheels").iterdir()
        installed = subprocess.run(["venv/bin/pip", "install", "--no-deps", "--no-index", str(wheel)], capture_output=True, text=True)
        self.assertEqual(installed.returncode, 0, installed.stdout + installed.stderr)
        self.assertEqual({path.name for path in ROOT.iterdir()}, before)
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        asked = "import rigspace; print(rigspace.__file__, rigspace.cast('bobbin').rig.point_count)"
        said = subprocess.run(["venv/bin/python", "-c", asked], env=environment, capture_output=True, text=True)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertTrue(said.stdout.startswith(str(self.folder.resolve() / "venv")), said.stdout)
        self.hosts_blender(environment)
        listed = subprocess.run(["venv/bin/pip", "list"], env=environment, capture_output=True, text=True).stdout
        self.assertIn("rigspace", listed)

    def hosts_blender(self, environment):
        """What runs inside Blender comes with it: a Blender that only says what it was told."""
        blender, told = self.folder / "blender", self.folder / "told.txt"
        blender.write_text(f'#!/bin/sh\necho "$@" > "{told}"\nexit 1\n')
        blender.chmod(0o755)
        (self.folder / "hero.blend").write_bytes(b"BLENDER-v304" + bytes(100))
        subprocess.run(["venv/bin/python", "-c", "import rigspace; rigspace.load('hero.blend')"],
                       env={**environment, "RIGSPACE_BLENDER": str(blender)}, capture_output=True)
        host = re.search(r"--python (\S*rigspace_host.py)", told.read_text())[1]
        self.assertTrue(host.startswith(str(self.folder.resolve() / "venv")), host)
        self.assertTrue((pathlib.Path(host).parents[1] / "rigspace_addon" / "rig.py").exists())


if __name__ == "__main__":
    unittest.main()
