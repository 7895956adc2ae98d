// What the server keeps and the page shows: the slices of studio/PROTOCOL.md, as types.

export interface ServerSlice {
  version: string;
  started: string | number;  ///< id of this run of the server
  folder: string;            ///< where files are written
  cast: { name: string; about: string }[];
}

export interface ClipInfo {
  name: string;
  duration: number;  ///< s
  rate: number;      ///< frames a second
  loop: boolean;
  why: string;       ///< the rule that decided `loop`
}

export interface FileSlice {
  name: string;
  path: string;
  revision: number;  ///< another one: another model.glb
  kind: 'nodes' | 'points';
  nodes: string[];
  morphs: string[];  ///< "node:morph"
  points: number;
  clips: ClipInfo[];
  height: number;    ///< scene units
  unit: number;      ///< metres per scene unit
  warnings: string[];
  notes: string[];
}

export type Mode = 'soft' | 'firm' | 'protected';
export type PartKind = 'chain' | 'flesh' | 'sheet' | 'controls';
export type Values = Record<string, number | null>;

export interface Part {
  name: string;
  preset: string;
  pattern: string;
  kind: PartKind;
  reason: string;
  nodes: string[];
  settings: Values;  ///< of every field
  set: Values;       ///< what somebody set
  joints?: string[];               ///< the artist's; `nodes` of flesh are soft joints
  clip?: Record<string, [number, number][]>;  ///< fields set for the present clip: s and value
  used: { rate?: number; settle?: number; lag?: number; amount?: number };
  candidate: number;  ///< index in `candidates`, or -1
}

export interface Candidate {
  name: string;
  preset: string;
  pattern: string;
  kind: PartKind;
  nodes: string[];
  score: number;
  for: string[];
  against: string[];
  mode: Mode;
}

export interface Field {
  name: string;
  min: number;
  max: number;
  keyed: boolean;  ///< may change over a clip
}

export interface PartsSlice {
  chosen: Part[];
  candidates: Candidate[];
  presets: { name: string; flesh: boolean }[];
  fields: Field[];
  protect: string[];
  remark: string;
  found: boolean;  ///< nothing was changed by hand
  body?: string;   ///< what the character was taken for: "a body on four legs"
}

export interface PlaySlice {
  clip: string | null;  ///< null: the rest pose
  time: number;         ///< s; while playing, that of the last change
  playing: boolean;
  speed: number;
  loop: boolean;
  live: boolean;
  muted: boolean;
  cells?: boolean;  ///< frames hold body cells
  length?: number;  ///< s: of the clip that was drawn in the rest pose
}

export interface Control {
  name: string;
  node: string;
  group: string;
  unit: string;
  rest: number;
  min: number | null;
  max: number | null;
  keyed: boolean;
  free: boolean;
  stiffness: number;
  held: number | null;
}

export interface WorldSlice {
  gravity: [number, number, number];  ///< m/s^2
  collide: string[];
  friction: number;
  material: string;
  materials: string[];
}

export interface BakedPart {
  name: string;
  unit: 'degrees' | 'percent';  ///< of the turn, or of the part's size
  swing: number;
  largest: number;
  largest_at: number;  ///< s
}

export interface BakeSlice {
  clip: string | null;
  state: 'none' | 'running' | 'ready' | 'stale';
  seam: number | null;
  parts: BakedPart[];
}

export interface CurvesSlice {
  layer: { mute: boolean; influence: number };
  tolerance: number;  ///< share of the height
  edited: Record<string, string[]>;
}

export interface ModesSlice {
  state: 'none' | 'ready';
  modes: { name: string; share: number; min: number; max: number; factor: number }[];
}

export interface SketchCamera {
  eye: number[];
  target: number[];
  fov: number;  ///< degrees, from the lower to the upper edge
}

export interface SketchStroke {
  name: string;
  abstraction: string;
  curve: string;
  camera: SketchCamera;
  points: [number, number][];  ///< view units of that camera
  closed: boolean;
  locked: boolean;
  from: boolean;     ///< drawn on the body: the next one says where it goes
  residual: number;  ///< share of the size
  reached: boolean;
}

export interface SketchSlice {
  abstractions: string[];
  abstraction: string;
  keys: { time: number; strokes: number; unreached: number }[];
  time: number | null;  ///< of the key that is shown
  strokes: SketchStroke[];
  solving: boolean;
  waiting: boolean;  ///< the next stroke says where the last one goes
  ms: number | null;
  residual: number | null;
  problem: string;
}

export interface SketchLinesSlice {
  curves: { name: string; closed: boolean; points: number[] }[];  ///< scene space, x y z each
}

