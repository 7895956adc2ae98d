// The tool 'Weights': joints are chosen by pointing at them, a point of the skin says what it follows, and a brush changes that.
// The panel Weights has the list, the methods and the brush.

import { Color, Vector3 } from 'three';
import { element } from '../../ui/dom';
import { Studio } from '../panel';
import { panelIcons } from '../panel_icons';
import { Picked, PointerKind } from '../stage_types';
import { Throttle } from '../throttle';
import { Tool } from '../tools';
import { kRampCss, noneCss } from '../weights/ramp';
import { WeightsSession, weightsOf } from '../weights/session';
import { DotOverlay } from './overlay';

const kReach = 12, kPriority = 20, kDabsPerSecond = 40, kRing = 48, kListed = 6;  // pixels; over selecting; corners of a circle

export class Paint implements Tool {
  readonly id = 'weights';
  readonly title = 'Weights';
  readonly icon = panelIcons.weights;
  readonly key = 'q';
  readonly about = 'Point at a joint to see its weights, at the skin to read them; with a brush, paint them.';
  private readonly session: WeightsSession;
  private readonly overlay = new DotOverlay(6, 13);
  private readonly tip = element('div', { class: 'tip weights-tip', role: 'tooltip', hidden: true });
  private readonly legend = element('div', { class: 'weights-legend', role: 'img' });
  private readonly dabs: Throttle<PointerEvent>;
  private joints: { name: string; at: Vector3 | null; parent: number }[] = [];
  private hovered: string | null = null;
  private inside = false;                ///< the pointer is over the stage: joints are drawn, which else would hide the colours
  private under: Vector3 | null = null;  ///< middle of the brush
  private stroke = 0;
  private stroking = false;
  private queue: number[] = [];          ///< points that the brush went over, not sent yet
  private sending = false;
  private stops: (() => void)[] = [];
  private colors = { joint: new Color(), chosen: new Color(), brush: new Color() };

  constructor(private readonly studio: Studio) {
    this.session = weightsOf(studio);
    this.dabs = new Throttle(kDabsPerSecond, (event) => this.dab(event));
    this.stroke = Math.floor(Math.random() * 1e9);  // pages have strokes of their own
    this.session.onChange(() => this.draw());
    studio.selection.on(() => this.draw());
    studio.onTheme(({ name }) => {
      const dark = name === 'dark';
      this.colors = { joint: new Color(dark ? '#9cc4ff' : '#2f6fd0'), chosen: new Color(dark ? '#ffb066' : '#e0661a'), brush: new Color(dark ? '#ffffff' : '#16191d') };
      this.draw();
    });
  }

  active(on: boolean): void {
    for (const stop of this.stops) stop();
    this.stops = [];
    this.dabs.drop();
    this.stroking = false;
    this.hovered = this.under = null;
    this.inside = false;
    const { stage } = this.studio;
    stage.host.classList.toggle('weighing', on);
    this.session.show(on);
    if (!on) {
      this.tip.remove();
      this.legend.remove();
      return stage.invalidate();
    }
    this.studio.show('weights');
    stage.host.append(this.tip, this.legend);
    this.stops = [stage.addOverlay(this.overlay), stage.onPointer((kind, event) => this.point(kind, event), kPriority), stage.onFrame(() => this.draw())];
    this.draw();
  }

  private point(kind: PointerKind, event: PointerEvent): boolean {
    const { brush } = this.session;
    if (kind === 'drag' && this.stroking) { this.dabs.push(event); return true; }
    if (kind === 'up') { this.dabs.flush(); this.stroking = false; return true; }
    if (kind === 'leave') { this.tell(null); this.hovered = this.under = null; this.inside = false; this.draw(); return false; }
    const joint = brush.mode === 'look' ? this.nearest(event) : null, picked = joint ? null : this.studio.stage.pick(event);
    if (kind === 'hover') {
      this.inside = true;
      this.hovered = joint;
      this.under = picked?.position ?? null;
      this.tell(event, joint, picked);
      this.draw();
      return true;
    }
    if (kind === 'down' && brush.mode !== 'look' && picked && this.session.joint >= 0 && this.session.slice?.state === 'ready') {
      ++this.stroke;
      this.stroking = true;
      this.dab(event);
      return true;
    }
    if (kind === 'click') this.choose(joint ?? this.strongest(picked));
    return kind === 'click';
  }

  private choose(joint: string | null): void { if (joint) this.studio.selection.set({ joint }); }

  private strongest(picked: Picked | null): string | null {
    const first = picked && this.session.draft?.at(picked.point)[0];
    return first ? this.session.slice!.joints[first.joint].name : null;
  }

  private dab(event: PointerEvent): void {
    const picked = this.studio.stage.pick(event);
    if (!picked) return;
    this.under = picked.position;
    this.queue.push(picked.point);
    this.draw();
    void this.send();
  }

