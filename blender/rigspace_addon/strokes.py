"""What was drawn in the 3D view, annotations or grease pencil, as lines in the plane of a picture."""
import math

import bpy
import numpy
from mathutils import Matrix, Vector

from .complaint import Complaint

MOST = 200  # strokes of one drawing


def y_up(x):
    return numpy.array([x[0], x[2], -x[1]], float)


class View:
    """How strokes are seen. From the two matrices of a 3D view or a camera; they may be rolled and shifted: strokes are projected
    onto the picture of a camera at the same place that is neither. Picture: v = 1 is its upper edge, u to the right."""

    def __init__(self, view, window):
        self.view, self.window = Matrix(view), Matrix(window)
        if not all(math.isfinite(value) for matrix in (self.view, self.window) for row in matrix for value in row) or abs(
                self.view.determinant()) < 1e-12 or abs(self.window.determinant()) < 1e-20:
            raise Complaint("the view", "has a matrix that shows nothing", "look at the character in a 3D view")
        placed = self.view.inverted()
        self.perspective = abs(self.window[3][3]) < 0.5
        self.aspect = abs(self.window[1][1] / self.window[0][0])
        half = 1 / abs(self.window[1][1])  # of the height, at distance 1 or as it is
        self.eye = y_up(placed.translation)
        backward = y_up(placed.col[2].xyz.normalized())
        self.fov = min(max(math.degrees(2 * math.atan(half)), 1.0), 120.0)
        self.height = 2 * half
        self.target = self.eye - backward
        self.axes = axes_of(self.eye - self.target)

    @classmethod
    def of(cls, context, operator=None):
        """As the operator is told; the 3D view that it is called from; else the scene's camera."""
        if operator is not None and any(operator.window_matrix):
            return cls(rows(operator.view_matrix), rows(operator.window_matrix))
        seen = getattr(context, "region_data", None)
        if seen is not None:
            return cls(seen.view_matrix, seen.window_matrix)
        camera, render = context.scene.camera, context.scene.render
        if camera is None:
            raise Complaint("the drawing", "is seen from nowhere: this is no 3D view, and the scene has no camera",
                            "call it over a 3D view, or give the scene a camera")
        window = camera.calc_matrix_camera(context.evaluated_depsgraph_get(), x=render.resolution_x, y=render.resolution_y,
                                           scale_x=render.pixel_aspect_x, scale_y=render.pixel_aspect_y)
        return cls(camera.matrix_world.normalized().inverted(), window)

    def project(self, x):
        """A place of the world, Z up, as [u, v]; None if it is behind the eye."""
        right, up, back = self.axes.T @ (y_up(x) - self.eye)
        if not self.perspective:
            return [right * 2 / self.height, up * 2 / self.height]
        if not -back > 1e-9:
            return None
        scale = 1 / (math.tan(math.radians(self.fov) / 2) * -back)
        return [right * scale, up * scale]

    def on_screen(self, x, y):
        """A place of the region, 0 to 100 from its lower left, somewhere on its ray."""
        at = (self.window @ self.view).inverted() @ Vector((x / 50 - 1, y / 50 - 1, 0, 1))
        return at.xyz / at.w

    def describe(self):
        told = {"eye": self.eye.tolist(), "target": self.target.tolist()}
        return {**told, "fov": self.fov} if self.perspective else {**told, "height": self.height}


def rows(values):
    return [values[4 * k : 4 * k + 4] for k in range(4)]


def axes_of(backward):
    """Right, up, backward of a camera that stands upright: as rigspace has it."""
    backward = backward / numpy.linalg.norm(backward)
    right = numpy.cross([0, 1, 0], backward)
    length = numpy.linalg.norm(right)
    right = right / length if length > 1e-9 else numpy.array([1.0, 0, 0])
    return numpy.stack([right, numpy.cross(backward, right), backward], axis=1)


