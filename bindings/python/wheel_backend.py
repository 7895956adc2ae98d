"""What pip calls (PEP 517): builds the module with cmake and packs it with the package around it.

The folder `build`, if ./run has made one, is used and brought up to date; otherwise `build-python`, which takes as long
as the whole library. $RIGSPACE_BUILD names another one. Nothing is taken from a network: pip's isolated environment, which is
empty, will do."""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.search(r"VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text())[1]


def _built_package():
    given = os.environ.get("RIGSPACE_BUILD")
    made = ROOT / "build"
    folder = pathlib.Path(given) if given else made if _serves(made) else ROOT / "build-python"
    if not (folder / "build.ninja").exists():
        subprocess.check_call(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                               "-DRIGSPACE_WITH_PYTHON=ON", "-DRIGSPACE_TESTS=OFF",
                               f"-DPython_EXECUTABLE={sys.executable}"])
    subprocess.check_call(["cmake", "--build", folder, "--target", "rigspace_python_package"])
    return folder


def _serves(folder):
    """Whether it makes the module for this Python."""
    return (folder / "python/rigspace" / ("_rigspace" + sysconfig.get_config_var("EXT_SUFFIX"))).exists()


def _licence(folder):
    """A build with CHOLMOD is, as a whole, under the licence of its supernodal part."""
    cache = (folder / "CMakeCache.txt").read_text()
    return "GPL-2.0-or-later" if re.search(r"^RIGSPACE_WITH_CHOLMOD:BOOL=(ON|1|TRUE)$", cache, re.M) else "Apache-2.0"


def _metadata(licence):
    return (f"Metadata-Version: 2.1\nName: rigspace\nVersion: {VERSION}\n"
            "Summary: Physics, posing, clothing and motion in the space of a character's own rig\n"
            f"License: {licence}\nRequires-Python: >=3.9\nRequires-Dist: numpy>=1.20\n")


def get_requires_for_build_wheel(config_settings=None):
    return []


class _Wheel:
    """A zip with a RECORD of what is in it (PEP 427)."""

    def __init__(self, path, info):
        self._zip, self._info, self._record = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED), info, []

    def add(self, name, data, mode=0o644):
        entry = zipfile.ZipInfo(name)
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (0o100000 | mode) << 16
        self._zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(data)}\n")

    def close(self):
        record = f"{self._info}/RECORD"
        self._zip.writestr(record, "".join(self._record) + f"{record},,\n")
        self._zip.close()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    if not shutil.which("cmake"):
        raise SystemExit("cmake is not installed; ./run setup installs it and what else is needed")
    folder = _built_package()
    package = folder / "python/rigspace"
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    name = f"rigspace-{VERSION}-{tag}.whl"
    info = f"rigspace-{VERSION}.dist-info"
    wheel = _Wheel(os.path.join(wheel_directory, name), info)
    module = "_rigspace" + sysconfig.get_config_var("EXT_SUFFIX")
    ours = {file.name for file in (ROOT / "bindings/python/rigspace").iterdir() if file.is_file()}
    for file in sorted(package.iterdir()):
        if file.name in ours or file.name == module:
            wheel.add(f"rigspace/{file.name}", file.read_bytes(), 0o755 if file.name == module else 0o644)
    for host in ("host", "rigspace_addon"):  # what runs inside Blender for .blend files
        for file in sorted((ROOT / "blender" / host).glob("*.py")):
            wheel.add(f"rigspace/blender/{host}/{file.name}", file.read_bytes())
    for file in ("LICENSE", "NOTICE"):
        wheel.add(f"{info}/{file}", (ROOT / file).read_bytes())
    wheel.add(f"{info}/METADATA", _metadata(_licence(folder)).encode())
    wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: rigspace\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
    wheel.close()
    return name
