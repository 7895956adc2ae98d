// What soft_page() of the library put into the page.

/// An amount of the recipe, which a part of the page scales.
export interface AmountOptions {
  part: string;                   ///< in the recipe
  amount: number;                 ///< as it is set for the clip
  keys?: [number, number][];      ///< time in s and value, in place of `amount`
  interpolation?: string;         ///< of the keys, as --set names it
  clipOnly?: boolean;             ///< set for this clip alone
}

export interface PartOptions {
  name: string;
  preset: string;
  nodes: string[];   ///< joints, root first
  morphs: string[];  ///< "<mesh node>:<morph>"
  moreMorphs?: string[];  ///< moved as well; their curves are those of `morphs`
  summary: string;
  curves?: { name: string; percent: number[] }[];  ///< measured by the program, at even times: percent of the size
  amounts?: AmountOptions[];  ///< of the recipe, scaled by this part's slider; without any the part has no slider
}

export interface PairOptions {
  base: string;  ///< names of clips
  soft: string;
  loop: boolean;
  why?: string;     ///< the rule that decided that, after "since"
  period?: number;  ///< s, of a loop: a frame more than the clip where the file leaves out the closing frame
  gap?: number;     ///< of a loop before it was closed: its end against its start, percent of the largest deviation
  largest?: { percent: number; at: number };  ///< the largest deviation of a point, percent of the height, and its time
  parts: PartOptions[];
}

export interface SoftOptions {
  title: string;
  pairs: PairOptions[];
  notes: string[];
  rerun?: string;  ///< the command that repeats the run, to which --set is added; none: the run cannot be repeated
  labels?: { before: string; after: string };  ///< what the two sides are called
}
