// A seam in words.

import { Seam } from './seam';

const kNothing = 5e-4;  // percent: less is rounding

export function percentText(percent: number): string {
  if (percent < kNothing) return '0 %';
  return `${percent < 0.1 ? percent.toFixed(3) : percent.toFixed(2)} %`;
}

/// Short, for a line of figures.
export function seamFigure(seam: Seam): string {
  if (!seam.loop) return `start ${percentText(seam.start)}, end ${percentText(seam.end)}`;
  if (seam.lastStep === null) return `seam ${percentText(seam.percent)}`;
  return `step at the seam ${percentText(seam.percent)}, before it ${percentText(seam.lastStep)}`;
}

/// One sentence, of percent of the height.
export function seamSentence(seam: Seam): string {
  if (seam.percent < kNothing && seam.lastStep === null)
    return seam.loop ? 'The loop closes: the last frame deviates as the first does.' : 'It begins and ends in the artist’s pose.';
  if (!seam.loop)
    return `The deviation from the artist’s pose is ${percentText(seam.start)} of the height at the start and ` +
           `${percentText(seam.end)} at the end.`;
  if (seam.lastStep === null)
    return `The deviation at the last frame is ${percentText(seam.percent)} of the height from that at the first.`;
  return `The file leaves out the closing frame: from the last frame to the first the deviation changes by ` +
         `${percentText(seam.percent)} of the height, in the frame before by ${percentText(seam.lastStep)}.`;
}
