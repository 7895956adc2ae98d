// The settings of a part in words: ART.md's controls, with units and what they do.

import { Field } from './slices';
import { Scale } from './widgets/value_slider';

export interface FieldWords {
  label: string;
  unit: string;
  digits: number;
  scale: Scale;
  about: string;
}

const kWords: Record<string, FieldWords> = {
  amount: { label: 'Amount', unit: '×', digits: 2, scale: 'linear', about: 'How much of the motion is shown; 0 is your animation, above 1 exaggerates.' },
  rate: { label: 'Rate', unit: 'Hz', digits: 2, scale: 'log', about: 'How fast it bounces: swings per second.' },
  settle: { label: 'Settle', unit: 's', digits: 2, scale: 'square', about: 'Time until 5 % of a swing is left.' },
  lag: { label: 'Lag', unit: 's', digits: 3, scale: 'square', about: 'How far it trails behind what drives it.' },
  overlap: { label: 'Overlap', unit: '', digits: 2, scale: 'linear', about: 'How much later the tip moves than the root.' },
  sag: { label: 'Sag', unit: '×', digits: 2, scale: 'linear', about: 'Droop by gravity, beyond what is modelled.' },
  limit: { label: 'Limit', unit: '', digits: 2, scale: 'linear', about: 'Largest deviation, as a share of the part’s size.' },
  mix: { label: 'Mix', unit: '', digits: 2, scale: 'linear', about: 'Weight of the whole layer; 0 is your animation.' },
  travel: { label: 'Travel', unit: '', digits: 2, scale: 'linear', about: 'How much of the character’s own travel is felt.' },
};

/// Shown at once; the others are behind "More".
export const kFirstFields = ['amount', 'rate', 'settle', 'lag', 'overlap', 'sag'];

export function fieldWords({ name }: Field): FieldWords {
  const plain = name.replace(/_/g, ' ');
  return kWords[name] ?? { label: plain[0].toUpperCase() + plain.slice(1), unit: '', digits: 2, scale: 'linear', about: '' };
}
