// Colours of weights: from dark violet over red to yellow, ever lighter, so that more is lighter for everybody; no weight at all
// is the grey of clay.

import { Color } from 'three';
import { PointColor } from '../tint';
import { WeightLists } from './lists';

// Lightness (CIE L*) rises evenly from 20 to 92 along these.
const kStops = ['#33186b', '#6a1c81', '#a3246f', '#d53f4f', '#f2703a', '#fba83b', '#f6e76a'];
const kNone = { light: '#c9ccd1', dark: '#6f7783' };
const kLeast = 5e-4;  // below, it is none

export const kRampCss = `linear-gradient(to right, ${kStops.join(', ')})`;
export function noneCss(theme: 'light' | 'dark'): string { return kNone[theme]; }

let ramp: Color[] | null = null;

function rampColors(): Color[] {
  const stops = kStops.map((stop) => new Color(stop));
  return Array.from({ length: 256 }, (_, i) => {
    const way = (i / 255) * (stops.length - 1), k = Math.min(stops.length - 2, Math.floor(way));
    return stops[k].clone().convertLinearToSRGB().lerp(stops[k + 1].clone().convertLinearToSRGB(), way - k).convertSRGBToLinear();
  });
}

/// How the weights of a joint colour the skin; points that no skin moves keep the artist's own colours.
export function weightColors(lists: WeightLists, joint: number, theme: 'light' | 'dark'): PointColor {
  const shades = ramp ??= rampColors(), none = new Color(kNone[theme]);
  return (point, into, at) => {
    const weight = lists.weightOf(point, joint);
    if (weight < 0) return void into.fill(0, at, at + 4);
    const color = weight < kLeast ? none : shades[Math.min(255, Math.round(255 * weight))];
    into[at] = 255 * color.r;
    into[at + 1] = 255 * color.g;
    into[at + 2] = 255 * color.b;
    into[at + 3] = 255;
  };
}
