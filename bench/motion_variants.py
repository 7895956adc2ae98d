#!/usr/bin/env python3
"""One captured motion in the ways in which other programs write it, each carried onto real characters: docs/inverse.md.

    bench/motion_variants.py PROGRAM ASSETS OUT [--only PATTERN] [--on NAME ..] [--motion 02_01] [--sheets]

Joints have other names, parents and axes, the rest pose is another, joints are more or fewer: what comes out must be what comes
out of the capture itself. Prints how far the surface is from that (root mean square at six moments, % of the height), or why the
motion was refused. Exit status 1 if a variant is refused, or farther off than its bound.
"""
import argparse
import fnmatch
import json
import math
import pathlib
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
from bvh_motion import EYE, Motion, apply, minus, mul, plus, transposed, turn  # noqa: E402

# name, file, clip to learn from
CHARACTERS = [
    ("CesiumMan", "khr_CesiumMan/CesiumMan.glb", "animation0"),
    ("Mannequiny", "gdquest_mannequiny/mannequiny-0.3.0.glb", "idle"),
    ("Knight", "kaykit_Knight/Knight.glb", "Idle"),
    ("Robot", "three_RobotExpressive/RobotExpressive.glb", "Idle"),
    ("Rocketbox", "rocketbox_Female_Adult_01/Female_Adult_01_facial_wave.glb", "*"),
    ("MakeHuman", "makehuman_female_dressed/mh_female.glb", "cmu_16_01_jump"),
]

NO_FINGERS = ("LeftFingerBase", "LeftHandIndex1", "LThumb", "RightFingerBase", "RightHandIndex1", "RThumb")
NO_HELPERS = ("LHipJoint", "RHipJoint", *NO_FINGERS)


def sided(middle, limbs):
    """A table of names: `limbs` with {s}, and what stands for left and right."""
    table = dict(zip(("Hips", "LowerBack", "Spine", "Spine1", "Neck", "Neck1", "Head"), middle))
    parts = ("Shoulder", "Arm", "ForeArm", "Hand", "UpLeg", "Leg", "Foot", "ToeBase")
    names, left, right = limbs
    for side, word in (("Left", left), ("Right", right)):
        table |= {side + part: name.format(s=word) for part, name in zip(parts, names.split(","))}
    return table


