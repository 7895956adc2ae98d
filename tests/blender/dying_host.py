"""The host, but Blender is killed in the middle of its work: at the evaluation that $DIE_AT says, once: $DIED tells."""
import os
import pathlib
import signal
import sys

BLENDER = pathlib.Path(__file__).resolve().parents[2] / "blender"
sys.dont_write_bytecode = True
sys.path.insert(0, str(BLENDER))

from rigspace_addon.rig import BlenderRig  # noqa: E402

evaluate, count = BlenderRig.evaluate, 0


def dying(rig, p):
    global count
    count += 1
    died = pathlib.Path(os.environ["DIED"])
    if count == int(os.environ["DIE_AT"]) and not died.exists():
        died.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return evaluate(rig, p)


BlenderRig.evaluate = dying
host = BLENDER / "host/rigspace_host.py"
exec(compile(host.read_text(), str(host), "exec"), {"__file__": str(host), "__name__": "__main__"})
