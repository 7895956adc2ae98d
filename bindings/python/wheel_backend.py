"""What pip calls (PEP 517): builds the module with cmake and packs it with the package around it.

The folder `build`, if ./run has made one, is used and brought up to date; otherwise `build-python`, which takes as long
as the whole library. $RIGSPACE_BUILD names another one."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

from wheel.wheelfile import WheelFile

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
    return folder / "python/rigspace"


def _serves(folder):
    """Whether it makes the module for this Python."""
    return (folder / "python/rigspace" / ("_rigspace" + sysconfig.get_config_var("EXT_SUFFIX"))).exists()


def _metadata():
    return (f"Metadata-Version: 2.1\nName: rigspace\nVersion: {VERSION}\n"
            "Summary: Physics, posing, clothing and motion in the space of a character's own rig\n"
            "License: Apache-2.0\nRequires-Python: >=3.9\nRequires-Dist: numpy>=1.20\n")


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    if not shutil.which("cmake"):
        raise SystemExit("cmake is not installed; ./run setup installs it and what else is needed")
    package = _built_package()
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    name = f"rigspace-{VERSION}-{tag}.whl"
    info = f"rigspace-{VERSION}.dist-info"
    with WheelFile(os.path.join(wheel_directory, name), "w") as wheel:
        ours = {file.name for file in (ROOT / "bindings/python/rigspace").iterdir() if file.is_file()}
        for file in sorted(package.iterdir()):
            if file.name in ours or file.name == "_rigspace" + sysconfig.get_config_var("EXT_SUFFIX"):
                wheel.write(file, f"rigspace/{file.name}")
        for folder in ("host", "rigspace_addon"):  # what runs inside Blender for .blend files
            for file in sorted((ROOT / "blender" / folder).glob("*.py")):
                wheel.write(file, f"rigspace/blender/{folder}/{file.name}")
        wheel.writestr(f"{info}/METADATA", _metadata())
        wheel.writestr(f"{info}/WHEEL",
                       f"Wheel-Version: 1.0\nGenerator: rigspace\nRoot-Is-Purelib: false\nTag: {tag}\n")
        for file in ("LICENSE", "NOTICE"):
            wheel.write(ROOT / file, f"{info}/{file}")
    return name