SCHEMES = {
    "mixamo": sided(["mixamorig:" + n for n in ("Hips", "Spine", "Spine1", "Spine2", "Neck", "Neck1", "Head")],
                    ("mixamorig:{s}Shoulder,mixamorig:{s}Arm,mixamorig:{s}ForeArm,mixamorig:{s}Hand,mixamorig:{s}UpLeg,mixamorig:{s}Leg,"
                     "mixamorig:{s}Foot,mixamorig:{s}ToeBase", "Left", "Right")),
    "biped": sided(["Bip01_Pelvis", "Bip01_Spine", "Bip01_Spine1", "Bip01_Spine2", "Bip01_Neck", "Bip01_Neck1", "Bip01_Head"],
                   ("Bip01_{s}_Clavicle,Bip01_{s}_UpperArm,Bip01_{s}_Forearm,Bip01_{s}_Hand,Bip01_{s}_Thigh,Bip01_{s}_Calf,Bip01_{s}_Foot,"
                    "Bip01_{s}_Toe0", "L", "R")),
    "unreal": sided(["pelvis", "spine_01", "spine_02", "spine_03", "neck_01", "neck_02", "head"],
                    ("clavicle_{s},upperarm_{s},lowerarm_{s},hand_{s},thigh_{s},calf_{s},foot_{s},ball_{s}", "l", "r")),
    "neuron": sided(["Hips", "Spine", "Spine1", "Spine2", "Neck", "Neck1", "Head"],
                    ("{s}Shoulder,{s}Arm,{s}ForeArm,{s}Hand,{s}UpLeg,{s}Leg,{s}Foot,{s}ToeBase", "Left", "Right")),
    "lafan": sided(["Hips", "Spine", "Spine1", "Spine2", "Neck", "Neck1", "Head"],
                   ("{s}Shoulder,{s}Arm,{s}ForeArm,{s}Hand,{s}UpLeg,{s}Leg,{s}Foot,{s}Toe", "Left", "Right")),
    "xsens": sided(["Hips", "Chest", "Chest2", "Chest3", "Neck", "Neck1", "Head"],
                   ("{s}Collar,{s}Shoulder,{s}Elbow,{s}Wrist,{s}Hip,{s}Knee,{s}Ankle,{s}Toe", "Left", "Right")),
    "optitrack": sided(["Hip", "Ab", "Chest", "Chest1", "Neck", "Neck1", "Head"],
                       ("{s}Shoulder,{s}UArm,{s}FArm,{s}Hand,{s}Thigh,{s}Shin,{s}Foot,{s}Toe", "L", "R")),
    "kinect": sided(["HipCenter", "Spine", "Spine1", "Spine2", "ShoulderCenter", "Neck", "Head"],
                    ("Collar{s},Shoulder{s},Elbow{s},Wrist{s},Hip{s},Knee{s},Ankle{s},Foot{s}", "Left", "Right")),
    "smpl": sided(["Pelvis", "Spine1", "Spine2", "Spine3", "Neck", "Neck1", "Head"],
                  ("{s}_Collar,{s}_Shoulder,{s}_Elbow,{s}_Wrist,{s}_Hip,{s}_Knee,{s}_Ankle,{s}_Foot", "L", "R")),
    "daz": sided(["hip", "abdomen", "abdomen2", "chest", "neck", "neck2", "head"],
                 ("{s}Collar,{s}Shldr,{s}ForeArm,{s}Hand,{s}Thigh,{s}Shin,{s}Foot,{s}Toe", "l", "r")),
    "rigify": sided(["spine", "spine.001", "spine.002", "spine.003", "spine.004", "spine.005", "spine.006"],
                    ("shoulder.{s},upper_arm.{s},forearm.{s},hand.{s},thigh.{s},shin.{s},foot.{s},toe.{s}", "L", "R")),
    "character1": sided(["Character1_Hips", "Character1_Spine", "Character1_Spine1", "Character1_Spine2", "Character1_Neck",
                         "Character1_Neck1", "Character1_Head"],
                        ("Character1_{s}Shoulder,Character1_{s}Arm,Character1_{s}ForeArm,Character1_{s}Hand,Character1_{s}UpLeg,"
                         "Character1_{s}Leg,Character1_{s}Foot,Character1_{s}ToeBase", "Left", "Right")),
    "german": sided(["Becken", "Wirbel1", "Wirbel2", "Wirbel3", "Hals", "Hals2", "Kopf"],
                    ("Schulter_{s},Oberarm_{s},Unterarm_{s},Hand_{s},Oberschenkel_{s},Unterschenkel_{s},Fuss_{s},Zehen_{s}", "L", "R")),
}
FREE = 99  # another motion, or other joints: not compared
Z_UP, FROM_BEHIND, ASIDE = turn("X", 90), turn("Y", 180), turn("Y", 90)


def posed(table):
    """Axes of `resting` for a rest pose: world turns of the joints whose names hold these words."""
    return lambda name: transposed(next((r for word, r in table.items() if word in name), EYE))


ARMS = ("Arm", "Hand", "Thumb", "Finger")


def arms_down(degrees):
    return posed({side + part: turn("Z", sign * degrees) for side, sign in (("Left", -1), ("Right", 1)) for part in ("Arm", "ForeArm", "Hand", "FingerBase")}
                 | {"LThumb": turn("Z", -degrees), "RThumb": turn("Z", degrees)})


def along_x(motion):
    """Each joint's x along its bone, as LAFAN1 rests: no body at all when channels are zero."""
    places = motion.rest()

    def axes(name):
        j = motion.index(name)
        below = [k for k, each in enumerate(motion.joints) if each[1] == j]
        spine = [k for k in below if "Spine" in motion.joints[k][0] or "Neck" in motion.joints[k][0] or "LowerBack" in motion.joints[k][0]]
        ends = [e[1] for e in motion.ends if e[0] == j]
        bone = minus(places[(spine or below)[0]], places[j]) if below else (ends[0] if ends else [0, 1, 0])
        n = math.sqrt(sum(v * v for v in bone))
        if n < 1e-9:
            return EYE
        x = [v / n for v in bone]
        aside = [0, 0, 1] if abs(x[2]) < 0.8 else [0, 1, 0]
        z = [x[1] * aside[2] - x[2] * aside[1], x[2] * aside[0] - x[0] * aside[2], x[0] * aside[1] - x[1] * aside[0]]
        n = math.sqrt(sum(v * v for v in z))
        z = [v / n for v in z]
        y = [z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]]
        return transposed([x, y, z])

    table = {joint[0]: axes(joint[0]) for joint in motion.joints}
    return motion.resting(lambda name: table[name])


