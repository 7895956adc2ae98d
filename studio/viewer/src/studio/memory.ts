// What this browser remembers of the page: which panels are open, light or dark. Nothing of the work.

export function remembered(key: string): string | null {
  try {
    return localStorage.getItem(`rigspace.${key}`);
  } catch {
    return null;  // forbidden: every visit is the first
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`rigspace.${key}`, value);
  } catch {
    // As above.
  }
}
