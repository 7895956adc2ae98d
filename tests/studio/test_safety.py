"""Who is refused by the studio, and what."""

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from program import make_hero  # noqa: E402
from studio_case import Studio  # noqa: E402


class Safety(Studio):
    def test_who_is_refused(self):
        for target, headers, token, status in (
                ("/", {}, False, 403), ("/?token=wrong", {}, False, 403), ("/?token=", {}, False, 403),
                ("/", {"Host": "evil.example:" + str(self.server.port)}, True, 403),
                ("/", {"Host": "127.0.0.1"}, True, 403),
                ("/", {"Origin": "http://evil.example"}, True, 403),
                ("/", {"Origin": "null"}, True, 403),
                ("/", {"Origin": f"http://localhost:{self.server.port + 1}"}, True, 403),
                ("/", {"Origin": f"http://127.0.0.1:{self.server.port}"}, True, 200),
                ("/../../etc/passwd", {}, True, 400), ("/%2e%2e/etc/passwd", {}, True, 400),
                ("/out/..%2f..%2fetc%2fpasswd", {}, True, 400), ("/out/%5c..", {}, True, 400),
                ("/file/1/%00", {}, True, 400), ("/nothing", {}, True, 404)):
            got, answer, _ = self.server.request("GET", target, headers=headers, token=token)
            self.assertEqual(got, status, (target, headers))
            self.assertNotIn("Access-Control-Allow-Origin", answer)
        for more in ({"origin": "http://evil.example"}, {"token": "wrong"}):
            with self.assertRaises(ConnectionError):
                self.server.page(**more)

    def test_only_files_of_the_given_folders(self):
        with tempfile.TemporaryDirectory() as elsewhere:
            make_hero(Path(elsewhere) / "other.glb")
            os.symlink(Path(elsewhere) / "other.glb", self.folder / "link.glb")
            for path in (f"{elsewhere}/other.glb", str(self.folder / "link.glb"), f"{self.folder}/../../etc/passwd",
                         "/etc/passwd", "", "x" * 5000):
                self.assertIn("error", self.page.do("file.open", path=path), path)
            os.remove(self.folder / "link.glb")

    def test_uploads_are_bounded_and_named_plainly(self):
        data = self.hero.read_bytes()
        status, _, answer = self.server.request("PUT", "/upload/drop.glb", body=data)
        self.assertEqual(status, 200)
        path = json.loads(answer)["path"]
        self.assertEqual(Path(path).read_bytes(), data)
        self.assertEqual(json.loads(self.server.request("PUT", "/upload/drop.glb", body=data)[2])["path"], path)
        for name in (".hidden", "a%2fb.glb", "x" * 200, "%0a"):
            self.assertEqual(self.server.request("PUT", f"/upload/{name}", body=b"x")[0], 400, name)
        status, _, _ = self.server.request("PUT", "/upload/huge.glb", headers={"Content-Length": str(1 << 40)})
        self.assertEqual(status, 413)
        self.assertEqual(self.server.request("POST", "/", body=b"x")[0], 413)
        self.assertEqual(self.server.request("DELETE", "/")[0], 405)

    def test_nonsense_is_answered_with_a_sentence(self):
        for text in ("", "{", "[]", "null", '{"do": 3}', '{"id": 1001, "do": "no.such"}', '{"id": 1002, "do": "play.set", "time": "x"}',
                     '{"id": 1003, "do": "parts.set"}', '{"id": 1004, "do": "parts.set", "part": "x", "field": "rate", "value": 1e999}'):
            self.page.send_raw(1, text.encode())
        self.page.send_raw(2, b"binary")
        broken = self.server.page()
        broken.send_raw(1, b"\xff\xfe")  # no UTF-8: WebSockets end there
        with self.assertRaises(ConnectionError):
            while True:
                broken.take()
        broken.close()
        self.assertIn("error", self.page.do("parts.mode", candidate=10 ** 9, mode="soft"))
        self.assertNotIn("error", self.page.do("file.list"))


if __name__ == "__main__":
    unittest.main()