def variants(load):
    """name: motion, and how far from the capture's own result it may come, % of the height."""
    made = {}

    def add(name, motion, bound=1.0):
        made[name] = (motion, bound)

    bare = lambda: load().without(*NO_HELPERS)
    count = iter(range(99))
    add("as it is", bare())  # what the others are compared with
    for scheme, names in SCHEMES.items():
        add(f"names {scheme}", bare().renamed(names))
    add("no names", bare().renamed(lambda _: f"joint{next(count)}"))
    add("z up", bare().seen(Z_UP))
    add("z up, from behind", bare().seen(mul(Z_UP, FROM_BEHIND)), FREE)
    for unit, scale in (("metres", 0.056444), ("centimetres", 5.6444), ("inches", 2.2222)):
        add(unit, bare().seen(EYE, scale))
    add("millimetres, z up", bare().seen(Z_UP, 56.444))
    add("rests in A", bare().resting(arms_down(45)))
    add("rests arms down", bare().resting(arms_down(80)))
    add("rests facing -z", bare().resting(lambda _: transposed(FROM_BEHIND)))
    add("rests facing x", bare().resting(lambda _: transposed(ASIDE)))
    add("rests along x", along_x(bare()), 5)  # the back is as straight as in the T pose of the clip, not of the file
    add("rests in mid stride", mid_stride(bare()), 5)
    add("fingers", with_fingers(bare()), FREE)  # the capture has none of its own
    add("no toes", bare().without("LeftToeBase", "RightToeBase"), 3)
    add("no neck", bare().without("Neck", "Neck1"), 3)
    add("no clavicles", bare().without("LeftShoulder", "RightShoulder"), 3)
    add("one spine", bare().without("LowerBack", "Spine"), 3)
    add("zero end sites", zero_ends(bare()))
    add("six channels", six(bare()))
    add("channels XYZ", ordered(bare(), "XYZ"))
    add("channels YXZ", ordered(bare(), "YXZ"))
    add("root turns only", still(bare()), FREE)
    add("under a root", bare().below("reference"))
    add("unreal, z up, cm", unreal(bare()))
    add("biped, z up, cm", biped(bare()))
    add("30 frames a second", bare().thinned(4))
    add("24 s", bare().looped(24).thinned(4), FREE)
    add("no t pose", no_t(bare()), FREE)
    add("along x, no t pose", along_x(no_t(bare())), FREE)
    add("lying down", rolled(bare(), "X", -90, -90), FREE)
    add("somersault", rolled(bare(), "X", 0, 360), FREE)
    add("cartwheel", rolled(bare(), "Z", 0, -360), FREE)
    add("pirouettes", rolled(bare(), "Y", 0, 1080), FREE)
    return made


def mid_stride(m):
    table = {joint[0]: transposed(r) for joint, r in zip(m.joints, m.turns[100])}
    return m.resting(lambda name: table[name])


def with_fingers(m):
    for side, sign in (("Left", 1), ("Right", -1)):
        for k, finger in enumerate(("Thumb", "Index", "Middle", "Ring", "Pinky")):
            above = side + "Hand"
            for n in (1, 2, 3):
                m.child(f"{side}Hand{finger}{n}", above, [sign * 0.5, 0, 0.3 * (2 - k)] if n == 1 else [sign * 0.2, 0, 0])
                above = f"{side}Hand{finger}{n}"
    return m


def rolled(m, axis, first, last):
    """The whole body turns about its hips, more and more."""
    for k, (turns, places) in enumerate(zip(m.turns, m.places)):
        M = turn(axis, first + (last - first) * k / (len(m.turns) - 1))
        m.turns[k], m.places[k] = [mul(M, r) for r in turns], [plus(places[0], apply(M, minus(at, places[0]))) for at in places]
    return m


def zero_ends(m):
    m.zero_ends = True
    return m


def six(m):
    m.all_positions = True
    return m


def ordered(m, order):
    m.order = order
    return m


def still(m):
    m.root_position = False
    return m


def no_t(m):
    m.turns, m.places = m.turns[20:], m.places[20:]
    return m


