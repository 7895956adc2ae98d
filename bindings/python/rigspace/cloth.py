"""Garments over the clips of a character (docs/cloth.md).

    knight = rigspace.load("knight.glb")
    motion = rigspace.cloth.simulate(knight, "Knight_Cape", clip="Walk")
    motion.save("knight.cloth.glb")
"""
import os

from ._rigspace import ClothMotion, Dressed

__all__ = ["ClothMotion", "Dressed", "dress", "simulate", "train"]

_OPTIONS = {"unit", "scale", "move", "attach", "refine", "lead", "clearance", "warp", "weft", "shear", "bending", "density", "damping", "friction",
            "distance", "step", "tolerance", "wind", "self_contact", "relax", "without", "keep"}


def dress(character, garment, *, progress=None, **options):
    """A garment on a character, made once and simulated over several clips.

    garment: the path of an .obj in the character's space and rest pose, or the name of one of its pieces. options, SI units:
    unit (metres per unit of the file); scale, move (3): bring a garment from a file onto the body; attach: "auto", or a band below the garment's top that the body holds, 0: none;
    refine: "auto", or the longest edge in the simulation, 0: as it is; lead: seconds from the rest pose to the clip;
    without: patterns of pieces that the garment passes through; keep: a folder in which frames are kept, so that a run that
    was stopped goes on; clearance, step, tolerance, distance, friction, wind (3), self_contact, relax; of the material warp,
    weft, shear, bending, density, damping.
    """
    unknown = sorted(set(options) - _OPTIONS)
    if unknown:
        raise TypeError(f"{unknown[0]} is no option of cloth; there are {', '.join(sorted(_OPTIONS))}")
    told = {name: -1.0 if name in ("attach", "refine") and value == "auto" else value for name, value in options.items()}
    if "keep" in told:
        told["keep"] = os.fspath(told["keep"])
    return Dressed(character, os.fspath(garment), told, progress)


def simulate(character, garment=None, *, clip="", fps=24.0, start=0.0, end=None, database="", progress=None, **options):
    """A ClothMotion: the garment over a clip (the first by default), without intersections.

    character: a Character and its garment, or what `dress` gave. Without start and end it is the whole clip, and a loop is
    closed. database: a file that `train` wrote.
    """
    dressed = character if isinstance(character, Dressed) else dress(character, garment, **options)
    return dressed._simulate(clip, float(fps), float(start), end, os.fspath(database), progress)


def train(character, garment, path, *, clips=(), fps=24.0, sites=0, progress=None, **options):
    """Learns what the garment does over clips (names or patterns; all by default) and writes the database to `path`; frames
    are kept in `path`.training, so that a run that was stopped goes on there. Returns counts."""
    dressed = character if isinstance(character, Dressed) else dress(character, garment, **options)
    names = [clips] if isinstance(clips, str) else [str(each) for each in clips]
    return dressed._train(names, os.fspath(path), float(fps), int(sites), progress)
