// The parts slice as rows: chosen parts first, then candidates that are not soft.

import { Theme } from '../../theme';
import { colorOfPart } from '../part_colors';
import { BakedPart, BakeSlice, Candidate, PartsSlice } from '../slices';
import { Entry } from './rows';

export function chosenEntries({ chosen, candidates }: PartsSlice, theme: Theme, bake?: BakeSlice): Entry[] {
  return chosen.map((part) => ({
    key: part.candidate >= 0 ? `candidate ${part.candidate}` : `part ${part.name}`,
    candidate: part.candidate, part: part.name, name: part.name, word: part.preset,
    reading: readingOf(bake?.parts.find(({ name }) => name === part.name)),
    reason: part.reason || reasonOf(candidates[part.candidate]), nodes: part.nodes, mode: 'soft',
    color: colorOfPart(part, theme) }));
}

export function otherEntries({ chosen, candidates }: PartsSlice): Entry[] {
  const taken = new Set(chosen.map(({ candidate }) => candidate));
  return candidates.map((candidate, i) => ({ candidate, i })).filter(({ i }) => !taken.has(i))
    .sort((a, b) => last(a.candidate) - last(b.candidate) || b.candidate.score - a.candidate.score)
    .map(({ candidate, i }) => ({ key: `candidate ${i}`, candidate: i, part: null, name: candidate.name,
      word: candidate.preset || candidate.kind, reading: '',
      reason: reasonOf(candidate), nodes: candidate.nodes, mode: candidate.mode, color: null }));
}

function last({ mode }: Candidate): number { return mode === 'protected' ? 1 : 0; }

function reasonOf(candidate: Candidate | undefined): string {
  if (!candidate) return '';
  const { mode, for: reasons, against } = candidate;
  return (mode !== 'soft' && against.length > 0 ? against : reasons).join('; ');
}

function readingOf(baked: BakedPart | undefined): string {
  if (!baked) return '';
  return baked.unit === 'percent' ? `${baked.swing.toFixed(1)} %` : `${baked.swing.toFixed(0)}°`;
}