def unreal(m):
    """Twists, IK bones, a root on the floor, arms in A."""
    m.resting(arms_down(50)).renamed(SCHEMES["unreal"]).below("root")
    for s in "lr":
        m.child(f"upperarm_twist_01_{s}", f"upperarm_{s}", [0.3 if s == "l" else -0.3, -0.3, 0])
        m.child(f"lowerarm_twist_01_{s}", f"lowerarm_{s}", [0.3 if s == "l" else -0.3, -0.3, 0])
        m.child(f"thigh_twist_01_{s}", f"thigh_{s}", [0, -1, 0]).child(f"calf_twist_01_{s}", f"calf_{s}", [0, -1, 0])
    m.child("ik_foot_root", "root", [0, 0, 0]).child("ik_foot_l", "ik_foot_root", [2, 0, 0]).child("ik_foot_r", "ik_foot_root", [-2, 0, 0])
    m.child("ik_hand_root", "root", [0, 0, 0]).child("ik_hand_gun", "ik_hand_root", [0, 9, 0])
    return m.seen(Z_UP, 5.6444)


def biped(m):
    """Thighs hang on the spine, clavicles on the neck, as in 3ds Max."""
    m.renamed(SCHEMES["biped"])
    for side in "LR":
        m.hung(f"Bip01_{side}_Thigh", "Bip01_Spine").hung(f"Bip01_{side}_Clavicle", "Bip01_Neck")
    # What hangs on another joint moves against it.
    m.all_positions = True
    return m.seen(Z_UP, 5.6444)


def run(program, *arguments):
    done = subprocess.run([program, "--json", *map(str, arguments)], capture_output=True, text=True)
    return (json.loads(done.stdout) if done.returncode == 0 else None), (done.stdout + done.stderr).strip()


def surface(program, file, clip, time, out):
    run(program, "eval", file, "--clip", clip, "--time", time, "-o", out)
    data = out.read_bytes()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    return struct.unpack(f"<{(len(data) - start) // 8}d", data[start:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program"), parser.add_argument("assets", type=pathlib.Path), parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--only", default="*"), parser.add_argument("--on", nargs="*"), parser.add_argument("--motion", default="02_01")
    parser.add_argument("--sheets", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    capture = options.assets / "cmu_bvh_dev" / f"{options.motion}.bvh"
    chosen = {name: each for name, each in variants(lambda: Motion(capture)).items() if name == "as it is" or fnmatch.fnmatch(name, options.only)}
    characters = [each for each in CHARACTERS if not options.on or each[0] in options.on]
    failures = 0
    print("| variant \\ onto | " + " | ".join(each[0] for each in characters) + " |\n" + "| --- " * (len(characters) + 1) + "|")
    truth = {}

    def carried(name, file, motion):
        out = options.out / f"{motion.stem}_on_{name}.glb".replace(" ", "_").replace(",", "")
        answer, said = run(options.program, "inverse", "apply", options.out / f"{name}.inverse", "--targets", motion, "--fps", 24, "--keys",
                           "frames", "-o", out)
        if answer is None:
            return None, said
        if options.sheets:
            run(options.program, "render", out, "--clip", answer["clip"], "--sheet", 6, "--size", 160, "--follow", "--azimuth", 50, "-o",
                out.with_suffix(".png"))
        return [surface(options.program, out, answer["clip"], time, options.out / "s.npy") for time in (0.3, 0.7, 1.1, 1.5, 1.9, 2.5)], answer

    for name, file, learned in characters:
        model = options.out / f"{name}.inverse"
        if not model.exists():
            answer, said = run(options.program, "inverse", "train", options.assets / file, "--clips", learned, "-o", model)
            if answer is None:
                sys.exit(said)
    for variant, (motion, bound) in chosen.items():
        path = options.out / f"{variant}.bvh".replace(" ", "_").replace(",", "")
        motion.written(path)
        cells = []
        for name, file, _ in characters:
            found, answer = carried(name, file, path)
            if found is None:
                failures += 1
                cells.append("refused")
                print(f"{variant} on {name}: {answer}", file=sys.stderr)
                continue
            truth.setdefault(name, found)
            height = max(truth[name][0][1::3]) - min(truth[name][0][1::3])
            squares = [(a - b) ** 2 for x, y in zip(truth[name], found) for a, b in zip(x, y)] if bound < FREE else [0]
            off = 100 * math.sqrt(3 * sum(squares) / len(squares)) / height
            failures += off > bound
            body = answer["body"] or {"limb_direction_error_degrees": -1, "foot_sliding_legs_per_second": -1}
            cells.append((f"{off:.2f}{' !' if off > bound else ''} / " if bound < FREE else "") +
                         f"{100 * answer['joint_error_share_of_size']:.3f} / {body['limb_direction_error_degrees']:.1f} / "
                         f"{100 * body['foot_sliding_legs_per_second']:.1f}")
        print(f"| {variant} | " + " | ".join(cells) + " |", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
