// The graph on the page: its canvas, its view, and what pointer and keys do there.

import { element } from '../../ui/dom';
import { partColor } from '../../soft/colors';
import { Studio } from '../panel';
import { suffixOf } from '../units';
import { beside, insertKey, moveKeys, removeKeys, setModes } from './edits';
import { Gesture, startGesture } from './gestures';
import { drawGraph, fieldOf, Hands, Inks } from './graph';
import { TangentMode } from './hermite';
import { hitTest, Point } from './hit';
import { CurveSession } from './session';
import { Field, framing, timeOf, valueOf, View, zoomed } from './view';

const kModes: Record<string, TangentMode> = { 1: 'flat', 2: 'auto', 3: 'free' };
const kLabel = 'Curves: drag keys and tangents; double click inserts a key; wheel zooms, middle button pans, F frames all';

export class CurveCanvas {
  readonly root = element('div', { class: 'curve-graph' });
  view: View = { from: 0, to: 1, low: -1, high: 1 };
  readonly hands: Hands = { hover: null, box: null, key: null };
  private readonly canvas = element('canvas', { tabindex: 0, role: 'application', 'aria-label': kLabel });
  private readonly empty = element('p', { class: 'empty quiet' });
  private inks: Inks | null = null;
  private gesture: Gesture | null = null;
  private framedFor = '';
  private queued = false;

  constructor(private readonly studio: Studio, readonly session: CurveSession) {
    this.root.append(this.canvas, this.empty);
    this.listen();
    new ResizeObserver(() => this.redraw()).observe(this.root);
    session.onChange(() => this.redraw());
    session.onTime(() => this.redraw());
    studio.onTheme(() => { this.inks = null; this.redraw(); });
    studio.store.on('curves', () => this.redraw());
  }

  get field(): Field { return fieldOf(this.root.clientWidth, this.root.clientHeight); }

  /// The selected keys; all of the curve where none is.
  frame(): void {
    const { active, selected, times, others } = this.session;
    if (!active) return;
    const some = [...selected].map((i) => active.keys[i]).filter(Boolean);
    const sampled = [active, ...others].flatMap((curve) => [curve.artist, curve.soft]).flatMap((values) =>
      times.map((time, i) => ({ time, value: values[i] })));
    const least = active.unit === 'angle' || active.unit === 'degree' ? 1 : 1e-3;
    this.view = framing(some.length > 1 ? some : [...sampled, ...active.keys], least);
    this.redraw();
  }

  focus(): void { this.canvas.focus({ preventScroll: true }); }

  redraw(): void {
    if (this.queued) return;
    this.queued = true;
    requestAnimationFrame(() => { this.queued = false; this.draw(); });
  }

  private draw(): void {
    const { canvas, root, session } = this, { clientWidth: width, clientHeight: height } = root;
    if (width === 0 || height === 0) return;
    this.frameNew();
    const ratio = Math.min(2, window.devicePixelRatio);
    const size = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
    const pen = canvas.getContext('2d')!;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    this.empty.textContent = this.whyEmpty();
    this.empty.hidden = this.empty.textContent === '';
    if (!session.active) return;
    const muted = this.studio.store.get('curves')?.layer.mute ?? false;
    const suffix = suffixOf(session.active.unit, this.studio.store.get('file')?.unit);
    drawGraph(pen, this.view, this.field, session, this.hands, this.inks ??= this.newInks(), muted, suffix);
  }

  // Another control or clip is seen whole; the same one keeps its view while it is edited.
  private frameNew(): void {
    const { active } = this.session, shown = active ? `${this.studio.store.get('play')?.clip}\n${active.control}` : '';
    if (shown === this.framedFor) return;
    this.framedFor = shown;
    this.frame();
  }

  private whyEmpty(): string {
    const { active, names, problem } = this.session;
    if (active) return active.keys.length > 0 ? '' : 'Nothing is simulated here: this is the artist’s curve alone.';
    if (!this.studio.store.get('file')) return 'Open a character to see its curves.';
    if (problem) return problem;
    return names.length > 0 ? 'The curves are on their way.' : 'Choose a control on the left: its curve and the simulated layer are drawn here.';
  }

  private newInks(): Inks {
    const style = getComputedStyle(this.root), ink = (name: string) => style.getPropertyValue(name).trim();
    return { strong: ink('--ink'), quiet: ink('--quiet'), line: ink('--line'), accent: ink('--accent'), back: ink('--bar'),
             artist: partColor(0, this.studio.theme), soft: partColor(1, this.studio.theme), font: style.fontFamily };
  }