  /// One message under way at a time; what the hand did meanwhile goes along in the next.
  private async send(): Promise<void> {
    const { brush, slice, size } = this.session;
    if (this.sending || this.queue.length === 0 || !slice) return;
    this.sending = true;
    const points = this.queue.splice(0, 200);
    const answer = await this.studio.act<Parameters<WeightsSession['take']>[0]>('weights.paint', { mode: brush.mode, joint: this.studio.selection.joint, points,
      radius: brush.radius * size, strength: brush.strength, mirrored: brush.mirrored && slice.mirror !== null, stroke: this.stroke });
    this.sending = false;
    if (answer) this.session.take(answer);
    else this.queue = [];
    void this.send();
  }

  private nearest({ clientX, clientY }: PointerEvent): string | null {
    let found: string | null = null, least = kReach;
    for (const { name, at } of this.joints) {
      const screen = at && this.studio.stage.screenOf(at), pixels = screen ? Math.hypot(screen.x - clientX, screen.y - clientY) : Infinity;
      if (pixels < least) { least = pixels; found = name; }
    }
    return found;
  }

  private draw(): void {
    if (this.stops.length === 0) return;
    const { stage, selection } = this.studio, { slice, brush } = this.session, { colors } = this, looks = brush.mode === 'look', all = looks && this.inside;
    this.joints = (slice?.joints ?? []).map(({ name, parent }) => ({ name, parent, at: stage.worldOf(name) }));
    const dots = this.joints.flatMap(({ name, at }) => {
      const chosen = name === selection.joint;
      return at && (all || chosen) ? [{ at, strong: chosen || name === this.hovered, color: chosen ? colors.chosen : colors.joint }] : [];
    });
    const bones = this.joints.flatMap(({ at, parent }) => {
      const from = parent >= 0 ? this.joints[parent].at : null;
      return at && from ? [{ from, to: at, color: colors.joint }] : [];
    });
    const ring = !looks && this.under ? this.ring(this.under) : [];
    this.overlay.show(dots, all ? bones : ring);
    this.drawLegend();
    stage.invalidate();
  }

  /// A circle of the brush's radius, toward the camera.
  private ring(middle: Vector3): { from: Vector3; to: Vector3; color: Color }[] {
    const radius = this.session.brush.radius * this.session.size, { matrixWorld } = this.studio.stage.camera;
    const right = new Vector3().setFromMatrixColumn(matrixWorld, 0), up = new Vector3().setFromMatrixColumn(matrixWorld, 1);
    const corner = (k: number) => middle.clone().addScaledVector(right, radius * Math.cos((2 * Math.PI * k) / kRing)).addScaledVector(up, radius * Math.sin((2 * Math.PI * k) / kRing));
    return Array.from({ length: kRing }, (_, k) => ({ from: corner(k), to: corner(k + 1), color: this.colors.brush }));
  }

  private drawLegend(): void {
    const { joint } = this.studio.selection, shown = this.session.colored && joint !== null && !!this.session.draft;
    this.legend.hidden = !shown;
    const key = `${joint} ${this.studio.theme.name}`;
    if (!shown || this.legend.dataset.shows === key) return;
    this.legend.dataset.shows = key;
    this.legend.setAttribute('aria-label', `Weight of ${joint}: from none, grey, to 1, light yellow`);
    this.legend.replaceChildren(element('b', {}, joint!), element('span', { class: 'none', style: `background: ${noneCss(this.studio.theme.name)}` }),
      element('span', { class: 'quiet' }, '0'), element('span', { class: 'ramp', style: `background: ${kRampCss}` }), element('span', { class: 'quiet' }, '1'));
  }

  private tell(event: PointerEvent | null, joint: string | null = null, picked: Picked | null = null): void {
    const list = picked ? this.session.draft?.at(picked.point) ?? [] : [], { slice } = this.session;
    this.tip.hidden = !event || !slice || (!joint && !picked);
    if (this.tip.hidden || !event) return;
    if (joint) this.tip.replaceChildren(element('p', {}, element('b', {}, joint)));
    else if (list.length === 0) this.tip.replaceChildren(element('p', { class: 'quiet' }, 'No skin moves this point.'));
    else this.tip.replaceChildren(...list.slice(0, kListed).map(({ joint: j, weight }) => element('p', { class: 'weight-row' },
      element('span', {}, slice!.joints[j].name), element('i', { style: `--share: ${100 * weight}%` }), element('span', { class: 'number' }, weight.toFixed(2)))));
    const { left, top, width } = this.studio.stage.host.getBoundingClientRect(), x = event.clientX - left, beyond = x > width - 280;
    this.tip.style.left = beyond ? '' : `${x + 16}px`;
    this.tip.style.right = beyond ? `${width - x + 12}px` : '';
    this.tip.style.top = `${event.clientY - top + 14}px`;
  }
}