def sources(context):
    """(datablock, matrix to the world): grease pencil objects that are selected or active; else the scene's annotations."""
    pens = [item for item in context.view_layer.objects if item.type == "GPENCIL" and item.visible_get()
            and (item.select_get() or item == context.view_layer.objects.active)]
    if pens:
        return [(item.data, item.matrix_world) for item in pens]
    notes = context.scene.grease_pencil
    return [(notes, Matrix())] if notes is not None else []


def drawn_frames(context):
    """(datablock, layer, frame, matrix) of all that is shown now and has strokes."""
    for data, matrix in sources(context):
        for layer in data.layers:
            frame = shown_frame(layer, context.scene.frame_current)
            if not (layer.hide or layer.annotation_hide) and frame is not None and len(frame.strokes):
                yield data, layer, frame, matrix @ getattr(layer, "matrix_layer", Matrix())


def shown_frame(layer, now):
    """The last one that begins at or before now. (active_frame is set by Blender as it draws: not without a window.)"""
    begun = [frame for frame in layer.frames if frame.frame_number <= now]
    return max(begun, key=lambda frame: frame.frame_number) if begun else None


class Drawing:
    """strokes: {"name", "points"}, as `rigspace sketch pose` reads them. used: where they are, to clear them later."""

    def __init__(self, context, view):
        self.strokes, self.used, self.view = [], [], view
        for data, layer, frame, matrix in drawn_frames(context):
            for stroke in frame.strokes:
                self.add(stroke, matrix)
            self.used.append((data.name, layer.info, frame.frame_number, len(frame.strokes)))
        if not self.strokes:
            raise Complaint("the drawing", "has no strokes at this frame",
                            "draw with the annotation tool, or select a grease pencil object")
        if len(self.strokes) > MOST:
            raise Complaint("the drawing", f"has {len(self.strokes)} strokes", f"pose with {MOST} at most")

    def add(self, stroke, matrix):
        name, points = f"stroke {len(self.strokes) + 1}", []
        for point in stroke.points:
            place = self.view.on_screen(*point.co[:2]) if stroke.display_mode == "SCREEN" else matrix @ point.co
            if not all(map(math.isfinite, place)):
                raise Complaint(name, f"has a point {len(points) + 1} that is not a finite number", "draw it again")
            seen = self.view.project(place)
            if seen is None:
                raise Complaint(name, "lies behind the view", "look at the character and at the strokes")
            points.append(seen)
        self.check(name, points)
        self.strokes.append({"name": name, "points": points, "closed": bool(stroke.use_cyclic)})

    def check(self, name, points):
        """As the program would say it, before it is started."""
        if len(points) < 2:
            raise Complaint(name, "is a single point" if points else "has no points", "draw a line")
        if not any(abs(u) <= self.view.aspect and abs(v) <= 1 for u, v in points):
            raise Complaint(name, "lies outside the picture", "draw where the character is seen")

    def told(self, pairs):
        """As a file. pairs: each stroke is drawn on the character, and the one after it says where that line goes."""
        strokes = [dict(stroke) for stroke in self.strokes]
        if pairs:
            if len(strokes) % 2:
                raise Complaint(f"{len(strokes)} strokes", "are no pairs", "draw each line on the character, then where it should be")
            for k in range(0, len(strokes), 2):
                strokes[k]["to"] = strokes[k + 1]["name"]
        width = 1000 * max(self.view.aspect, 0.01)
        for stroke in strokes:  # pixels of a picture of the view's shape, so that what lies beyond it is noticed
            stroke["points"] = [[0.5 * width + 500 * u, 500 - 500 * v] for u, v in stroke["points"]]
        return {"width": max(round(width), 1), "height": 1000, "camera": self.view.describe(), "strokes": strokes}


def clear(used):
    """Takes strokes away that were used; what was drawn meanwhile stays."""
    for name, info, number, count in used:
        data = bpy.data.grease_pencils.get(name)
        layer = data.layers.get(info) if data else None
        frame = next((each for each in layer.frames if each.frame_number == number), None) if layer else None
        for stroke in list(frame.strokes)[:count] if frame else ():
            frame.strokes.remove(stroke)
