#!/usr/bin/env python3
"""Reads every #include of the library and fails on one that goes from a room to a room below it.

The order of ROOMS is the rule: a room may include itself and the rooms before it in the list. A forward declaration
(`struct Flesh;`) of a type that a room below defines is such an edge too."""
import pathlib
import re
import sys

ROOMS = ["base", "optimize", "geometry", "rig", "anim", "energy", "body", "reduce", "parts", "io", "cast", "pages", "jobs", "apps",
         "render"]
TESTING = "testing"  # public checkers: may use everything up to rig; nothing in the library may use them

root = pathlib.Path(__file__).resolve().parent.parent
include = re.compile(r'^\s*#\s*include\s*[<"](?:\.\./)*(?:rigspace/)?([a-z_]+)/([a-z_/]+)\.h[>"]')
forward = re.compile(r"^(?:struct|class|enum class) (\w+);", re.M)
defined = re.compile(r"^(?:struct|class|enum class) (\w+)\b[^;{]*\{", re.M)


def sources():
    """(path, room, folders below the top, text) of every file of the library."""
    for top in ("include/rigspace", "src"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                parts = path.relative_to(root / top).parts
                yield path, parts[0], parts, path.read_text()


def hidden_edges():
    """Forward declarations of types that only rooms below define."""
    rooms = {}
    for _, room, _, text in sources():
        for name in defined.findall(text):
            rooms.setdefault(name, set()).add(room)
    for path, room, _, text in sources():
        for match in forward.finditer(text) if room in ROOMS else ():
            found = rooms.get(match[1], set())
            if found and not found & allowed(room):
                line = text.count("\n", 0, match.start()) + 1
                yield f"{path.relative_to(root)}:{line}: room {room} declares {match[1]} of room {', '.join(sorted(found))}"


def system_headers():
    """Public headers serve other systems too: none includes a header of POSIX, Linux or Windows."""
    system = re.compile(r"^\s*#\s*include\s*<((?:sys|netinet|arpa|linux)/[^>]*|(?:unistd|fcntl|poll|signal|spawn|pthread|dlfcn|"
                        r"termios|sched|dirent|malloc|windows|io|direct|process)\.h)>", re.M)
    for path in sorted((root / "include").rglob("*.h")):
        for match in system.finditer(path.read_text()):
            yield f"{path.relative_to(root)}: a public header includes <{match[1]}>"


def allowed(room):
    if room == TESTING:
        return set(ROOMS[: ROOMS.index("rig") + 1]) | {TESTING}
    return set(ROOMS[: ROOMS.index(room) + 1])


def main():
    wrong, seen = [], 0
    for path, room, parts, text in sources():
        if room not in ROOMS + [TESTING]:
            wrong.append(f"{path.relative_to(root)}: '{room}' is no room; rooms are {', '.join(ROOMS)}")
            continue
        for number, line in enumerate(text.splitlines(), 1):
            match = include.match(line)
            if not match or match[1] not in ROOMS + [TESTING]:
                continue
            seen += 1
            where = f"{path.relative_to(root)}:{number}"
            if match[1] not in allowed(room):
                wrong.append(f"{where}: room {room} may not use room {match[1]}")
            elif room == match[1] == "apps" and parts[1] != match[2].split("/")[0]:
                wrong.append(f"{where}: application {parts[1]} may not use application {match[2].split('/')[0]}")
    wrong += hidden_edges()
    wrong += system_headers()
    if seen == 0:
        wrong.append("no includes were found: is this the right folder?")
    for line in wrong:
        print(line)
    print(f"{seen} includes between rooms, {len(wrong)} forbidden")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
