"""A studio for all tests of a class."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from client import Server, header  # noqa: E402
from program import make_hero  # noqa: E402


class Studio(unittest.TestCase):
    """One server for all tests of a class, with a small hero that has a tail."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        cls.hero = cls.folder / "hero.glb"
        make_hero(cls.hero)
        cls.server = Server(cls.hero, folder=cls.folder)
        cls.page = cls.server.page()
        cls.page.opened()

    @classmethod
    def tearDownClass(cls):
        cls.page.close()
        cls.server.stop()
        cls.temporary.cleanup()

    def part(self, page=None):
        return (page or self.page).state["parts"]["chosen"][0]

    def baked(self):
        self.page.until(lambda: self.page.state["bake"]["state"] == "ready")

    def frame_after(self, answer):
        self.assertNotIn("error", answer, answer)
        self.page.until(lambda: self.page.frame and header(self.page.frame)[3] >= answer["change"])
        return self.page.frame
