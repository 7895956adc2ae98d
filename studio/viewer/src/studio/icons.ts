// Line drawings of the studio, on a 20 x 20 field, beside those of ui/icons.ts.

const drawn = (body: string) =>
  `<svg viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.5" ` +
  `stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${body}</svg>`;

export const studioIcons = {
  file: drawn('<path d="M3 6.2A1.7 1.7 0 0 1 4.7 4.5h3l1.8 2h5.8A1.7 1.7 0 0 1 17 8.2v5.6a1.7 1.7 0 0 1-1.7 1.7H4.7A1.7 1.7 0 0 1 3 13.8z"/>'),
  parts: drawn('<path d="M3 13c2.2-6 4.6-6 7 0s4.8 6 7 0" /><path d="M3 8c2.2-4 4.6-4 7 0s4.8 4 7 0" opacity=".5"/>'),
  undo: drawn('<path d="M7 4 3.5 7.5 7 11M4 7.5h8a4.2 4.2 0 0 1 0 8.5H8.5"/>'),
  redo: drawn('<path d="M13 4l3.5 3.5L13 11M16 7.5H8a4.2 4.2 0 0 0 0 8.5h3.5"/>'),
  colors: drawn('<circle cx="7.4" cy="8" r="4.2"/><circle cx="12.6" cy="8" r="4.2"/><circle cx="10" cy="12.4" r="4.2"/>'),
  onion: drawn('<circle cx="6.5" cy="10" r="4" opacity=".45"/><circle cx="10" cy="10" r="4" opacity=".7"/><circle cx="13.5" cy="10" r="4"/>'),
  cells: drawn('<path d="M10 3 3.5 14.5h13zM10 3v7M3.5 14.5 10 10l6.5 4.5"/>'),
  mute: drawn('<path d="M3.5 8v4h3l4 3V5l-4 3zM13.5 8l4 4M17.5 8l-4 4"/>'),
  live: drawn('<circle cx="10" cy="10" r="2"/><path d="M6.3 13.7a5.2 5.2 0 0 1 0-7.4M13.7 6.3a5.2 5.2 0 0 1 0 7.4M4 16a8.5 8.5 0 0 1 0-12M16 4a8.5 8.5 0 0 1 0 12"/>'),
  soft: drawn('<path d="M3 11.5c1.8-5 3.6-5 5.2 0 1.4 4 3 4 4.2 0 1-3 2.4-3 4.6-1"/>'),
  firm: drawn('<path d="M3.5 14h13M6 14V6.5h8V14"/>'),
  protected: drawn('<path d="M10 3.2 15.5 5v4.6c0 3.5-2.2 5.9-5.5 7.2-3.3-1.3-5.5-3.7-5.5-7.2V5z"/>'),
  upload: drawn('<path d="M10 13V4M6.5 7.5 10 4l3.5 3.5M3.5 13.5V15A1.5 1.5 0 0 0 5 16.5h10a1.5 1.5 0 0 0 1.5-1.5v-1.5"/>'),
  figure: drawn('<circle cx="10" cy="4.8" r="2"/><path d="M10 7v5M6 9l4-1 4 1M10 12l-2.5 5M10 12l2.5 5"/>'),
  find: drawn('<path d="m4 16 7-7M12.5 3.5v3M11 5h3M15.5 8.5v2.4M14.3 9.7h2.4M7.5 4v2M6.5 5h2"/>'),
  previous: drawn('<path d="m12 5-5 5 5 5"/>'),
  next: drawn('<path d="m8 5 5 5-5 5"/>'),
};
