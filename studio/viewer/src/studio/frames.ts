// The server's frames: bytes as studio/PROTOCOL.md lays them out, read into arrays that are made once a file.

const kHeader = 40;     // bytes
const kNodeFloats = 10; // translation 3, rotation x y z w 4, scale 3

export const kFlags = { live: 1, artist: 2, outside: 4, baked: 8, points: 16, cells: 32 };

export class Frame {
  revision = -1;
  number = -1;
  change = 0;
  time = 0;   ///< s of the clip
  ms = 0;     ///< that the solve took
  flags = 0;
  soft = new Float32Array();    ///< local transforms of all nodes, morph weights, then points in scene space where there are any
  artist = new Float32Array();  ///< the same; equal to `soft` where the frame has none
  cells = new Float32Array();   ///< scene positions of the nodes of body cells, where the frame has them

  /// Reads a message. False, and nothing changed, where it is no frame.
  read(bytes: ArrayBuffer): boolean {
    if (bytes.byteLength < kHeader) return false;
    const view = new DataView(bytes);
    const flags = view.getUint32(28, true), nodes = view.getUint32(32, true), morphs = view.getUint32(36, true);
    const own = kNodeFloats * nodes + morphs, poses = flags & kFlags.artist ? 2 : 1;
    const points = pointsAt(view, kHeader + 4 * own * poses, (flags & kFlags.points) !== 0);
    const cells = points && cellsAt(view, points.end, (flags & kFlags.cells) !== 0);
    if (view.getUint32(0, true) !== 1 || !points || !cells) return false;
    const floats = own + 3 * points.count;
    this.revision = view.getUint32(4, true);
    this.number = view.getUint32(8, true);
    this.change = view.getUint32(12, true);
    this.time = view.getFloat64(16, true);
    this.ms = view.getFloat32(24, true);
    this.flags = flags;
    if (this.soft.length !== floats) {
      this.soft = new Float32Array(floats);
      this.artist = new Float32Array(floats);
    }
    const pose = (k: number) => new Float32Array(bytes, kHeader + 4 * own * k, own);
    this.soft.set(pose(0));
    this.artist.set(pose(poses - 1));
    if (points.count > 0) {
      const artist = new Float32Array(bytes, points.at, 3 * points.count);
      this.artist.set(artist, own);
      this.soft.set(artist, own);
      let from = points.runs + 8 * points.runCount;
      for (let r = 0; r < points.runCount; ++r) {
        const first = view.getUint32(points.runs + 8 * r, true), count = view.getUint32(points.runs + 8 * r + 4, true);
        this.soft.set(new Float32Array(bytes, from, 3 * count), own + 3 * first);
        from += 12 * count;
      }
    }
    this.cells = new Float32Array(bytes, cells.at, 3 * cells.count);
    return true;
  }
}

interface PointsBlock {
  count: number;     ///< of points
  at: number;        ///< bytes: where the artist's begin
  runs: number;      ///< bytes: where the runs of points begin that are elsewhere in the soft pose
  runCount: number;
  end: number;       ///< bytes
}

// Null: the bytes do not hold what they claim.
function pointsAt(view: DataView, from: number, there: boolean): PointsBlock | null {
  if (view.byteLength < from) return null;
  if (!there) return { count: 0, at: from, runs: from, runCount: 0, end: from };
  if (view.byteLength < from + 8) return null;
  const count = view.getUint32(from, true), runCount = view.getUint32(from + 4, true), at = from + 8, runs = at + 12 * count;
  let end = runs + 8 * runCount;
  if (view.byteLength < end) return null;
  for (let at = runs; at < runs + 8 * runCount; at += 8) {
    if (view.getUint32(at, true) + view.getUint32(at + 4, true) > count) return null;
    end += 12 * view.getUint32(at + 4, true);
  }
  return view.byteLength < end ? null : { count, at, runs, runCount, end };
}

function cellsAt(view: DataView, from: number, there: boolean): { at: number; count: number } | null {
  if (!there) return { at: from, count: 0 };
  if (view.byteLength < from + 4) return null;
  const count = view.getUint32(from, true);
  return view.byteLength < from + 4 + 12 * count ? null : { at: from + 4, count };
}

/// The revision alone: frames of another file are left out before they are read.
export function revisionOf(bytes: ArrayBuffer): number {
  return bytes.byteLength < kHeader ? -1 : new DataView(bytes).getUint32(4, true);
}

export function changeOf(bytes: ArrayBuffer): number {
  return bytes.byteLength < kHeader ? 0 : new DataView(bytes).getUint32(12, true);
}
