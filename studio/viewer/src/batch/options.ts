// What batch_page() of the library put into the page. Lengths are percent of the height.

export interface BatchPart {
  name: string;
  preset: string;
  reason?: string;
}

export interface BatchClip {
  name: string;
  loop: boolean;
  why?: string;
  duration: number;         ///< s
  seam?: number | null;
  typical?: number | null;
  largest?: number | null;
  problems: string[];
  seconds?: number | null;  ///< that its simulation took
}

export interface BatchCharacter {
  name: string;
  page?: string;            ///< relative path of its own page
  parts: BatchPart[];
  remark?: string;
  clips: BatchClip[];
  warnings: string[];
  failure?: string;
  seconds?: number | null;
}

export interface BatchOptions {
  title: string;
  characters: BatchCharacter[];
  seconds?: number | null;
}

export function passes(clip: BatchClip): boolean { return clip.problems.length === 0; }

export function isRight(character: BatchCharacter): boolean { return !character.failure && character.clips.every(passes); }

/// The address of a character's own page: what stands for itself in a file name does not in an address.
export function addressOf(page: string, fragment = ''): string {
  const path = page.split('/').map(encodeURIComponent).join('/');
  return fragment ? `${path}#${fragment}` : path;
}
