// Draws the curves: grid, the artist's curve, the simulated layer with its keys and tangents, the clock.

import { curveAt, bezierOf, Key } from './hermite';
import { hasTangent, placeOf, Point, tangentEnd } from './hit';
import { Curve, CurveSession } from './session';
import { Field, ticks, tickStep, tickText, timeOf, View, xOf, yOf } from './view';

const kLeft = 52, kRight = 10, kRuler = 20, kBottom = 8;  // pixels around the field
export const kRulerPixels = kRuler;

export interface Inks { strong: string; quiet: string; line: string; accent: string; back: string; artist: string; soft: string; font: string }

/// What else the hands are about.
export interface Hands {
  hover: Point | null;
  box: { from: Point; to: Point } | null;
  key: number | null;  ///< under the pointer
}

export function fieldOf(width: number, height: number): Field {
  return { left: kLeft, top: kRuler, width: Math.max(1, width - kLeft - kRight), height: Math.max(1, height - kRuler - kBottom) };
}

export function drawGraph(pen: CanvasRenderingContext2D, view: View, field: Field, session: CurveSession, hands: Hands,
                          inks: Inks, muted: boolean, suffix: string): void {
  pen.font = `11px ${inks.font}`;
  drawGrid(pen, view, field, session.duration, inks, suffix);
  pen.save();
  pen.beginPath();
  pen.rect(field.left, field.top, field.width, field.height);
  pen.clip();
  for (const curve of session.others) {
    drawSamples(pen, view, field, session.times, curve.artist, inks.artist, 1, 0.35);
    drawSamples(pen, view, field, session.times, curve.soft, inks.soft, 1, 0.35);
  }
  const { active } = session;
  if (active) drawActive(pen, view, field, session, active, hands, inks, muted);
  if (hands.box) drawBox(pen, hands.box, inks);
  pen.restore();
  drawClock(pen, view, field, session.time, inks);
  if (active && hands.hover) drawReading(pen, view, field, session, active, hands.hover, inks, suffix);
}

function drawGrid(pen: CanvasRenderingContext2D, view: View, field: Field, duration: number, inks: Inks, suffix: string): void {
  const bottom = field.top + field.height, right = field.left + field.width;
  const start = Math.max(field.left, xOf(view, field, 0)), end = Math.min(right, xOf(view, field, duration));
  pen.fillStyle = inks.line;  // outside the clip
  if (start > field.left) pen.fillRect(field.left, field.top, Math.min(start, right) - field.left, field.height);
  if (end < right) pen.fillRect(Math.max(end, field.left), field.top, right - Math.max(end, field.left), field.height);
  pen.lineWidth = 1;
  pen.textBaseline = 'middle';
  pen.textAlign = 'right';
  pen.fillStyle = inks.quiet;
  const step = tickStep(view.high - view.low, Math.max(2, field.height / 20));
  for (const value of ticks(view.low, view.high, step)) {
    const y = crisp(yOf(view, field, value));
    pen.strokeStyle = Math.abs(value) < 1e-9 * step ? inks.quiet : inks.line;
    line(pen, field.left, y, right, y);
    if (y > field.top + 4) pen.fillText(`${tickText(value, step)}${suffix}`, field.left - 6, y);
  }
  pen.textAlign = 'center';
  pen.strokeStyle = inks.line;
  const every = tickStep(view.to - view.from, field.width / 80);
  for (const time of ticks(view.from, view.to, every)) {
    const x = crisp(xOf(view, field, time));
    line(pen, x, field.top, x, bottom);
    pen.fillText(`${tickText(time, every)} s`, x, kRuler / 2);
  }
  line(pen, field.left, field.top - 0.5, right, field.top - 0.5);
}

function drawActive(pen: CanvasRenderingContext2D, view: View, field: Field, session: CurveSession, curve: Curve, hands: Hands,
                    inks: Inks, muted: boolean): void {
  drawSamples(pen, view, field, session.times, curve.artist, inks.artist, 1.75, muted ? 1 : 0.9);
  drawSamples(pen, view, field, session.times, curve.soft, inks.soft, 1, 0.4);
  pen.setLineDash(muted ? [4, 4] : []);
  drawKeyCurve(pen, view, field, curve.keys, inks.soft);
  pen.setLineDash([]);
  for (const i of session.selected) if (curve.keys[i]) drawTangents(pen, view, field, curve.keys, i, inks);
  curve.keys.forEach((key, i) => drawKey(pen, placeOf(view, field, key), session.selected.has(i), hands.key === i, inks));
}

function drawSamples(pen: CanvasRenderingContext2D, view: View, field: Field, times: readonly number[], values: readonly number[],
                     ink: string, width: number, strength: number): void {
  pen.globalAlpha = strength;
  pen.strokeStyle = ink;
  pen.lineWidth = width;
  pen.lineJoin = 'round';
  pen.beginPath();
  times.forEach((time, i) => pen.lineTo(xOf(view, field, time), yOf(view, field, values[i])));
  pen.stroke();
  pen.globalAlpha = 1;
}

