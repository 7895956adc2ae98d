"""Plots as SVG, with nothing but Python itself.

    plots.py quality BENCH.json OUT.svg
        the error of the fast method against elements and milliseconds: `rigspace bench fast --only 'error against' --json > BENCH.json`
    plots.py curves CURVES.rigspace.json CLIP OUT.svg CONTROL ..
        curves of controls over time, each by its own largest value
"""
import json
import math
import pathlib
import sys

COLORS = ("#1f5fa8", "#c8641e", "#3c8c3c", "#8c3c8c", "#7a6a1e", "#a83232")


class Panel:
    """Axes with labels; log or linear; a polyline in data coordinates."""

    def __init__(self, place, x_range, y_range, labels, logs):
        self.x, self.y, self.width, self.height = place
        self.x_range, self.y_range, self.logs, self.parts = x_range, y_range, logs, []
        self.parts.append(f'<rect x="{self.x}" y="{self.y}" width="{self.width}" height="{self.height}" fill="none" stroke="#888"/>')
        self.text(self.x + self.width / 2, self.y + self.height + 34, labels[0], "middle")
        self.text(self.x, self.y - 8, labels[1], "start")

    def text(self, x, y, words, anchor, color="#222"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="12" fill="{color}">{words}</text>')

    def share(self, value, axis):
        low, high = (self.x_range, self.y_range)[axis]
        return (math.log(value / low) / math.log(high / low)) if self.logs[axis] else (value - low) / (high - low)

    def at(self, x, y):
        return self.x + self.width * self.share(x, 0), self.y + self.height * (1 - self.share(y, 1))

    def ticks(self, axis, values, words=None):
        for k, value in enumerate(values):
            word = words[k] if words else f"{value:g}"
            if axis == 0:
                x, y = self.at(value, self.y_range[0])
                self.parts.append(f'<path d="M{x:.1f} {y:.1f}v5M{x:.1f} {y:.1f}v-{self.height}" stroke="#ddd"/>')
                self.text(x, y + 18, word, "middle")
            else:
                x, y = self.at(self.x_range[0], value)
                self.parts.append(f'<path d="M{x:.1f} {y:.1f}h-5M{x:.1f} {y:.1f}h{self.width}" stroke="#ddd"/>')
                self.text(x - 8, y + 4, word, "end")

    def line(self, points, color, dots=False, dash=""):
        places = [self.at(*point) for point in points]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        self.parts.append(f'<path d="{path}" fill="none" stroke="{color}" stroke-width="1.8" stroke-dasharray="{dash}"/>')
        if dots:
            self.parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in places]


def write(path, width, height, panels):
    body = "\n".join(part for panel in panels for part in panel.parts)
    pathlib.Path(path).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="sans-serif">\n<rect width="{width}" height="{height}" fill="white"/>\n{body}\n</svg>\n')


def decades(values):
    low, high = min(values), max(values)
    steps = [m * 10.0**e for e in range(-4, 6) for m in (1, 2, 5)]
    return max(s for s in steps if s <= low), min(s for s in steps if s >= high), steps


def quality(source, out):
    rows = [row["metrics"] for row in json.loads(pathlib.Path(source).read_text())["rows"] if "quality" in row["metrics"]]
    assert rows, f"{source} has no row with a quality"
    rms = [row["rms_error_percent_of_swing"] for row in rows]
    most = [row["largest_error_percent_of_largest_swing"] for row in rows]
    low, high, steps = decades(rms + most + [2, 5])
    panels = []
    costs = [("elements", [row["elements"] for row in rows]),
             ("milliseconds a step, median", [row["milliseconds_per_step"]["median"] for row in rows])]
    for k, (name, cost) in enumerate(costs):
        left, right, _ = decades(cost)
        panel = Panel((62 + 390 * k, 40, 300, 240), (left, right), (low, high),
                      (name, "error, % of the swing, on motion not trained on"), (True, True))
        panel.ticks(0, [s for s in steps if left <= s <= right])
        panel.ticks(1, [s for s in steps if low <= s <= high])
        for values, color, goal in ((rms, COLORS[0], 2), (most, COLORS[1], 5)):
            panel.line([(left, goal), (right, goal)], color, dash="3 4")
            panel.line(sorted(zip(cost, values)), color, dots=True)
        for values, color, word in ((rms, COLORS[0], "r.m.s."), (most, COLORS[1], "largest")):
            x, y = panel.at(cost[0], values[0])
            panel.text(x + 8, y - 6, word, "start", color)
        panels.append(panel)
    for row, x, y in zip(rows, costs[0][1], rms):
        if row["quality"] in (0, 0.5, 1):
            place = panels[0].at(x, y)
            panels[0].text(place[0], place[1] + 18, f"--quality {row['quality']:g}", "middle", COLORS[0])
    write(out, 780, 330, panels)


def curves(source, clip, out, *controls):
    clips = json.loads(pathlib.Path(source).read_text())["clips"]
    tracks = {track["control"]: track for track in next(c for c in clips if c["name"] == clip)["tracks"] if "control" in track}
    last = max(tracks[name]["times"][-1] for name in controls)
    panel = Panel((20, 24, 640, 200), (0, last), (-1.1, 1.1), ("seconds", "simulated curves, each by its own largest value"),
                  (False, False))
    panel.ticks(0, [0.25 * k for k in range(int(last / 0.25 + 1e-9) + 1)])
    for k, name in enumerate(controls):
        values = tracks[name]["values"]
        middle = sum(values) / len(values)
        size = max(abs(value - middle) for value in values) or 1
        color = COLORS[k % len(COLORS)]
        panel.line([(time, (value - middle) / size) for time, value in zip(tracks[name]["times"], values)], color)
        panel.text(668, 40 + 16 * k, name, "start", color)
    write(out, 800, 270, [panel])


if __name__ == "__main__":
    {"quality": quality, "curves": curves}[sys.argv[1]](*sys.argv[2:])