export interface ClothSlice {
  garments: { name: string; points: number; found: boolean }[];  ///< pieces; found: a sheet by the part finder
  garment: string;  ///< a piece, or the path of an .obj; '': none is chosen
  state: 'none' | 'running' | 'ready';
  summary: string;
  command: string;
  result: { name: string; url: string; path: string } | null;
}

export interface ForceNumber {
  name: string;
  value: number;   ///< degrees, or scene units
  angle: boolean;
}

export interface ForceRigRow {
  name: string;
  template: string | null;  ///< null: a fitted shape
  control: string;
  numbers: ForceNumber[];   ///< at full strength; they follow the hand
}

export interface ForcesSlice {
  state: 'none' | 'plain' | 'making' | 'reading' | 'ready';
  problem: string;
  templates: string[];
  rigs: ForceRigRow[];
  selected: string | null;
  pins: [number, number, number][];  ///< where points were dragged
  cells: number;
  changed: boolean;       ///< not kept yet
  undo: number;           ///< steps
  before: number | null;  ///< mean distance of dragged points, scene units
  after: number | null;
  ms: number | null;      ///< of an update
  command: string;
}

export interface WeightsSlice {
  state: 'none' | 'reading' | 'ready' | 'computing' | 'foreign';  ///< foreign: nothing that weights can be made for
  problem: string;
  joints: { name: string; parent: number; twin: number }[];  ///< of all skins; parent, twin: into this list
  mirror: string | null;  ///< axis across which the body is its own mirror image
  method: string;         ///< that the draft comes from; '': the file's own weights
  influences: number;
  smoothing: number;
  painted: boolean;
  version: number;        ///< counts changes of the draft
  stored: number;         ///< version that draft.bin has
  changed: boolean;       ///< not kept yet
  undo: number;           ///< steps
  redo: number;
  difference: { share: number; worst: number; clips: number } | null;  ///< from the file's weights; share of the swing
  measuring: boolean;
  command: string;
  output: string;         ///< name of the file that keeping writes
}

export interface CageSlice {
  state: 'none' | 'making' | 'draft' | 'reading' | 'ready';  ///< ready: the open file's own cage
  problem: string;
  families: string[];
  coordinates: string;
  faces: number;          ///< asked for
  offset: number | null;  ///< share of the size; null: automatic
  made: { faces: number; points: number; clearance: number; reached: boolean; left_out: string[] } | null;
  triangles: number[];    ///< three points each
  version: number;        ///< counts changes of the cage's shape; the shape is `cage/shape.bin`
  moved: number;          ///< points that are elsewhere than at rest
  undo: number;
  ms: number | null;      ///< of the last change of the skin
  command: string;
  output: string;
}

export interface CagePlacesSlice {
  points: number[];  ///< x y z each, scene space, in the pose that is shown; none while it plays
}

export interface EffectorsSlice {
  state: 'none' | 'preparing' | 'ready' | 'failed';
  effectors: { name: string; joint: string; pinned: boolean }[];
  model: string;           ///< what the inverse of the rig was learned from
  remark: string;          ///< why the model beside the file is not used
  dragged: number | null;  ///< index
  keys: number[];          ///< s
  time: number | null;     ///< of the key that is shown
  rate: number | null;     ///< updates a second
  ms: number | null;       ///< of an update
  residual: number | null; ///< share of the size
  problem: string;
}

export interface JobSlice {
  name: string;
  stage: string;
  fraction: number | null;  ///< 0..1
  left: number | null;      ///< s
  cancel: boolean;
}

export interface ExportSlice {
  command: string;
  files: { name: string; url: string; bytes: number; about: string }[];
  path: string;
}

export interface LiveSlice {
  rate: number;  ///< solved frames a second
  ms: number;    ///< a solve
  unconverged: number;
  outside: boolean;
}

export interface Slices {
  server: ServerSlice;
  file: FileSlice | null;
  parts: PartsSlice;
  play: PlaySlice;
  controls: { controls: Control[] };
  world: WorldSlice;
  bake: BakeSlice;
  curves: CurvesSlice;
  modes: ModesSlice;
  sketch: SketchSlice;
  sketch_lines: SketchLinesSlice;
  effectors: EffectorsSlice;
  cloth: ClothSlice;
  forces: ForcesSlice;
  weights: WeightsSlice;
  cage: CageSlice;
  cage_places: CagePlacesSlice;
  job: JobSlice | null;
  export: ExportSlice;
  history: { undo: string[]; redo: string[] };
  live: LiveSlice;
}
