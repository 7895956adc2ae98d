#!/usr/bin/env python3
"""The tests of two commits by name, read from their sources: which are gone, which are new.

    tests/compare/list_tests.py BEFORE [AFTER]          AFTER: the working tree by default

Exit status 1 if a test is gone."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CPP = re.compile(r"^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*(\w+),\s*(\w+)\s*\)", re.M)
PYTHON = re.compile(r"^class (\w+)|^    def (test_\w+)", re.M)
NODE = re.compile(r"^\s*(?:test|it)\(\s*['\"`](.+?)['\"`]", re.M)


def texts(commit):
    """(path, text) of all files below tests/ and examples/."""
    if commit is None:
        paths = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "tests", "examples"], cwd=ROOT, check=True,
                               capture_output=True, text=True).stdout.split()
        return [(path, (ROOT / path).read_text(errors="replace")) for path in paths if (ROOT / path).is_file()]
    paths = subprocess.run(["git", "ls-tree", "-r", "--name-only", commit, "tests", "examples"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split()
    paths = [path for path in paths if path.endswith((".cpp", ".py", ".mjs", ".c"))]
    return [(path, subprocess.run(["git", "show", f"{commit}:{path}"], cwd=ROOT, check=True, capture_output=True, text=True,
                                  errors="replace").stdout) for path in paths]


def names(commit):
    found = set()
    for path, text in texts(commit):
        if path.endswith("_test.cpp"):
            found |= {f"{suite}.{name}" for suite, name in CPP.findall(text)}
        elif re.search(r"(^|/)(test_\w+|addon_\w+)\.py$", path):
            suite = ""
            for owner, test in PYTHON.findall(text):
                suite = owner or suite
                if test:
                    found.add(f"{pathlib.Path(path).parent.name}:{suite}.{test}")
        elif path.endswith(".test.mjs"):
            found |= {f"browser: {name}" for name in NODE.findall(text)}
        elif re.match(r"examples/\d+_\w+\.cpp$", path):
            found.add("example " + pathlib.Path(path).stem)
    return found


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    before, after = names(sys.argv[1]), names(sys.argv[2] if len(sys.argv) > 2 else None)
    for label, list_of in (("gone", sorted(before - after)), ("new", sorted(after - before))):
        for name in list_of:
            print(f"{label}: {name}")
    print(f"{len(before)} tests before, {len(after)} now: {len(before - after)} gone, {len(after - before)} new")
    return 1 if before - after else 0


if __name__ == "__main__":
    sys.exit(main())
