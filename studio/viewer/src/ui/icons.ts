// Line drawings on a 20 x 20 field.

const drawn = (body: string) =>
  `<svg viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.5" ` +
  `stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${body}</svg>`;

export const icons = {
  play: drawn('<path d="M6.5 4.2v11.6l9.3-5.8z" fill="currentColor"/>'),
  pause: drawn('<path d="M7 4.5v11M13 4.5v11" stroke-width="3"/>'),
  loop: drawn('<path d="M4 9.5V9a3 3 0 0 1 3-3h8.5M13 3.5 15.5 6 13 8.5M16 10.5v.5a3 3 0 0 1-3 3H4.5M7 16.5 4.5 14 7 11.5"/>'),
  skeleton: drawn('<circle cx="5" cy="15" r="2"/><circle cx="15" cy="5" r="2"/><path d="m6.5 13.5 7-7"/>'),
  wireframe: drawn('<path d="M10 2.5 16.5 6.2v7.6L10 17.5l-6.5-3.7V6.2zM10 10v7.5M10 10l6.5-3.8M10 10 3.5 6.2"/>'),
  grid: drawn('<path d="M5.5 5h9l3 10.5h-15zM4 10.2h12M10 5v10.5"/>'),
  morphs: drawn('<path d="M3 6h6M13 6h4M3 14h3M10 14h7"/><circle cx="11" cy="6" r="2"/><circle cx="8" cy="14" r="2"/>'),
  follow: drawn('<circle cx="12.5" cy="4.5" r="1.8"/><path d="m6 9 3.5-2 3 1.5-1.5 4 2.5 4M9.5 12.5 7 16.5M12.5 8.5l1.5 2h2.5"/>'),
  frame: drawn('<path d="M3 7V4.5A1.5 1.5 0 0 1 4.5 3H7M13 3h2.5A1.5 1.5 0 0 1 17 4.5V7M17 13v2.5a1.5 1.5 0 0 1-1.5 1.5H13M7 17H4.5A1.5 1.5 0 0 1 3 15.5V13"/><circle cx="10" cy="10" r="2.5"/>'),
  theme: drawn('<circle cx="10" cy="10" r="6.5"/><path d="M10 3.5a6.5 6.5 0 0 1 0 13z" fill="currentColor"/>'),
  help: drawn('<path d="M7.5 7.5a2.6 2.6 0 1 1 3.7 2.4c-.8.4-1.2.9-1.2 1.8v.3"/><circle cx="10" cy="14.8" r=".4" fill="currentColor"/>'),
  record: drawn('<rect x="2.5" y="5" width="10.5" height="10" rx="2"/><path d="m13 9 4.5-2.5v7L13 11"/>'),
  close: drawn('<path d="m5.5 5.5 9 9M14.5 5.5l-9 9"/>'),
};
