"""rigspace licences: every library that the program loads is listed, and nothing that it does not load."""
import json
import re
import shutil
import subprocess
import unittest

from program import PROGRAM


class Licences(unittest.TestCase):
    def test_every_library_that_is_loaded_is_listed(self):
        if shutil.which("ldd") is None:
            self.skipTest("ldd is not installed")
        answer = json.loads(subprocess.run([PROGRAM, "licences", "--json"], check=True, capture_output=True, text=True).stdout)
        works = answer["works"]
        listed = {name for work in works if work["how"] != "compiled in" for name in work["how"].split()}
        said = subprocess.run(["ldd", PROGRAM], check=True, capture_output=True, text=True).stdout
        loaded = {re.sub(r"\.so.*", "", path.split("/")[-1]) for path in re.findall(r"^\s*(\S+)", said, re.M)}
        loaded -= {"linux-vdso", "linux-gate", "libdl", "libpthread", "librt", "libasan", "libubsan"}
        self.assertEqual(loaded - listed, set(), "are loaded and not listed")
        own = {name for name in listed if not name.startswith("ld-linux")}
        self.assertEqual(own - loaded - {"libquadmath", "libgfortran", "libgomp"}, set(), "are listed and not loaded")
        self.assertEqual(answer["as_a_whole"], "GPL-2.0-or-later" if "libcholmod" in loaded else "Apache-2.0")
        for work in works:
            self.assertTrue(work["licence"] and work["use"], work)

    def test_it_is_readable(self):
        text = subprocess.run([PROGRAM, "licences"], check=True, capture_output=True, text=True).stdout
        self.assertIn("Eigen: MPL-2.0\n", text)
        self.assertTrue(text.startswith("rigspace "), text)


if __name__ == "__main__":
    unittest.main()
