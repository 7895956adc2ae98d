"""The add-on as one zip: what `./run addon` calls.

    python3 blender/pack.py OUT.zip [PROGRAM]

With PROGRAM, the rigspace program of this platform, it and the libraries that it loads are in the zip, and the add-on needs nothing
else. The same sources give the same bytes."""
import pathlib
import platform
import re
import subprocess
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
EPOCH = (2020, 1, 1, 0, 0, 0)
SYSTEM = ("linux-vdso", "ld-linux", "libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so")  # of every Linux, and bound to its kernel
PLATFORMS = {("Linux", "x86_64"): "linux-x64", ("Linux", "aarch64"): "linux-arm64"}


def libraries_of(program: pathlib.Path) -> list[pathlib.Path]:
    """What the loader finds for a program, without the system's own."""
    found = re.findall(r"^\s*(\S+) => (\S+) ", subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout, re.M)
    return [pathlib.Path(path) for name, path in found if not name.startswith(SYSTEM)]


def entries(program: pathlib.Path | None) -> list[tuple[str, bytes, int]]:
    """(name, content, mode) of all files."""
    sources = sorted(path for path in (HERE / "rigspace_addon").iterdir() if path.suffix in (".py", ".toml"))
    told = [(path.name, path.read_bytes(), 0o644) for path in [*sources, HERE.parent / "LICENSE", HERE / "LICENSE-ADDON.md"]]
    if program is None:
        return told
    where = PLATFORMS.get((platform.system(), platform.machine()))
    if where is None:
        raise SystemExit(f"{program}: a zip with the program is made on Linux; leave the program out, and name it in the preferences")
    told = [(name, with_platform(data, where) if name.endswith(".toml") else data, mode) for name, data, mode in told]
    told += [("program/rigspace", program.read_bytes(), 0o755), ("program/rigspace_host.py", (HERE / "host/rigspace_host.py").read_bytes(), 0o644)]
    return told + [(f"program/lib/{path.name}", path.read_bytes(), 0o755) for path in libraries_of(program)]


def with_platform(manifest: bytes, where: str) -> bytes:
    return manifest.replace(b"[permissions]", f'platforms = ["{where}"]\n\n[permissions]'.encode())


def pack(out: pathlib.Path, program: pathlib.Path | None = None) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    beside = out.with_suffix(".writing")
    with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data, mode in entries(program):
            entry = zipfile.ZipInfo(f"rigspace_addon/{name}", EPOCH)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, mode << 16
            archive.writestr(entry, data)
    beside.rename(out)


if __name__ == "__main__":
    pack(*map(pathlib.Path, sys.argv[1:3]))
    print(f"{sys.argv[1]}: install it in Blender, Edit, Preferences, Add-ons, Install")
