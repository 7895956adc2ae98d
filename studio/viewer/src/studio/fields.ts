// The settings of a part in words: ART.md's controls, with units and what they do.

import { Field } from './slices';
import { Scale } from './widgets/value_slider';

export interface FieldWords {
  label: string;
  unit: string;
  digits: number;
  scale: Scale;
  about: string;
  low?: number;   ///< of the slider; more may be typed
  high?: number;
  auto?: boolean; ///< 0: the program finds it
}

const kWords: Record<string, FieldWords> = {
  amount: { label: 'Amount', unit: '×', digits: 2, scale: 'linear', about: 'How much of the motion is shown; 0 is your animation, above 1 exaggerates.', low: 0, high: 3 },
  rate: { label: 'Rate', unit: 'Hz', digits: 2, scale: 'log', about: 'How fast it bounces: swings per second.', low: 0.3, high: 12, auto: true },
  settle: { label: 'Settle', unit: 's', digits: 2, scale: 'square', about: 'Time until 5 % of a swing is left.', low: 0.05, high: 4, auto: true },
  lag: { label: 'Lag', unit: 's', digits: 3, scale: 'square', about: 'How far it trails behind what drives it.', low: 0, high: 0.6 },
  overlap: { label: 'Overlap', unit: '', digits: 2, scale: 'linear', about: 'How much later the tip moves than the root.' },
  sag: { label: 'Sag', unit: '×', digits: 2, scale: 'linear', about: 'Droop by gravity, beyond what is modelled.', low: -1, high: 2 },
  limit: { label: 'Limit', unit: '', digits: 2, scale: 'linear', about: 'Largest deviation, as a share of the part’s size.', low: 0.01, high: 1 },
  mix: { label: 'Mix', unit: '', digits: 2, scale: 'linear', about: 'Weight of the whole layer; 0 is your animation.' },
  hold: { label: 'Hold', unit: '', digits: 0, scale: 'linear', about: '1: dead still when nothing moves.' },
  push: { label: 'Push', unit: '×', digits: 2, scale: 'linear', about: 'How much colliding things press it.' },
  travel: { label: 'Travel', unit: '', digits: 2, scale: 'linear', about: 'How much of the character’s own travel is felt.' },
};

/// Shown at once; the others are behind "More".
export const kFirstFields = ['amount', 'rate', 'settle', 'lag', 'overlap', 'sag'];

export function fieldWords({ name }: Field): FieldWords {
  const plain = name.replace(/_/g, ' ');
  return kWords[name] ?? { label: plain[0].toUpperCase() + plain.slice(1), unit: '', digits: 2, scale: 'linear', about: '' };
}
