// What soft_page() of the library put into the page.

export interface PartOptions {
  name: string;
  preset: string;
  nodes: string[];   ///< joints, root first
  morphs: string[];  ///< "<mesh node>:<morph>"
  summary: string;
  curves?: { name: string; percent: number[] }[];  ///< measured by the program, at even times: percent of the size
}

export interface PairOptions {
  base: string;  ///< names of clips
  soft: string;
  loop: boolean;
  parts: PartOptions[];
}

export interface SoftOptions {
  title: string;
  pairs: PairOptions[];
  notes: string[];
  labels?: { before: string; after: string };  ///< what the two sides are called
}
