// Line drawings of the panels and tools on a 20 x 20 field, as in ui/icons.ts.

const drawn = (body: string) =>
  `<svg viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.5" ` +
  `stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${body}</svg>`;

export const panelIcons = {
  curves: drawn('<path d="M2.5 14.5c4 0 4.5-9 7.5-9s3.5 9 7.5 9"/><path d="M10 3.5 12 5.5 10 7.5 8 5.5z" fill="currentColor"/>'),
  controls: drawn('<path d="M5 3v7M5 14v3M10 3v3M10 10v7M15 3v9M15 16v1"/><circle cx="5" cy="12" r="2"/><circle cx="10" cy="8" r="2"/><circle cx="15" cy="14" r="2"/>'),
  world: drawn('<path d="M2.5 16.5h15M10 2.5v8M7 8l3 3 3-3"/><path d="M5 13.5h10"/>'),
  modes: drawn('<path d="M2.5 10c2.5-7 5-7 7.5 0s5 7 7.5 0"/><path d="M2.5 10h15" stroke-dasharray="1.5 2.5"/>'),
  export: drawn('<path d="M10 3v9M6.5 8.5 10 12l3.5-3.5M3.5 13v2.5A1.5 1.5 0 0 0 5 17h10a1.5 1.5 0 0 0 1.5-1.5V13"/>'),
  sketch: drawn('<path d="M3 16.5c3-1 2.6-5.5 5-6.5s2.2 3 4.6 2.2"/><path d="m11 10.4 5.2-6 1.6 1.5-5.4 5.9-2 .5z"/>'),
  body: drawn('<circle cx="10" cy="4" r="1.9"/><path d="M10 6v6M4 7.5l6 .5 6-.5M10 12l-3.4 4.6M10 12l3.4 4.6"/><g fill="currentColor"><circle cx="3.4" cy="7.4" r="1.2"/><circle cx="16.6" cy="7.4" r="1.2"/><circle cx="6.2" cy="17" r="1.2"/><circle cx="13.8" cy="17" r="1.2"/></g>'),
  cloth: drawn('<path d="M5.5 3.5c3 1.6 6 1.6 9 0M5.5 3.5c-.4 5-1.6 9-2.5 12.5 2.2.9 3.2-.6 4.7 0s3 .9 4.6 0 2.5.9 4.7 0c-.9-3.5-2.1-7.5-2.5-12.5M8 9c-.2 2-.5 3.5-.8 5M12 9c.2 2 .5 3.5.8 5"/>'),
  forces: drawn('<path d="M2.5 14.5c3 0 3.5-7 7.5-7s4.5 7 7.5 7"/><path d="M10 15V11M8.2 12.6 10 10.8l1.8 1.8M10 5V2.5" /><circle cx="10" cy="7.5" r="1.4" fill="currentColor"/>'),
  weights: drawn('<circle cx="5" cy="15" r="1.8"/><circle cx="15" cy="5" r="1.8"/><path d="m6.4 13.6 7.2-7.2"/><path d="M2.5 8.5c2-4 6-6 9-5.4M11.5 17c3.4-1.2 5.6-4.2 5.8-7.4"/>'),
  cage: drawn('<path d="M10 2.5 16.5 6v8L10 17.5 3.5 14V6zM3.5 6 10 9.5 16.5 6M10 9.5v8"/><g fill="currentColor"><circle cx="10" cy="2.5" r="1.1"/><circle cx="16.5" cy="6" r="1.1"/><circle cx="3.5" cy="6" r="1.1"/><circle cx="10" cy="17.5" r="1.1"/></g>'),
  locked: drawn('<rect x="5" y="9" width="10" height="7.5" rx="1.5"/><path d="M7 9V6.8a3 3 0 0 1 6 0V9"/>'),
  unlocked: drawn('<rect x="5" y="9" width="10" height="7.5" rx="1.5"/><path d="M7 9V6.8a3 3 0 0 1 5.8-1.1"/>'),
  joints: drawn('<circle cx="5" cy="15" r="2"/><circle cx="9" cy="8" r="2"/><circle cx="16" cy="5" r="2"/><path d="m6 13.2 2-3.5M10.8 7.2 14.2 5.8"/>'),
  pull: drawn('<circle cx="5" cy="15" r="2"/><path d="m6.5 13.5 9-9M10.5 4.5h5v5"/>'),
};
