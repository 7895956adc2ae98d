// The server's frames: bytes as studio/PROTOCOL.md lays them out, read into arrays that are made once a file.

const kHeader = 40;     // bytes
const kNodeFloats = 10; // translation 3, rotation x y z w 4, scale 3

export const kFlags = { live: 1, artist: 2, outside: 4, baked: 8 };

export class Frame {
  revision = -1;
  number = -1;
  change = 0;
  time = 0;   ///< s of the clip
  ms = 0;     ///< that the solve took
  flags = 0;
  soft = new Float32Array();    ///< local transforms of all nodes and then morph weights, or points in scene space
  artist = new Float32Array();  ///< the same; equal to `soft` where the frame has none

  /// Reads a message; `points`: of a file whose `kind` is "points". False, and nothing changed, where it is no frame.
  read(bytes: ArrayBuffer, points: boolean): boolean {
    if (bytes.byteLength < kHeader) return false;
    const view = new DataView(bytes);
    const flags = view.getUint32(28, true), nodes = view.getUint32(32, true), morphs = view.getUint32(36, true);
    const floats = points ? 3 * nodes : kNodeFloats * nodes + morphs;
    const poses = flags & kFlags.artist ? 2 : 1;
    if (view.getUint32(0, true) !== 1 || bytes.byteLength < kHeader + 4 * floats * poses) return false;
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
    this.soft.set(new Float32Array(bytes, kHeader, floats));
    this.artist.set(poses === 2 ? new Float32Array(bytes, kHeader + 4 * floats, floats) : this.soft);
    return true;
  }
}

/// The revision alone: frames of another file are left out before they are read.
export function revisionOf(bytes: ArrayBuffer): number {
  return bytes.byteLength < kHeader ? -1 : new DataView(bytes).getUint32(4, true);
}

export function changeOf(bytes: ArrayBuffer): number {
  return bytes.byteLength < kHeader ? 0 : new DataView(bytes).getUint32(12, true);
}
