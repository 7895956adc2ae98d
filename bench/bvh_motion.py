"""A BVH motion that can be written as other programs would: of bench/motion_variants.py."""
import math

EYE = [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]


def mul(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def apply(a, v):
    return [sum(a[i][k] * v[k] for k in range(3)) for i in range(3)]


def transposed(a):
    return [list(row) for row in zip(*a)]


def turn(axis, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    i, j = [(1, 2), (2, 0), (0, 1)]["XYZ".index(axis)]
    r = [row[:] for row in EYE]
    r[i][i], r[i][j], r[j][i], r[j][j] = c, -s, s, c
    return r


def euler(r, order):
    """Degrees of r = R_1 R_2 R_3 about these axes."""
    i, j, k = ("XYZ".index(axis) for axis in order)
    sign = 1 if (j - i) % 3 == 1 else -1
    middle = math.asin(max(-1, min(1, sign * r[i][k])))
    return [math.degrees(a) for a in (math.atan2(-sign * r[j][k], r[k][k]), middle, math.atan2(-sign * r[i][j], r[i][i]))]


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def plus(a, b):
    return [x + y for x, y in zip(a, b)]


class Motion:
    """Joints as [name, parent, offset in the parent's axes at rest], end sites as [parent, offset]; world turns from rest and places, a
    frame each."""

    def __init__(self, path):
        words = path.read_text().split()
        self.joints, self.ends, channels, stack, at = [], [], [], [], 0
        while words[at] != "MOTION":
            word = words[at]
            if word in ("ROOT", "JOINT"):
                self.joints.append([words[at + 1], stack[-1] if stack else -1, None])
                stack.append(len(self.joints) - 1)
                at += 1
            elif word == "End":
                stack.append(None)
            elif word == "OFFSET":
                offset = [float(each) for each in words[at + 1:at + 4]]
                if stack[-1] is None:
                    self.ends.append([stack[-2], offset])
                else:
                    self.joints[stack[-1]][2] = offset
            elif word == "CHANNELS":
                channels += [(stack[-1], each) for each in words[at + 2:at + 2 + int(words[at + 1])]]
            elif word == "}":
                stack.pop()
            at += 1
        count, self.step = int(words[at + 2]), float(words[at + 5])
        numbers = iter(map(float, words[at + 6:]))
        self.turns, self.places = [], []
        for _ in range(count):
            local, moved = [EYE for _ in self.joints], [joint[2][:] for joint in self.joints]
            for joint, kind in channels:
                value = next(numbers)
                if kind.endswith("position"):
                    moved[joint]["XYZ".index(kind[0])] = value
                else:
                    local[joint] = mul(local[joint], turn(kind[0], value))
            world, places = [], []
            for j, (_, parent, _) in enumerate(self.joints):
                world.append(local[j] if parent < 0 else mul(world[parent], local[j]))
                places.append(moved[j] if parent < 0 else plus(places[parent], apply(world[parent], moved[j])))
            self.turns.append(world), self.places.append(places)
        self.order, self.all_positions, self.root_position, self.zero_ends = "ZYX", False, True, False

    def index(self, name):
        return next(j for j, joint in enumerate(self.joints) if joint[0] == name)

    def renamed(self, names):
        """`names`: a table, or a function."""
        for joint in self.joints:
            joint[0] = names(joint[0]) if callable(names) else names.get(joint[0], joint[0])
        return self

    def without(self, *names):
        """Children hang on the parent of what is left out."""
        for name in names:
            if not any(joint[0] == name for joint in self.joints):
                continue
            gone = self.index(name)
            parent, offset = self.joints[gone][1], self.joints[gone][2]
            last = not any(joint[1] == gone for joint in self.joints)
            for joint in self.joints:
                if joint[1] == gone:
                    joint[1], joint[2] = parent, plus(joint[2], offset)
            if last:
                self.ends = [end for end in self.ends if end[0] != gone] + [[parent, offset]]
            self.ends = [[parent if end[0] == gone else end[0], plus(end[1], offset) if end[0] == gone else end[1]] for end in self.ends]
            for list_ in (self.joints, *self.turns, *self.places):
                del list_[gone]
            for each in (*self.joints, ):
                each[1] -= each[1] > gone
            for end in self.ends:
                end[0] -= end[0] > gone
        return self

    def child(self, name, parent, offset, local=EYE):
        """A joint more, that moves with its parent."""
        above = self.index(parent)
        self.joints.append([name, above, offset])
        for turns, places in zip(self.turns, self.places):
            turns.append(mul(turns[above], local)), places.append(plus(places[above], apply(turns[above], offset)))
        return self

    def hung(self, name, parent):
        """The joint hangs on another one, at rest where it was."""
        j, above = self.index(name), self.index(parent)
        places = self.rest()
        self.joints[j][1], self.joints[j][2] = above, minus(places[j], places[above])
        return self

    def rest(self):
        def place(j):
            _, parent, offset = self.joints[j]
            return offset if parent < 0 else plus(place(parent), offset)

        return [place(j) for j in range(len(self.joints))]

    def below(self, name):
        """A new root at the origin's height 0 that stays there."""
        self.joints = [[name, -1, [0, 0, 0]]] + [[n, p + 1, o] for n, p, o in self.joints]
        self.ends = [[p + 1, o] for p, o in self.ends]
        for turns, places in zip(self.turns, self.places):
            turns.insert(0, EYE), places.insert(0, [0, 0, 0])
        return self

    def resting(self, axes):
        """`axes`: world turn of a joint when all channels are zero, transposed: R' = R axes, offsets in the axes of the parent."""
        B = [axes(joint[0]) for joint in self.joints]
        for joint in self.joints:
            if joint[1] >= 0:
                joint[2] = apply(transposed(B[joint[1]]), joint[2])
        for end in self.ends:
            end[1] = apply(transposed(B[end[0]]), end[1])
        for turns in self.turns:
            for j, each in enumerate(B):
                turns[j] = mul(turns[j], each)
        return self

    def seen(self, M, scale=1.0):
        """Other axes of the scene, and another unit."""
        back = transposed(M)
        for each in (*self.joints, *self.ends):
            each[-1] = [scale * v for v in apply(M, each[-1])]
        self.places = [[[scale * v for v in apply(M, at)] for at in places] for places in self.places]
        self.turns = [[mul(mul(M, r), back) for r in turns] for turns in self.turns]
        return self

    def thinned(self, by):
        self.turns, self.places, self.step = self.turns[::by], self.places[::by], self.step * by
        return self

    def looped(self, seconds):
        """To and fro for so long, without the T pose of the first frame."""
        turns, places = self.turns[1:], self.places[1:]
        turns, places = turns + turns[-2:0:-1], places + places[-2:0:-1]
        count = int(seconds / self.step)
        self.turns = (turns * (count // len(turns) + 1))[:count]
        self.places = (places * (count // len(places) + 1))[:count]
        return self

    def has_position(self, j):
        first = 0 if self.joints[0][0] not in ("root", "reference") else 1  # below the root that stays
        return self.all_positions or (self.root_position and (self.joints[j][1] < 0 or j == first))

    def written(self, path):
        out = ["HIERARCHY"]
        order = []

        def joint(j, depth):
            tab, (name, parent, offset) = "\t" * depth, self.joints[j]
            order.append(j)
            positions = self.has_position(j)
            axes = [f"{each}rotation" for each in self.order]
            words = (["Xposition", "Yposition", "Zposition"] if positions else []) + axes
            out.append(f"{tab}{'ROOT' if parent < 0 else 'JOINT'} {name}\n{tab}{{")
            out.append(f"{tab}\tOFFSET {' '.join(f'{v:.6f}' for v in offset)}\n{tab}\tCHANNELS {len(words)} {' '.join(words)}")
            below = [k for k, each in enumerate(self.joints) if each[1] == j]
            for k in below:
                joint(k, depth + 1)
            if not below:
                end = next((e[1] for e in self.ends if e[0] == j), [0, 0, 0])
                end = [0, 0, 0] if self.zero_ends else end
                out.append(f"{tab}\tEnd Site\n{tab}\t{{\n{tab}\t\tOFFSET {' '.join(f'{v:.6f}' for v in end)}\n{tab}\t}}")
            out.append(f"{tab}}}")

        joint(0, 0)
        out += ["MOTION", f"Frames: {len(self.turns)}", f"Frame Time: {self.step:.6f}"]
        for turns, places in zip(self.turns, self.places):
            row = []
            for j in order:
                parent = self.joints[j][1]
                if self.has_position(j):
                    row += places[j] if parent < 0 else apply(transposed(turns[parent]), minus(places[j], places[parent]))
                local = turns[j] if parent < 0 else mul(transposed(turns[parent]), turns[j])
                row += euler(local, self.order)
            out.append(" ".join(f"{v:.5f}" for v in row))
        path.write_text("\n".join(out) + "\n")