  private listen(): void {
    const { canvas } = this;
    const place = (event: MouseEvent): Point => ({ x: event.offsetX, y: event.offsetY });
    canvas.addEventListener('pointerdown', (event) => {
      this.gesture = startGesture(this, place(event), event);
      if (!this.gesture) return;
      event.preventDefault();
      this.focus();
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      this.hands.hover = place(event);
      if (this.gesture) this.gesture.move(place(event), event); else this.hover(place(event));
      this.redraw();
    });
    const end = (event: PointerEvent) => { this.gesture?.end(place(event), event); this.gesture = null; this.redraw(); };
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('pointercancel', end);
    canvas.addEventListener('pointerleave', () => { this.hands.hover = this.hands.key = null; this.redraw(); });
    canvas.addEventListener('dblclick', (event) => this.insertAt(timeOf(this.view, this.field, event.offsetX)));
    canvas.addEventListener('wheel', (event) => this.zoom(event), { passive: false });
    canvas.addEventListener('keydown', (event) => {
      if (!this.press(event)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  private hover(at: Point): void {
    const { active, selected } = this.session;
    const hit = active && at.y >= this.field.top ? hitTest(this.view, this.field, active.keys, selected, at) : null;
    this.hands.key = hit?.kind === 'key' ? hit.index : null;
    this.canvas.style.cursor = at.y < this.field.top ? 'ew-resize' : hit?.kind === 'key' ? 'move' : hit?.kind === 'tangent' ? 'grab' : 'crosshair';
  }

  private zoom(event: WheelEvent): void {
    event.preventDefault();
    const factor = Math.exp(0.0015 * (event.deltaY || event.deltaX));
    this.view = zoomed(this.view, factor, { time: event.ctrlKey ? null : timeOf(this.view, this.field, event.offsetX),
                                            value: event.shiftKey ? null : valueOf(this.view, this.field, event.offsetY) });
    this.redraw();
  }

  insertAt(time: number): void {
    const { active, duration } = this.session;
    if (!active || active.keys.length === 0 || time < 0 || time > duration) return;
    const { keys, selected } = insertKey(active.keys, time);
    if (keys.length > active.keys.length) this.session.edit(keys, selected); else this.session.select(selected);
  }

  removeSelected(): void {
    const { active, selected } = this.session;
    if (!active || selected.size === 0) return;
    const left = removeKeys(active.keys, selected);
    this.session.edit(left.keys, left.selected);
  }

  setMode(mode: TangentMode): void {
    const { active, selected } = this.session;
    if (active && selected.size > 0) this.session.edit(setModes(active.keys, selected, mode));
  }

  /// True: the key was meant for the graph.
  private press(event: KeyboardEvent): boolean {
    const { session } = this, { active, selected } = session;
    if (!active || event.ctrlKey || event.metaKey) return false;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key === 'f') this.frame();
    else if (key === 'a') session.select(active.keys.keys());
    else if (key === ',' || key === '.') this.selectBeside(key === ',' ? -1 : 1);
    else if (key === 'Enter' || key === 'Insert') this.insertAt(session.time);
    else if (selected.size === 0) return false;
    else if (key === 'Delete' || key === 'Backspace') this.removeSelected();
    else if (key === 'Escape') session.select([]);
    else if (key.startsWith('Arrow')) this.nudge(key, event.shiftKey ? 10 : 1);
    else if (kModes[key]) this.setMode(kModes[key]);
    else return false;
    return true;
  }

  private selectBeside(direction: -1 | 1): void {
    const { session } = this, index = beside(session.active!.keys, session.selected, direction);
    if (index >= 0) session.select([index]);
  }

  // A frame sideways, two pixels up or down; ten times that with Shift.
  private nudge(key: string, times: number): void {
    const { session, view, field } = this;
    const dt = (key === 'ArrowLeft' ? -times : key === 'ArrowRight' ? times : 0) / session.rate;
    const pixels = key === 'ArrowUp' ? 2 * times : key === 'ArrowDown' ? -2 * times : 0;
    session.edit(moveKeys(session.active!.keys, session.selected, dt, (pixels * (view.high - view.low)) / field.height, session.duration));
  }
}
