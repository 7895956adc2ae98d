// Who gets the pointer over the stage: handlers by priority, and the camera last.

import { PointerHandler, PointerKind } from './stage_types';

const kClickReach = 4;  // pixels: farther, it was a drag

export class Pointer {
  private handlers: { handler: PointerHandler; priority: number }[] = [];
  private owner: PointerHandler | null = null;
  private down: PointerEvent | null = null;  ///< claimed by nobody
  private hover: PointerEvent | null = null;  ///< the latest of this display frame

  /// Listens before anything inside `host` does. `over`: whether an event is for the stage, not for what lies over it.
  constructor(host: HTMLElement, private readonly over: (event: Event) => boolean) {
    const listen = (name: 'pointerdown' | 'pointermove' | 'pointerup' | 'pointercancel', act: (event: PointerEvent) => void) =>
      host.addEventListener(name, act, { capture: true });
    listen('pointerdown', (event) => this.pressed(event));
    listen('pointermove', (event) => this.moved(event));
    listen('pointerup', (event) => this.released(event));
    listen('pointercancel', (event) => this.released(event));
    host.addEventListener('pointerleave', (event) => { this.hover = null; this.offer('leave', event); });
  }

  add(handler: PointerHandler, priority: number): () => void {
    const entry = { handler, priority };
    this.handlers = [...this.handlers, entry].sort((a, b) => b.priority - a.priority);
    return () => { this.handlers = this.handlers.filter((other) => other !== entry); };
  }

  /// Once a display frame: where the pointer hovers now, if it has moved.
  tick(): void {
    const { hover } = this;
    this.hover = null;
    if (hover) this.offer('hover', hover);
  }

  private offer(kind: PointerKind, event: PointerEvent): PointerHandler | null {
    return this.handlers.find(({ handler }) => handler(kind, event) === true)?.handler ?? null;
  }

  private pressed(event: PointerEvent): void {
    if (!this.over(event) || this.owner) return;
    this.hover = null;
    this.owner = event.button === 0 ? this.offer('down', event) : null;
    this.down = this.owner ? null : event;
    if (!this.owner) return this.offerLeave(event);
    event.stopPropagation();
    (event.target as Element).setPointerCapture(event.pointerId);
  }

  /// The camera turns: nothing is hovered.
  private offerLeave(event: PointerEvent): void { this.offer('leave', event); }

  private moved(event: PointerEvent): void {
    if (this.owner) {
      event.stopPropagation();
      this.owner('drag', event);
    } else if (event.buttons === 0) {
      if (this.over(event)) this.hover = event;
      else if (this.hover === null) this.offer('leave', event);
    }
  }

  private released(event: PointerEvent): void {
    const { owner, down } = this;
    this.owner = this.down = null;
    if (owner) {
      event.stopPropagation();
      owner('up', event);
    } else if (down && event.type === 'pointerup' && event.button === 0 &&
               Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) <= kClickReach) {
      this.offer('click', event);
    }
  }
}
