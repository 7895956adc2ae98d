"""Bones that a simulation cannot turn, since a constraint does: found before a run, which would search for motion that has no
effect."""
import fnmatch

from .complaint import Complaint

CHAINS = ("IK", "SPLINE_IK")


def is_whole(bone, constraint, keyed):
    """Whether it holds its bones altogether, all the time."""
    path = f'pose.bones["{bone.name}"].constraints["{constraint.name}"].influence'
    return not constraint.mute and constraint.influence >= 1 and (bone.id_data, path) not in keyed


def chain_of(bone, constraint):
    """The bones that an IK constraint turns, from its own upwards."""
    found, at = [], bone if constraint.type == "SPLINE_IK" or constraint.use_tail else bone.parent
    while at is not None and (not constraint.chain_count or len(found) < constraint.chain_count):
        found.append(at)
        at = at.parent
    return found


def held_bones(subject):
    """{(armature, bone's name): (the constraint, the bone that has it)}"""
    held, keyed = {}, subject.listing.keyed
    for rig in (item for item in subject.objects if item.type == "ARMATURE"):
        for bone in rig.pose.bones:
            for constraint in bone.constraints:
                if not is_whole(bone, constraint, keyed):
                    continue
                if constraint.type in CHAINS and getattr(constraint, "target", None) is not None:
                    for each in chain_of(bone, constraint):
                        held[rig, each.name] = constraint.name, bone.name
                elif constraint.type == "COPY_TRANSFORMS" and constraint.target is not None and constraint.mix_mode == "REPLACE":
                    held[rig, bone.name] = constraint.name, bone.name
    return held


def held_in_words(subject):
    return {bone: f'is turned by the constraint "{constraint}" of "{other}"' for (_, bone), (constraint, other) in held_bones(subject).items()}


def met(pattern, control):
    """Whether a part takes a control: by its name, its node or its group (rigspace simulate --part)."""
    if control.unit in ("quaternion", "scale"):
        return False
    return any(fnmatch.fnmatchcase(name.lower(), pattern.lower()) for name in (control.name, control.node, control.group) if name)


def refuse(parts, subject):
    """Complains about a part whose bones are turned by IK, or copy all of another bone."""
    held = held_bones(subject)
    if not held:
        return
    listing = subject.listing
    turned = {listing.controls[column].name: (channel.owner, listing.controls[column].node)
              for channel in listing.channels if "rotation" in channel.path for column in channel.columns}
    for part in parts:
        for pattern in part.pattern.split(","):
            for control in listing.controls:
                place = turned.get(control.name)
                if place in held and met(pattern.strip(), control):
                    constraint, bone = held[place]
                    raise Complaint(f'part "{part.pattern}": bone "{place[1]}"',
                                    f'is turned by the constraint "{constraint}" of "{bone}", so nothing that is simulated on it would show',
                                    "leave it out of the part, or switch the constraint off: Bone Constraints, the eye", place[1])
