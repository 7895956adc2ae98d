"""The add-on inside Blender: installed from its zip, worked by its operators as a script would.

    blender -b --factory-startup --python-exit-code 3 --python tests/addon/addon_inside.py -- ADDON.zip HERO.blend FOLDER [Addon.TEST..]

HERO.blend is what tests/blender/make_character.py makes. BLENDER_USER_SCRIPTS is a folder that may be written."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import addon_layers  # noqa: E402
import addon_live  # noqa: E402
import addon_operators  # noqa: E402
import addon_rigs  # noqa: E402
import addon_runs  # noqa: E402
import addon_shots  # noqa: E402
from addon_case import TESTS  # noqa: E402


class Addon(addon_layers.Addon, addon_runs.Addon, addon_operators.Addon, addon_shots.Addon, addon_rigs.Addon, addon_live.Addon):
    """All tests in one class: the add-on is installed once."""


if __name__ == "__main__":
    result = unittest.main(argv=["addon", *TESTS], exit=False).result
    if not result.wasSuccessful():
        raise SystemExit(3)
