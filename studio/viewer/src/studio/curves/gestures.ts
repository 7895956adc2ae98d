// What a pressed pointer does on the graph: scrubs, pans, moves keys, turns tangents, draws a box.

import { CurveCanvas } from './canvas';
import { moveKeys, setSlope } from './edits';
import { Key } from './hermite';
import { hitTest, keysInBox, Point, slopeTo } from './hit';
import { panned, timeOf, xOf } from './view';

const kClockReach = 5, kStill = 3;  // pixels

export interface Gesture {
  move(at: Point, event: PointerEvent): void;
  end(at: Point, event: PointerEvent): void;
}

export function startGesture(canvas: CurveCanvas, at: Point, event: PointerEvent): Gesture | null {
  const { session, view, field } = canvas;
  if (!session.active) return null;
  if (event.button === 1) return pan(canvas, at);
  if (event.button !== 0) return null;
  if (at.y < field.top) return scrub(canvas, at);
  const hit = hitTest(view, field, session.active.keys, session.selected, at);
  if (hit?.kind === 'tangent') return turnTangent(canvas, hit.index, hit.side);
  if (hit?.kind === 'key') return moveSelected(canvas, at, hit.index, event.shiftKey);
  if (Math.abs(at.x - xOf(view, field, session.time)) <= kClockReach) return scrub(canvas, at);
  return box(canvas, at, event.shiftKey);
}

function pan(canvas: CurveCanvas, from: Point): Gesture {
  const { view } = canvas;
  const move = (at: Point) => { canvas.view = panned(view, canvas.field, at.x - from.x, at.y - from.y); };
  return { move, end: move };
}

function scrub(canvas: CurveCanvas, from: Point): Gesture {
  const move = (at: Point) => canvas.session.scrub(timeOf(canvas.view, canvas.field, at.x));
  move(from);
  return { move, end: move };
}

// Shift adds the key to the selection, or takes it away; while dragging, Shift keeps to one direction.
function moveSelected(canvas: CurveCanvas, from: Point, index: number, more: boolean): Gesture {
  const { session, view, field } = canvas;
  const was = session.selected.has(index), start: Key[] = session.active!.keys;
  if (!was) session.select(more ? [...session.selected, index] : [index]);
  const selected = new Set(session.selected), duration = session.duration;
  let moved = false;
  const moveTo = (at: Point, straight: boolean, done: boolean) => {
    let dx = at.x - from.x, dy = at.y - from.y;
    moved ||= Math.hypot(dx, dy) > kStill;
    if (!moved) return;
    if (straight) Math.abs(dx) > Math.abs(dy) ? (dy = 0) : (dx = 0);
    const dt = (dx / field.width) * (view.to - view.from), dv = (-dy / field.height) * (view.high - view.low);
    session.edit(moveKeys(start, selected, dt, dv, duration), selected, done);
  };
  return {
    move: (at, event) => moveTo(at, event.shiftKey, false),
    end: (at, event) => {
      moveTo(at, event.shiftKey, true);
      if (moved || !was) return;
      session.select(more ? [...selected].filter((i) => i !== index) : [index]);  // a click on what was selected
    },
  };
}

// Both sides turn as one line, unless they are apart already or Alt is pressed.
function turnTangent(canvas: CurveCanvas, index: number, side: 'in' | 'out'): Gesture {
  const { session, view, field } = canvas;
  const start = session.active!.keys, key = start[index], apart = Math.abs(key.in - key.out) > 1e-9;
  const turn = (at: Point, alone: boolean, done: boolean) =>
    session.edit(setSlope(start, index, side, slopeTo(view, field, key, side, at), alone || apart), session.selected, done);
  return { move: (at, event) => turn(at, event.altKey, false), end: (at, event) => turn(at, event.altKey, true) };
}

function box(canvas: CurveCanvas, from: Point, more: boolean): Gesture {
  const { session, view, field } = canvas, before = more ? [...session.selected] : [];
  const move = (at: Point) => {
    canvas.hands.box = { from, to: at };
    session.select([...before, ...keysInBox(view, field, session.active!.keys, from, at)]);
  };
  return { move, end: (at) => { move(at); canvas.hands.box = null; } };
}
