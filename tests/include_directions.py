#!/usr/bin/env python3
"""Reads every #include of the library and fails on one that goes from a room to a room below it.

The order of ROOMS is the rule: a room may include itself and the rooms before it in the list."""
import pathlib
import re
import sys

ROOMS = ["base", "optimize", "geometry", "rig", "anim", "energy", "body", "reduce", "parts", "io", "cast", "pages", "jobs", "apps",
         "render"]
TESTING = "testing"  # public checkers: may use everything up to rig; nothing in the library may use them

root = pathlib.Path(__file__).resolve().parent.parent
include = re.compile(r'^\s*#\s*include\s*[<"](?:\.\./)*(?:rigspace/)?([a-z_]+)/([a-z_/]+)\.h[>"]')


def allowed(room):
    if room == TESTING:
        return set(ROOMS[: ROOMS.index("rig") + 1]) | {TESTING}
    return set(ROOMS[: ROOMS.index(room) + 1])


def main():
    wrong, seen = [], 0
    for top in ("include/rigspace", "src"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            parts = path.relative_to(root / top).parts
            room = parts[0]
            if room not in ROOMS + [TESTING]:
                wrong.append(f"{path.relative_to(root)}: '{room}' is no room; rooms are {', '.join(ROOMS)}")
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = include.match(line)
                if not match or match[1] not in ROOMS + [TESTING]:
                    continue
                seen += 1
                where = f"{path.relative_to(root)}:{number}"
                if match[1] not in allowed(room):
                    wrong.append(f"{where}: room {room} may not use room {match[1]}")
                elif room == match[1] == "apps" and parts[1] != match[2].split("/")[0]:
                    wrong.append(f"{where}: application {parts[1]} may not use application {match[2].split('/')[0]}")
    if seen == 0:
        wrong.append("no includes were found: is this the right folder?")
    for line in wrong:
        print(line)
    print(f"{seen} includes between rooms, {len(wrong)} forbidden")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
