// Which part has which colour, on the body and in lists: chosen parts have one each, the rest none until it is pointed at.

import { Color } from 'three';
import { partColor } from '../soft/colors';
import { Theme } from '../theme';
import { Model } from './model';
import { shareOfNodes, Shares } from './shares';
import { PartsSlice } from './slices';

const kSelected = 0.85, kPlain = 0.7, kBesideSelected = 0.55, kHovered = 0.95;  // strength of the tint

interface Layer {
  shares: Uint8Array;
  color: Color;
  strength: number;
}

/// What is pointed at and selected; indices of candidates, names of parts.
export interface Marked {
  hovered: number | null;
  candidate: number | null;
  part: string | null;
}

const slots = new Map<string, number>();  // by part, of this page: a part keeps its colour while others come and go

let slotsOf = '';  // the file that they are of

/// Every chosen part of a file gets a colour that no other has. Called before anybody asks for colours of new parts.
export function assignColors(file: string, chosen: readonly { name: string }[]): void {
  if (file !== slotsOf) slots.clear();
  slotsOf = file;
  const names = new Set(chosen.map(({ name }) => name));
  const taken = new Set([...slots].filter(([name]) => names.has(name)).map(([, slot]) => slot));
  for (const name of names) {
    if (slots.has(name)) continue;
    let slot = 0;
    while (taken.has(slot)) ++slot;
    for (const [gone, its] of slots) if (its === slot) slots.delete(gone);
    slots.set(name, slot);
    taken.add(slot);
  }
}

export function colorOfPart({ name }: { name: string }, theme: Theme): string { return partColor(slots.get(name) ?? 0, theme); }

/// The colour of a candidate: of its part where it has one, else a quiet one.
export function colorOfCandidate(candidate: number, parts: PartsSlice, theme: Theme): string {
  const part = parts.chosen.find((chosen) => chosen.candidate === candidate);
  return part ? colorOfPart(part, theme) : theme.name === 'dark' ? '#c3cad3' : '#5d6672';
}

export function paintParts(model: Model, shares: Shares | null, parts: PartsSlice, marked: Marked, theme: Theme): void {
  const layers = layersOf(model, shares, parts, marked, theme);
  model.tint.paint((point, bytes, at) => {
    let most = 0, best: Layer | null = null;
    for (const layer of layers) {
      const share = layer.shares[point] * (layer.strength === kHovered ? 2 : 1);  // pointed at: over the others
      if (share <= most) continue;
      most = share;
      best = layer;
    }
    if (!best) return void bytes.fill(0, at, at + 4);
    const strength = best.strength * best.shares[point];  // times the colour: between vertices it does not turn black
    bytes[at] = strength * best.color.r;
    bytes[at + 1] = strength * best.color.g;
    bytes[at + 2] = strength * best.color.b;
    bytes[at + 3] = strength;
  });
}

function layersOf(model: Model, shares: Shares | null, parts: PartsSlice, marked: Marked, theme: Theme): Layer[] {
  const chosen = parts.chosen.map((part): Layer => {
    const selected = part.name === marked.part || (part.candidate >= 0 && part.candidate === marked.candidate);
    const some = marked.part !== null || marked.candidate !== null;
    return { shares: sharesOf(model, shares, part.candidate, part.nodes), color: new Color(colorOfPart(part, theme)),
             strength: selected ? kSelected : some ? kBesideSelected : kPlain };
  });
  const others = [marked.candidate, marked.hovered].flatMap((candidate, i): Layer[] => {
    const found = candidate === null ? undefined : parts.candidates[candidate];
    if (!found || (i === 0 && parts.chosen.some((part) => part.candidate === candidate))) return [];
    return [{ shares: sharesOf(model, shares, candidate!, found.nodes),
              color: new Color(colorOfCandidate(candidate!, parts, theme)), strength: i === 1 ? kHovered : kSelected }];
  });
  return [...chosen, ...others];
}

function sharesOf(model: Model, shares: Shares | null, candidate: number, nodes: string[]): Uint8Array {
  if (shares && candidate >= 0 && candidate < shares.candidates) return shares.bytesOf(candidate);
  return shareOfNodes(model.character.meshes, new Set(nodes), (node) => model.nameOf(node));
}
