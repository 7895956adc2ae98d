// WebM files of one video track, as little as players need: elements of id, size and body (RFC 8794, RFC 9559).

export interface EncodedFrame {
  bytes: Uint8Array;
  milliseconds: number;  ///< from the start of the film
  key: boolean;
}

export interface Track {
  codec: 'V_VP8' | 'V_VP9';
  width: number;   ///< pixels
  height: number;
  rate: number;    ///< frames a second
}

type Body = number[] | Uint8Array | Element[];
interface Element { id: number; body: Body }

/// The first frame must be a key frame. A cluster begins at each key frame, at most 30 s after the one before.
export function webm(track: Track, frames: readonly EncodedFrame[]): Blob {
  const clusters: { start: number; blocks: Element[] }[] = [];
  for (const { bytes, milliseconds, key } of frames) {
    if (key || clusters.length === 0) clusters.push({ start: milliseconds, blocks: [] });
    const cluster = clusters[clusters.length - 1], after = milliseconds - cluster.start;
    const block = new Uint8Array(4 + bytes.length);
    block.set([0x81, after >> 8, after & 0xff, key ? 0x80 : 0]);  // track 1, time in the cluster, flags
    block.set(bytes, 4);
    cluster.blocks.push({ id: 0xa3, body: block });
  }
  const seconds = frames.length / track.rate;
  return new Blob(pieces([
    { id: 0x1a45dfa3, body: [                                      // header
      { id: 0x4286, body: [1] }, { id: 0x42f7, body: [1] }, { id: 0x42f2, body: [4] }, { id: 0x42f3, body: [8] },
      { id: 0x4282, body: ascii('webm') }, { id: 0x4287, body: [2] }, { id: 0x4285, body: [2] }] },
    { id: 0x18538067, body: [                                      // segment
      { id: 0x1549a966, body: [                                    // info: a unit of 1 ms, and the duration
        { id: 0x2ad7b1, body: whole(1e6) }, { id: 0x4489, body: real(1000 * seconds) },
        { id: 0x4d80, body: ascii('rigspace') }, { id: 0x5741, body: ascii('rigspace') }] },
      { id: 0x1654ae6b, body: [{ id: 0xae, body: [                 // tracks: one, of pictures
        { id: 0xd7, body: [1] }, { id: 0x73c5, body: [1] }, { id: 0x83, body: [1] }, { id: 0x86, body: ascii(track.codec) },
        { id: 0x23e383, body: whole(Math.round(1e9 / track.rate)) },
        { id: 0xe0, body: [{ id: 0xb0, body: whole(track.width) }, { id: 0xba, body: whole(track.height) }] }] }] },
      ...clusters.map(({ start, blocks }): Element => ({ id: 0x1f43b675, body: [{ id: 0xe7, body: whole(start) }, ...blocks] })),
    ] }]), { type: 'video/webm' });
}

function pieces(elements: readonly Element[]): Uint8Array<ArrayBuffer>[] {
  return elements.flatMap(({ id, body }) => {
    const inside = isElements(body) ? pieces(body) : [Uint8Array.from(body)];
    const size = inside.reduce((sum, piece) => sum + piece.length, 0);
    return [Uint8Array.from([...whole(id), ...sizeBytes(size)]), ...inside];
  });
}

function isElements(body: Body): body is Element[] {
  return Array.isArray(body) && typeof body[0] === 'object';
}

/// Big end first, in as few bytes as it takes.
function whole(value: number): number[] {
  const bytes = [value % 256];
  for (let rest = Math.floor(value / 256); rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return bytes;
}

/// Eight bytes always: the first has the mark of that length.
function sizeBytes(size: number): number[] {
  const bytes = whole(size);
  return [0x01, ...new Array<number>(7 - bytes.length).fill(0), ...bytes];
}

function real(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return bytes;
}

function ascii(text: string): number[] { return Array.from(text, (c) => c.charCodeAt(0)); }
