// When the hand moved, as opposed to when the page's thread got round to it.

let present: number | null = null;

/// Of the key or the pointer whose event is being handled, as the browser saw it happen; else now. By the shared clock
/// (line_messages.ts).
export function inputTime(): number { return performance.timeOrigin + (present ?? performance.now()); }

/// Listens before everybody else.
export function watchInput(): void {
  for (const name of ['keydown', 'keyup', 'pointerdown', 'pointermove', 'pointerup', 'click', 'wheel'])
    addEventListener(name, ({ timeStamp }) => {
      present = timeStamp;
      setTimeout(() => { present = null; });  // what the event sets off in its own task belongs to it
    }, { capture: true, passive: true });
}
