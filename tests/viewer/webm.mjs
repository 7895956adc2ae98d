// Enough of WebM to count the pictures of a film and read their times: elements are an id, a size and a body (RFC 8794).

const kMasters = new Set([0x18538067, 0x1f43b675, 0x1654ae6b, 0xae, 0xe0, 0xa0]);  // segment, cluster, tracks, track, video, group
const kHeader = 0x1a45dfa3, kSimpleBlock = 0xa3, kBlock = 0xa1, kClusterTime = 0xe7, kWidth = 0xb0, kHeight = 0xba;

/// { frames, width, height, times } of the bytes of a film with one track; times in ms.
export function framesOfWebm(bytes) {
  const found = { frames: 0, width: 0, height: 0, times: [], cluster: 0 };
  if (bytes.length < 4 || bytes.readUInt32BE(0) !== kHeader) throw new Error('no WebM');
  walk(bytes, 0, bytes.length, found);
  const { cluster, ...film } = found;
  return film;
}

function walk(bytes, from, to, found) {
  for (let at = from; at < to;) {
    const id = number(bytes, at, true), size = number(bytes, at + id.length, false);
    const body = at + id.length + size.length;
    const end = size.unknown ? to : Math.min(to, body + size.value);  // a live film does not know how long it will be
    if (kMasters.has(id.value)) walk(bytes, body, end, found);
    if (id.value === kClusterTime) found.cluster = bytes.readUIntBE(body, size.value);
    if (id.value === kSimpleBlock || id.value === kBlock) {
      found.frames += 1;
      found.times.push(found.cluster + bytes.readInt16BE(body + 1));  // behind the number of the track
    }
    if (id.value === kWidth) found.width = bytes.readUIntBE(body, size.value);
    if (id.value === kHeight) found.height = bytes.readUIntBE(body, size.value);
    // A cluster of unknown size ends where the next begins, and holds all that follows: both are walked alike.
    at = end;
  }
}

/// A number whose first bit that is set tells its length; an id keeps that bit, a size does not.
function number(bytes, at, keep) {
  const length = Math.clz32(bytes[at]) - 23;
  let value = keep ? bytes[at] : bytes[at] & (0xff >> length);
  let unknown = !keep && value === 0xff >> length;
  for (let i = 1; i < length; ++i) {
    value = value * 256 + bytes[at + i];
    unknown &&= bytes[at + i] === 0xff;
  }
  return { value, length, unknown };
}