function drawKeyCurve(pen: CanvasRenderingContext2D, view: View, field: Field, keys: readonly Key[], ink: string): void {
  if (keys.length === 0) return;
  const x = (time: number) => xOf(view, field, time), y = (value: number) => yOf(view, field, value);
  pen.strokeStyle = ink;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.moveTo(Math.min(field.left, x(keys[0].time)), y(keys[0].value));
  pen.lineTo(x(keys[0].time), y(keys[0].value));
  for (let i = 0; i + 1 < keys.length; ++i) {
    const [c, d] = bezierOf(keys[i], keys[i + 1]), next = keys[i + 1];
    pen.bezierCurveTo(x(c.time), y(c.value), x(d.time), y(d.value), x(next.time), y(next.value));
  }
  const last = keys[keys.length - 1];
  pen.lineTo(Math.max(field.left + field.width, x(last.time)), y(last.value));
  pen.stroke();
}

function drawTangents(pen: CanvasRenderingContext2D, view: View, field: Field, keys: readonly Key[], i: number, inks: Inks): void {
  const at = placeOf(view, field, keys[i]);
  for (const side of ['in', 'out'] as const) {
    if (!hasTangent(keys, i, side)) continue;
    const end = tangentEnd(view, field, keys[i], side);
    pen.strokeStyle = inks.strong;
    pen.lineWidth = 1;
    line(pen, at.x, at.y, end.x, end.y);
    disc(pen, end, 4, inks.back, inks.strong);
  }
}

function drawKey(pen: CanvasRenderingContext2D, { x, y }: Point, selected: boolean, hover: boolean, inks: Inks): void {
  const r = selected || hover ? 5 : 4;
  pen.beginPath();
  pen.moveTo(x, y - r); pen.lineTo(x + r, y); pen.lineTo(x, y + r); pen.lineTo(x - r, y);
  pen.closePath();
  pen.fillStyle = selected ? inks.strong : hover ? inks.soft : inks.back;
  pen.fill();
  pen.strokeStyle = selected ? inks.strong : inks.soft;
  pen.lineWidth = 1.5;
  pen.stroke();
}

function drawBox(pen: CanvasRenderingContext2D, { from, to }: { from: Point; to: Point }, inks: Inks): void {
  pen.strokeStyle = pen.fillStyle = inks.accent;
  pen.globalAlpha = 0.12;
  pen.fillRect(from.x, from.y, to.x - from.x, to.y - from.y);
  pen.globalAlpha = 1;
  pen.lineWidth = 1;
  pen.strokeRect(crisp(from.x), crisp(from.y), Math.round(to.x - from.x), Math.round(to.y - from.y));
}

function drawClock(pen: CanvasRenderingContext2D, view: View, field: Field, time: number, inks: Inks): void {
  const x = xOf(view, field, time);
  if (x < field.left - 1 || x > field.left + field.width + 1) return;
  pen.strokeStyle = pen.fillStyle = inks.accent;
  pen.lineWidth = 1.5;
  line(pen, x, kRuler - 4, x, field.top + field.height);
  pen.beginPath();
  pen.moveTo(x - 5, kRuler - 10); pen.lineTo(x + 5, kRuler - 10); pen.lineTo(x + 5, kRuler - 6);
  pen.lineTo(x, kRuler - 1); pen.lineTo(x - 5, kRuler - 6);
  pen.fill();
}

/// Both values at the pointer's time, beside it.
function drawReading(pen: CanvasRenderingContext2D, view: View, field: Field, session: CurveSession, curve: Curve, at: Point,
                     inks: Inks, suffix: string): void {
  const time = timeOf(view, field, at.x);
  if (time < 0 || time > session.duration || session.times.length === 0 || at.y < field.top) return;
  const i = nearestSample(session.times, time);
  const step = (view.high - view.low) / field.height;
  const rows: [string, string][] = [[`${time.toFixed(2)} s`, inks.quiet],
    [`artist ${tickText(curve.artist[i], step)}${suffix}`, inks.artist],
    [`soft ${tickText(curveAt(curve.keys, time).value, step)}${suffix}`, inks.soft]];
  const width = Math.max(...rows.map(([text]) => pen.measureText(text).width)) + 14;
  const x = at.x + 14 + width > field.left + field.width ? at.x - 14 - width : at.x + 14;
  const y = Math.min(Math.max(field.top + 4, at.y - 50), field.top + field.height - 52);
  pen.globalAlpha = 0.9;
  pen.fillStyle = inks.back;
  pen.beginPath();
  pen.roundRect(x, y, width, 49, 5);
  pen.fill();
  pen.globalAlpha = 1;
  pen.strokeStyle = inks.line;
  pen.lineWidth = 1;
  pen.stroke();
  pen.textAlign = 'left';
  rows.forEach(([text, ink], k) => { pen.fillStyle = ink; pen.fillText(text, x + 7, y + 10 + 15 * k); });
}

/// The times rise in even steps.
function nearestSample(times: readonly number[], time: number): number {
  const span = times[times.length - 1] - times[0];
  return span > 0 ? Math.min(Math.max(Math.round(((time - times[0]) / span) * (times.length - 1)), 0), times.length - 1) : 0;
}

function disc(pen: CanvasRenderingContext2D, { x, y }: Point, r: number, fill: string, rim: string): void {
  pen.beginPath();
  pen.arc(x, y, r, 0, 2 * Math.PI);
  pen.fillStyle = fill;
  pen.fill();
  pen.strokeStyle = rim;
  pen.lineWidth = 1.5;
  pen.stroke();
}

function line(pen: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}

const crisp = (at: number) => Math.floor(at) + 0.5;
