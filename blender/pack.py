"""The add-on as one zip: what `./run addon` calls.

    python3 blender/pack.py OUT.zip

The same sources give the same bytes."""
import pathlib
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
EPOCH = (2020, 1, 1, 0, 0, 0)


def pack(out):
    out.parent.mkdir(parents=True, exist_ok=True)
    sources = sorted(path for path in (HERE / "rigspace_addon").iterdir() if path.suffix in (".py", ".toml"))
    beside = out.with_suffix(".writing")
    with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in [*sources, HERE.parent / "LICENSE"]:
            entry = zipfile.ZipInfo(f"rigspace_addon/{path.name}", EPOCH)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, path.read_bytes())
    beside.rename(out)


if __name__ == "__main__":
    pack(pathlib.Path(sys.argv[1]))
    print(f"{sys.argv[1]}: install it in Blender, Edit, Preferences, Add-ons, Install")
