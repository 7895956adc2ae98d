// What soft_page() of the library put into the page.

export interface PartOptions {
  name: string;
  preset: string;
  nodes: string[];   ///< joints, root first
  morphs: string[];  ///< "<mesh node>:<morph>"
  summary: string;
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
}
