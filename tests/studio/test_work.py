"""Long work of the studio: export, cancelling, restarts, and the command that starts it."""

import os
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from client import PROGRAM, Server  # noqa: E402
from program import Glb, make_hero  # noqa: E402
from studio_case import Studio  # noqa: E402
from work_time import after_cancel  # noqa: E402


class Export(Studio):
    def test_the_printed_command_makes_the_same_bytes(self):
        self.page.do("play.set", clip="Walk", playing=False)
        self.baked()
        name = self.part()["name"]
        self.page.do("parts.set", part=name, field="amount", value=0.7)
        self.page.do("parts.set", part=name, field="settle", value=0.6, clip=True)
        self.baked()
        control = self.part()["nodes"][-1] + ".rx"
        keys = self.page.do("curves.get", controls=[control])["curves"][0]["keys"]
        keys[len(keys) // 2]["value"] += 8
        self.page.do("curves.edit", control=control, keys=keys)
        self.page.do("export.run")
        self.page.until(lambda: self.page.state["export"]["files"])
        files = self.page.state["export"]["files"]
        exported = {}
        for each in files:
            status, _, data = self.server.request("GET", each["url"])
            self.assertEqual((status, len(data)), (200, each["bytes"]))
            exported[each["name"]] = data
        command = shlex.split(self.page.state["export"]["command"])
        self.assertEqual(command[0], "rigspace")
        for each in files:
            os.remove(self.folder / each["name"])
        subprocess.run([PROGRAM] + command[1:], check=True, capture_output=True)
        for each in files:
            self.assertEqual((self.folder / each["name"]).read_bytes(), exported[each["name"]], each["name"])
        recipe = next(each["name"] for each in files if each["name"].endswith(".json"))
        again = self.folder / "again.glb"
        subprocess.run([PROGRAM, "rerun", self.folder / recipe, "-o", again], check=True, capture_output=True)
        model = next(each["name"] for each in files if each["name"].endswith(".glb"))
        (self.folder / "exported.glb").write_bytes(exported[model])
        for (node, path), (_, values) in Glb(self.folder / "exported.glb").channels("Walk_soft").items():
            self.assertEqual(Glb(again).channels("Walk_soft")[node, path][1], values, (node, path))


class Cancel(Studio):
    def test_the_page_is_told_and_the_work_itself_ends(self):
        self.page.do("play.set", clip="Walk", playing=False)
        self.baked()
        seen = after_cancel(self.server, self.page, "export.run", {"what": ["glb"]}, 0.05)
        self.assertIsNotNone(seen, "there was something to cancel")
        self.assertLess(seen["processor"], 0.2)  # s of its thread, however busy the machine is
        self.assertEqual(self.page.state["export"]["files"], [])
        self.page.until(lambda: any("Cancelled" in said["text"] for said in self.page.said))


class Restart(unittest.TestCase):
    def test_a_killed_server_comes_back_with_the_work(self):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            make_hero(folder / "hero.glb")
            server = Server(folder / "hero.glb", folder=folder)
            port = server.port
            server.stop()
            server.start(port)  # a fixed port keeps its token
            token = server.token
            page = server.page()
            page.opened()
            name = page.state["parts"]["chosen"][0]["name"]
            page.do("parts.set", part=name, field="amount", value=0.4)
            started = page.state["server"]["started"]
            page.close()
            server.process.kill()
            server.process.wait()
            server.process.stdout.close(), server.process.stderr.close()
            server.start(port)
            self.assertEqual(server.token, token)
            page = server.page()
            page.opened()
            self.assertNotEqual(page.state["server"]["started"], started)
            self.assertEqual(page.state["parts"]["chosen"][0]["set"]["amount"], 0.4)
            page.close()
            server.stop()


class Command(unittest.TestCase):
    def test_a_folder_of_the_same_name_is_no_character(self):
        with tempfile.TemporaryDirectory() as temporary:
            (Path(temporary) / "studio").mkdir()
            said = subprocess.run([PROGRAM, "studio", "--help"], cwd=temporary, capture_output=True, text=True)
            self.assertEqual(said.returncode, 0)
            self.assertIn("--no-browser", said.stdout)


if __name__ == "__main__":
    unittest.main()
