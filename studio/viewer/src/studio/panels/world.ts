// What acts on all parts: gravity, what they run into, how they slide, what they are made of.

import { partColor } from '../../soft/colors';
import { element, iconButton } from '../../ui/dom';
import { icons } from '../../ui/icons';
import { CellsOverlay } from '../cells_overlay';
import { Panel, Studio } from '../panel';
import { panelIcons } from '../panel_icons';
import { numberOf } from '../units';
import { ValueOptions, ValueSlider } from '../widgets/value_slider';
import { kFields, kSwitches, newShape, Shape, shapeOf, wordOf } from '../world/colliders';
import { ColliderOverlay } from '../world/overlay';

const kNobody = { min: { x: 0, y: 0, z: 0 }, max: { x: 0, y: 1, z: 0 } };
const kMostGravity = 30, kEarth = 9.81, kMostFriction = 2, kUsualFriction = 0.3;

export function worldPanel(studio: Studio): Panel {
  const world = new World(studio);
  return { id: 'world', title: 'World', icon: panelIcons.world, place: 'right', root: world.root };
}

class World {
  readonly root: HTMLElement;
  private readonly gravity = this.slider('gravity', { label: 'Gravity', min: 0, max: kMostGravity, unit: 'm/s²',
    about: 'The artist made the shapes under Earth’s, 9.81: less lifts the soft parts, more weighs them down.' }, kEarth);
  private readonly pulls = ['x', 'y', 'z'].map((axis, i) => element('input', { type: 'number', step: 'any', 'aria-label': `${axis} of gravity`,
    title: `${axis} of gravity, m/s²`, onchange: () => this.pullToward(i) }));
  private readonly friction = this.slider('friction', { label: 'Friction', min: 0, max: kMostFriction, unit: '',
    about: 'How much parts stick to what they touch: 0 slides like ice.' }, kUsualFriction);
  private readonly switches = kSwitches.map(({ word, label, title }) => element('button', { type: 'button', class: 'switch', title,
    onclick: () => this.toggle(word) }, label));
  private readonly shapes = element('div', { class: 'shapes' });
  private readonly material = element('select', { 'aria-label': 'Material', title: 'The law of the flesh: how force grows with strain',
    onchange: () => void this.studio.act('world.set', { material: this.material.value }) });
  private readonly overlay = new ColliderOverlay();
  private words: string[] = [];
  private shown = '';

  constructor(private readonly studio: Studio) {
    const add = (kind: Shape['kind'], title: string) => element('button', { type: 'button', class: 'text', title,
      onclick: () => this.send([...this.words, wordOf(newShape(kind, studio.stage.model?.character.extentNow().box ?? kNobody))]) }, `Add ${kind}`);
    this.root = element('section', { class: 'world-panel', 'aria-label': 'World' }, this.gravity.root,
      element('div', { class: 'shape gravity' }, element('div', { class: 'numbers' }, ...this.pulls.map((input, i) =>
        element('label', {}, element('span', { class: 'quiet' }, 'xyz'[i]), input)))),
      element('h3', {}, 'Parts run into'), element('div', { class: 'chips' }, ...this.switches), this.shapes,
      element('div', { class: 'line' }, add('sphere', 'A ball that parts run into'), add('capsule', 'A rod with round ends that parts run into')),
      this.friction.root, element('label', { class: 'line' }, element('span', {}, 'Material'), this.material));
    studio.stage.addOverlay(this.overlay);
    new CellsOverlay(studio);
    studio.store.on('world', () => this.update());
    studio.onTheme(() => { this.shown = ''; this.update(); });
  }

  private slider(field: 'gravity' | 'friction', options: ValueOptions, usual: number): ValueSlider {
    const send = (value: number) => this.studio.stream(field, 'world.set', { [field]: field === 'gravity' ? this.ofStrength(value) : value });
    return new ValueSlider(options, { change: send, reset: () => send(usual) });
  }

  /// The same direction with another strength; from none, downward.
  private ofStrength(strength: number): number[] {
    const now = this.studio.store.get('world')?.gravity ?? [0, -kEarth, 0], size = Math.hypot(...now);
    return size > 1e-9 && Math.abs(now[0]) + Math.abs(now[2]) > 1e-9 ? now.map((each) => (each * strength) / size) : [0, -strength, 0];
  }

  private pullToward(axis: number): void {
    const typed = numberOf(this.pulls[axis].value), world = this.studio.store.get('world');
    if (typed === null || !world) return;
    void this.studio.act('world.set', { gravity: world.gravity.map((each, i) => (i === axis ? typed : each)) });
  }

  private update(): void {
    const world = this.studio.store.get('world');
    if (!world) return;
    this.words = world.collide;
    const [x, y, z] = world.gravity;
    this.gravity.show(Math.hypot(x, y, z), { set: x !== 0 || y !== -kEarth || z !== 0 });
    this.pulls.forEach((input, i) => { if (input !== document.activeElement) input.value = String(Number(world.gravity[i].toPrecision(4))); });
    this.friction.show(world.friction, { set: world.friction !== kUsualFriction, enabled: world.collide.length > 0 });
    this.switches.forEach((button, i) => button.setAttribute('aria-pressed', String(world.collide.includes(kSwitches[i].word))));
    if (this.material.options.length !== world.materials.length)
      this.material.replaceChildren(...world.materials.map((name) => element('option', { value: name }, name.replaceAll(/[_-]/g, ' '))));
    this.material.value = world.material;
    this.updateShapes();
  }

  private updateShapes(): void {
    if (this.words.join(' ') === this.shown || this.shapes.contains(document.activeElement)) return this.drawShapes();
    this.shown = this.words.join(' ');
    const others = this.words.filter((word) => !kSwitches.some((known) => known.word === word));
    this.shapes.replaceChildren(...others.map((word) => this.row(word)));
    this.drawShapes();
  }

  private drawShapes(): void {
    this.overlay.show(this.words.map(shapeOf).filter((shape) => !!shape), partColor(3, this.studio.theme));
    this.studio.stage.invalidate();
  }

  private row(word: string): HTMLElement {
    const shape = shapeOf(word), remove = iconButton(icons.close, `Remove ${word}`, () => this.send(this.words.filter((_, i) => i !== at())));
    let own = word;
    const at = () => this.words.indexOf(own);
    if (!shape) return element('div', { class: 'shape' }, element('b', { title: word }, word), remove);
    const inputs = shape.numbers.map((value, i) => {
      const name = kFields[shape.kind][i];
      const input = element('input', { type: 'number', step: 'any', value: Number(value.toPrecision(4)), 'aria-label': `${name} of the ${shape.kind}`,
        title: `${name}, units of the scene`, ...(name === 'radius' ? { min: 0 } : {}), oninput: () => {
          const typed = numberOf(input.value);
          if (typed === null || (name === 'radius' && typed <= 0)) return;
          shape.numbers[i] = typed;
          const index = at();
          own = wordOf(shape);
          this.send(this.words.map((old, k) => (k === index ? own : old)));
        } });
      return element('label', {}, element('span', { class: 'quiet' }, name === 'radius' ? 'r' : name), input);
    });
    return element('div', { class: `shape ${shape.kind}` }, element('b', {}, shape.kind), remove, element('div', { class: 'numbers' }, ...inputs));
  }

  private toggle(word: string): void {
    this.send(this.words.includes(word) ? this.words.filter((old) => old !== word) : [word, ...this.words]);
  }

  private send(collide: string[]): void {
    this.words = collide;
    this.studio.stream('collide', 'world.set', { collide });
    this.updateShapes();
  }
}
