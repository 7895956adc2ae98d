// Colours of parts: apart for every kind of colour vision (after Okabe and Ito), one set for light and one for dark.

import { Theme } from '../theme';

const kOnLight = ['#0072b2', '#d55e00', '#00855f', '#b0578d', '#a06a00', '#4a4fb5'];
const kOnDark = ['#5cb8f0', '#ff8f4a', '#3fcf9f', '#ea9cc8', '#f2c14e', '#a9adff'];
const kDashes = [[], [7, 3], [2, 3]];  // beyond six parts

export function partColor(part: number, theme: Theme): string {
  const colors = theme.name === 'dark' ? kOnDark : kOnLight;
  return colors[part % colors.length];
}

export function partDash(part: number): number[] {
  return kDashes[Math.floor(part / kOnLight.length) % kDashes.length];
}
