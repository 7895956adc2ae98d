// A small drawing for each preset: what moves, and how far it goes past (dashed).

const drawn = (body: string) =>
  `<svg viewBox="0 0 32 28" width="32" height="28" fill="none" stroke="currentColor" stroke-width="1.5" ` +
  `stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${body}</svg>`;
const past = (path: string) => `<path d="${path}" opacity=".45" stroke-dasharray="2 2.4"/>`;

const kPictures: Record<string, string> = {
  belly: drawn(`<path d="M11 4c-1 5-1 14 1 20"/><path d="M13 7c8 1 10 6 9 10s-5 6-9 6"/>${past('M14 5c12 1 13 8 12 14')}`),
  flesh: drawn(`<path d="M4 20c5-9 19-9 24 0"/>${past('M4 17C9 5 23 5 28 17')}<path d="M4 24h24" opacity=".6"/>`),
  chest: drawn(`<path d="M6 5c-1 8 0 15 3 19"/><path d="M9 9c8 0 12 3 12 7s-6 6-11 4"/>${past('M11 7c12-1 15 5 14 10')}`),
  cheek: drawn(`<path d="M9 4C4 12 7 24 16 24s12-12 7-20"/><path d="M10 15c1 3 4 3 5 1M17 16c1 2 4 2 5-1"/>${past('M5 13c-1 6 2 9 4 11')}`),
  ear: drawn(`<path d="M9 24C6 14 8 7 13 4c4 5 5 12 4 20"/><path d="M12 20c-1-5 0-8 1-11" opacity=".6"/>${past('M18 22c2-6 5-10 10-11')}`),
  tail: drawn(`<path d="M4 8c6 0 8 4 8 9s6 8 15 4"/>${past('M12 14c1 6 8 3 14-5')}`),
  hair: drawn(`<path d="M8 5c-1 8 0 13 3 19M13 4c-1 8 1 13 4 19M18 5c0 7 2 12 5 16"/>${past('M22 5c1 6 3 9 6 12')}`),
  antenna: drawn(`<path d="M10 25C9 17 11 11 15 7"/><circle cx="16.5" cy="5.5" r="2"/>${past('M11 18c4-6 8-8 13-8')}<circle cx="26" cy="10" r="1.6" opacity=".45"/>`),
  rubber: drawn(`<path d="M9 24c0-9 1-13 5-19"/><path d="M15 25c0-9 1-13 5-19"/><path d="M14 5l6 1"/>${past('M20 24c1-8 3-11 7-15')}`),
  jelly: drawn(`<path d="M7 23c0-8 3-15 9-15s9 7 9 15z"/>${past('M5 21C3 12 8 4 15 4s14 7 12 17')}<path d="M12 18c2 1.5 6 1.5 8 0" opacity=".6"/>`),
  cape: drawn(`<path d="M6 5h18c0 6 3 12 1 18-4-2-7 2-10 0s-6 1-9-1c2-6 0-11 0-17z"/><path d="M13 6c0 6 1 10 0 15M19 6c0 6 2 10 1 16" opacity=".5"/>`),
};

const kUnknown = drawn(`<path d="M3 17c4-10 8-10 12 0s8 10 14 0"/>${past('M3 13C7 1 11 1 15 13s8 14 14 0')}`);

export function presetPicture(name: string): string { return kPictures[name.toLowerCase()] ?? kUnknown; }
