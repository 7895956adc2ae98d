// How a control's numbers are written for people.

/// What follows the number. Lengths are in units of the scene: metres where one unit is one.
export function suffixOf(unit: string, metresPerUnit = 0): string {
  if (unit === 'angle' || unit === 'degree') return '°';
  if (unit === 'scale') return '×';
  if (unit !== 'length') return '';
  if (Math.abs(metresPerUnit - 1) < 1e-6) return ' m';
  return Math.abs(metresPerUnit - 0.01) < 1e-8 ? ' cm' : ' u';
}

/// Three digits that count, whatever the size; a true minus.
export function numberText(value: number): string {
  const size = Math.abs(value);
  const text = value.toFixed(size >= 100 ? 1 : size >= 1 || size < 5e-4 ? 2 : 3);
  return (Number(text) === 0 ? text.replace('-', '') : text).replace('-', '−');
}

/// "1,5", "−2" and "3°" are numbers too. Null: not a number.
export function numberOf(text: string): number | null {
  const value = Number(text.trim().replace('−', '-').replace(',', '.').replace(/\s*(°|×|s|m|cm|u|%)$/, ''));
  return text.trim() !== '' && Number.isFinite(value) ? value : null;
}

/// Ends of a slider: the control's limits, else what is ordinary for its unit; always with `value` inside.
export function sliderRange(control: { unit: string; rest: number; min: number | null; max: number | null }, value: number,
                            height: number): { min: number; max: number } {
  const { unit, rest } = control;
  const reach = unit === 'angle' || unit === 'degree' ? 180 : unit === 'length' ? 0.25 * (height || 4) : 1;
  const usual = unit === 'scale' ? { min: 0, max: 2 * Math.max(rest, 0.5) }
    : unit === 'length' || reach === 180 ? { min: rest - reach, max: rest + reach } : { min: Math.min(0, rest - 1), max: rest + 1 };
  return { min: Math.min(control.min ?? usual.min, value), max: Math.max(control.max ?? usual.max, value) };
}

export function bytesText(bytes: number): string {
  const [value, unit] = bytes < 1e3 ? [bytes, 'B'] : bytes < 1e6 ? [bytes / 1e3, 'kB'] : [bytes / 1e6, 'MB'];
  return `${value < 10 && unit !== 'B' ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
