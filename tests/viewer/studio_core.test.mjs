// What the studio's page computes without a browser: frames, its line to the server, latencies, state, shares, its pace.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { moduleOf } from './module.mjs';

let frames, line, latencies, store, shares, pace, rows, driver, colors, first;
before(async () => {
  [frames, line, latencies, store, shares, rows, driver, colors, first] = await Promise.all(
    ['frames', 'line', 'latencies', 'store', 'shares', 'parts/entries', 'pose_driver', 'part_colors', 'first_clip']
      .map((name) => moduleOf(`studio/${name}`)));
  pace = await moduleOf('pace');
});

/// A frame as studio/PROTOCOL.md lays it out; `poses` has one or two.
function frameOf({ revision = 3, number = 7, change = 5, time = 1.25, ms = 2.5, flags = 0, nodes, morphs = 0, poses }) {
  const bytes = new ArrayBuffer(40 + 4 * poses.flat().length), view = new DataView(bytes);
  [1, revision, number, change].forEach((value, i) => view.setUint32(4 * i, value, true));
  view.setFloat64(16, time, true);
  view.setFloat32(24, ms, true);
  [flags, nodes, morphs].forEach((value, i) => view.setUint32(28 + 4 * i, value, true));
  poses.flat().forEach((value, i) => view.setFloat32(40 + 4 * i, value, true));
  return bytes;
}
const pose = (x) => [x, 0, 0, 0, 0, 0, 1, 1, 1, 1];

describe('a frame', () => {
  test('holds the soft pose and the artist’s, with the weights of morphs', () => {
    const frame = new frames.Frame();
    assert.ok(frame.read(frameOf({ flags: 3, nodes: 2, morphs: 1, poses: [[...pose(1), ...pose(2), 0.5], [...pose(3), ...pose(4), 0.25]] })));
    assert.deepEqual([frame.revision, frame.number, frame.change, frame.time, frame.ms], [3, 7, 5, 1.25, 2.5]);
    assert.deepEqual([frame.soft[0], frame.soft[10], frame.soft[20]], [1, 2, 0.5]);
    assert.deepEqual([frame.artist[0], frame.artist[10], frame.artist[20]], [3, 4, 0.25]);
  });

  test('shows the soft pose on both sides where it has one alone', () => {
    const frame = new frames.Frame();
    assert.ok(frame.read(frameOf({ nodes: 1, poses: [pose(6)] })));
    assert.equal(frame.artist[0], 6);
  });

  // Behind the poses of one node: the artist's points, then runs of those that differ; then nodes of cells.
  const withPoints = (artist, runs, cells) => {
    const head = frameOf({ flags: 2 | 16 | 32, nodes: 1, poses: [pose(1), pose(2)] });
    const counts = (numbers) => new Uint8Array(new Uint32Array(numbers).buffer), floats = (numbers) => new Uint8Array(new Float32Array(numbers).buffer);
    const blocks = [new Uint8Array(head), counts([artist.length / 3, runs.length]), floats(artist),
                    counts(runs.flatMap(({ first, points }) => [first, points.length / 3])), floats(runs.flatMap(({ points }) => points)),
                    counts([cells.length / 3]), floats(cells)];
    return Uint8Array.from(blocks.flatMap((block) => [...block])).buffer;
  };

  test('of points has those of the artist, and in the soft pose what differs', () => {
    const frame = new frames.Frame(), artist = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    assert.ok(frame.read(withPoints(artist, [{ first: 0, points: [9, 9, 9] }, { first: 2, points: [0, 0, 1] }], [5, 6, 7])));
    assert.deepEqual([...frame.artist.slice(10)], artist);
    assert.deepEqual([...frame.soft.slice(10)], [9, 9, 9, 4, 5, 6, 0, 0, 1]);
    assert.deepEqual([frame.soft[0], frame.artist[0], ...frame.cells], [1, 2, 5, 6, 7]);
    assert.ok(frame.read(withPoints(artist, [], [])));
    assert.deepEqual([...frame.soft.slice(10)], artist);
  });

  test('of points that claims more than it holds changes nothing', () => {
    const frame = new frames.Frame(), good = withPoints([1, 2, 3], [{ first: 0, points: [4, 5, 6] }], [1, 1, 1]);
    for (let length = 0; length < good.byteLength; length += 4) assert.equal(frame.read(good.slice(0, length)), false);
    assert.equal(frame.read(withPoints([1, 2, 3], [{ first: 1, points: [4, 5, 6] }], [])), false);
    assert.equal(frame.revision, -1);
  });

  test('is read into the same arrays again', () => {
    const frame = new frames.Frame(), bytes = frameOf({ nodes: 1, poses: [pose(1)] });
    frame.read(bytes);
    const { soft } = frame;
    frame.read(frameOf({ nodes: 1, poses: [pose(2)] }));
    assert.equal(frame.soft, soft);
    assert.equal(soft[0], 2);
  });

  test('that is cut short, or of another kind, changes nothing', () => {
    const frame = new frames.Frame(), bytes = frameOf({ nodes: 2, poses: [[...pose(1), ...pose(2)]] });
    assert.equal(frame.read(bytes.slice(0, 60)), false);
    assert.equal(frame.read(bytes.slice(0, 12)), false);
    new DataView(bytes).setUint32(0, 2, true);
    assert.equal(frame.read(bytes), false);
    assert.equal(frame.revision, -1);
  });
});

describe('the line to the server', () => {
  /// A line with a socket that a test speaks through. `said`: what the page hears; `sent`: what the server does.
  function connected() {
    const said = [], sent = [];
    globalThis.WebSocket = class {
      static OPEN = 1;
      readyState = 1;
      constructor() { this.made = globalThis.WebSocket.last = this; }
      send(text) { sent.push(JSON.parse(text)); }
    };
    const made = new line.Line((message) => said.push(message));
    made.take({ kind: 'open', socket: 'ws://x/socket', page: 'data:,' });
    const socket = globalThis.WebSocket.last;
    socket.onopen();
    const answers = () => said.filter(({ kind }) => kind === 'answer').map(({ id, ok, error }) => [id, ok ?? error?.problem ?? null]);
    return { made, said, sent, socket, answers, hear: (message) => socket.onmessage({ data: JSON.stringify(message) }) };
  }
  const send = (id, stream) => ({ kind: 'send', id, command: 'parts.set', args: { value: id }, stream });

  test('sends commands at once, and hands their answers to the page', () => {
    const { made, sent, answers, hear } = connected();
    made.take(send(1));
    made.take(send(2));
    assert.deepEqual(sent, [{ id: 1, do: 'parts.set', value: 1 }, { id: 2, do: 'parts.set', value: 2 }]);
    hear({ re: 2, ok: { change: 4 } });
    hear({ re: 1, error: { problem: 'is missing', remedy: 'give it', file: 'a.glb' } });
    assert.deepEqual(answers(), [[2, { change: 4 }], [1, 'is missing']]);
  });

  test('of a stream one command is under way, and of those that wait the latest is sent', () => {
    const { made, sent, answers, hear } = connected();
    for (const id of [1, 2, 3]) made.take(send(id, 'slider'));
    made.take(send(4, 'another'));
    assert.deepEqual(sent.map(({ id }) => id), [1, 4]);
    assert.deepEqual(answers(), [[2, null]], 'the second is left out');
    hear({ re: 1, ok: {} });
    assert.deepEqual(sent.map(({ id }) => id), [1, 4, 3]);
    hear({ re: 3, ok: {} });
    made.take(send(5, 'slider'));
    assert.deepEqual(sent.map(({ id }) => id), [1, 4, 3, 5]);
  });

  test('hands frames over whole, with the time at which they came', () => {
    const { said, socket } = connected(), bytes = frameOf({ nodes: 1, poses: [pose(1)] });
    socket.onmessage({ data: bytes });
    const frame = said.find(({ kind }) => kind === 'frame');
    assert.equal(frame.bytes, bytes);
    assert.ok(Math.abs(frame.at - Date.now()) < 60_000);
  });

  test('that breaks answers all commands, and the next too', async () => {
    const { made, answers, socket } = connected();
    made.take(send(1));
    for (const id of [2, 3]) made.take(send(id, 'slider'));
    socket.readyState = 3;
    socket.onclose();
    assert.deepEqual(answers().map(([id, problem]) => [id, /lost/.test(problem)]), [[1, true], [2, true], [3, true]]);
    made.take(send(4, 'slider'));
    assert.match(answers().at(-1)[1], /not connected/);
    await new Promise(setImmediate);
    made.take({ kind: 'open', socket: 'ws://x/socket', page: 'data:,' });  // takes the place of the attempt that waits
  });
});

describe('latencies', () => {
  test('end with the first frame that includes the change, before or after the answer', () => {
    const measured = new latencies.Latencies();
    measured.frame(4, 1000, 1001);
    measured.sent(1, 1010);
    measured.sent(2, 1015);
    measured.answered(1, 5);
    measured.frame(4, 1016, 1030);
    assert.equal(measured.ms.length, 0, 'that frame is older');
    measured.frame(6, 1032, 1050);
    assert.deepEqual([measured.ms, measured.seen], [[22], [40]], 'in the line, and in the page’s thread');
    measured.answered(2, 6);
    assert.deepEqual([measured.ms, measured.seen], [[22, 17], [40, 35]], 'its frame was there already');
  });

  test('leave out what changes nothing', () => {
    const measured = new latencies.Latencies();
    measured.frame(4, 1);
    measured.sent(1, 2);
    measured.answered(1, 4);
    measured.sent(2, 3);
    measured.answered(2, undefined);
    measured.frame(9, 4);
    assert.equal(measured.ms.length, 0);
  });
});

describe('the state', () => {
  test('is whole before anybody hears of it', () => {
    const state = new store.Store(), heard = [];
    state.on('job', (job) => heard.push([job, state.get('history')]));
    state.take({ job: null, history: { undo: ['a'], redo: [] } });
    assert.deepEqual(heard, [[null, { undo: ['a'], redo: [] }]]);
    const stop = state.on('job', () => heard.push('again'));
    assert.equal(heard.at(-1), 'again', 'called at once where there is a value');
    stop();
    state.take({ job: null });
    assert.equal(heard.length, 3);
  });

  test('a selection is heard of when it changes, and not else', () => {
    const selection = new store.Selection();
    let calls = 0;
    selection.on(() => { ++calls; });
    selection.set({ part: 'tail', candidate: 2 });
    selection.set({ part: 'tail' });
    assert.equal(calls, 2);
    assert.deepEqual([selection.part, selection.candidate], ['tail', 2]);
  });
});

describe('shares', () => {
  test('a point belongs to the candidate that most of it hangs on, if a tenth does', () => {
    const found = new shares.Shares(Uint8Array.from([255, 100, 10, 0, 0, 120, 20, 0]), 4);
    assert.equal(found.candidates, 2);
    assert.deepEqual([0, 1, 2, 3, 9].map((point) => found.candidateAt(point)), [0, 1, -1, -1, -1]);
    assert.deepEqual([...found.bytesOf(1)], [0, 120, 20, 0]);
  });
});

describe('the pace', () => {
  const played = (machine, ms, pictures, from = 0) => {
    let detail;
    for (let i = 0; i < pictures; ++i) { detail = machine.moving(1, from + 20 * i); machine.took(ms); }
    return detail;
  };

  test('pictures are simple only on a slow machine, and only while something moves', () => {
    const slow = new pace.Pace(true), card = new pace.Pace(false);
    assert.deepEqual(played(card, 10, 50), { ratio: 1, shadows: true, coarse: false });
    assert.equal(card.moving(2, 1000).ratio, 2, 'a card draws all pixels of the display');
    const simple = played(slow, 100, 50);
    assert.ok(simple.ratio < 1 && !simple.shadows && simple.coarse);
    const still = slow.best(1);
    assert.ok(still.ratio > 1 && still.shadows && !still.coarse, 'edges are smoothed');
  });

  test('one long picture is no slow machine, and after a rest a better one is tried', () => {
    const machine = new pace.Pace(true);
    played(machine, 16, 30);
    machine.took(2000);
    assert.equal(machine.moving(1, 700).shadows, true);
    const { ratio } = played(machine, 100, 50, 1000);
    assert.ok(machine.moving(1, 1e6).ratio > ratio);
  });
});

describe('a coarse character', () => {
  test('has few triangles while it is drawn, of the same vertices, and is as before after it', async () => {
    const { CoarseMeshes, Mesh, SphereGeometry, Group } = await moduleOf('coarse', `export * from './coarse'; export { Mesh, SphereGeometry, Group } from 'three';`);
    const fine = new SphereGeometry(1, 200, 200), mesh = new Mesh(fine), root = new Group();
    root.add(mesh);
    const drawn = [], meshes = new CoarseMeshes(root, [mesh]);
    meshes.draw(() => drawn.push(mesh.geometry));
    const triangles = drawn[0].index.count / 3;
    assert.equal(mesh.geometry, fine);
    assert.equal(drawn[0].attributes, fine.attributes);
    assert.ok(triangles > 3000 && triangles < 16000, `${triangles} of ${fine.index.count / 3}`);
    const box = (geometry) => { const used = new Set(geometry.index.array); return [0, 1, 2].map((k) => Math.max(...[...used].map((i) => geometry.attributes.position.getComponent(i, k)))); };
    assert.ok(box(drawn[0]).every((most) => most > 0.95), 'it is as large');
  });
});

describe('the rows of parts', () => {
  const candidate = (name, mode, score) => ({ name, preset: 'tail', pattern: name, kind: 'chain', nodes: [name], score, for: [`${name} hangs`], against: [`${name} is keyed`], mode });
  const parts = () => ({ chosen: [{ name: 'tail', preset: 'tail', reason: '', nodes: ['t'], candidate: 1 }], candidates: [
    candidate('foot', 'protected', 0.9), candidate('tail', 'soft', 0.8), candidate('arm', 'firm', 0.2), candidate('ear', 'firm', 0.6)] });

  test('what moves comes first, then what could, the likeliest first; what is protected last', () => {
    assert.deepEqual(rows.chosenEntries(parts(), { name: 'light' }).map(({ name, reason, mode }) => [name, reason, mode]), [['tail', 'tail hangs', 'soft']]);
    assert.deepEqual(rows.otherEntries(parts()).map(({ name, reason }) => [name, reason]),
                     [['ear', 'ear is keyed'], ['arm', 'arm is keyed'], ['foot', 'foot is keyed']]);
  });
});

describe('a pose', () => {
  const vector = () => ({ at: null, set(...values) { this.at = values; } });
  const node = () => ({ position: vector(), quaternion: vector(), scale: vector() });
  const root = () => ({ updated: 0, updateMatrixWorld() { ++this.updated; }, add() {} });

  test('goes onto nodes and morphs by their names; what the picture does not have is left out', () => {
    const tail = node(), mesh = { morphTargetInfluences: [0, 0] };
    const character = { root: root(), nodes: new Map([['tail', tail]]), meshes: [mesh],
                        morphs: { all: [{ group: 'face', name: 'smile', index: 1, meshes: [mesh] }] } };
    const file = { kind: 'nodes', nodes: ['hidden', 'tail'], morphs: ['face:frown', 'face:smile'] };
    driver.driverOf(character, file).apply([...pose(9), 1, 2, 3, 0, 0, 1, 0, 2, 2, 2, 0.1, 0.7]);
    assert.deepEqual([tail.position.at, tail.quaternion.at, tail.scale.at], [[1, 2, 3], [0, 0, 1, 0], [2, 2, 2]]);
    assert.deepEqual(mesh.morphTargetInfluences, [0, 0.7]);
    assert.equal(character.root.updated, 1);
  });

  test('of points goes onto all vertices, mesh after mesh, in the scene’s own axes', () => {
    const mesh = (count) => {
      const attribute = () => ({ count, array: new Float32Array(3 * count), getX(i) { return this.array[3 * i]; }, getY: () => 0, getZ: () => 0 });
      return { geometry: { attributes: { position: attribute(), normal: attribute() } }, position: vector(), scale: vector(),
               quaternion: { identity() { this.unit = true; } } };
    };
    const meshes = [mesh(1), mesh(3)], tail = node();
    const character = { root: root(), meshes, nodes: new Map([['tail', tail]]), morphs: { all: [] } };
    const xyz = [1, 2, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0];
    driver.driverOf(character, { kind: 'points', nodes: ['tail'], morphs: [] }).apply([...pose(5), ...xyz]);
    assert.deepEqual(meshes.flatMap(({ geometry }) => [...geometry.attributes.position.array]), xyz);
    assert.deepEqual([...meshes[1].geometry.attributes.normal.array], [0, 0, 1, 0, 0, 1, 0, 0, 1], 'seams share a normal');
    assert.equal(tail.position.at[0], 5);
    assert.deepEqual(meshes.map((m) => [m.position.at, m.quaternion.unit]), [[[0, 0, 0], true], [[0, 0, 0], true]]);
  });
});

describe('colours of parts', () => {
  test('stay while other parts come and go, and differ', () => {
    const theme = { name: 'light' }, part = (name) => ({ name }), color = (name) => colors.colorOfPart(part(name), theme);
    colors.assignColors('a.glb', ['tail', 'ear', 'belly'].map(part));
    const belly = color('belly'), tail = color('tail');
    colors.assignColors('a.glb', ['ear', 'belly'].map(part));
    assert.equal(color('belly'), belly);
    colors.assignColors('a.glb', ['hair', 'ear', 'belly'].map(part));
    assert.equal(color('hair'), tail, 'a free colour is used again');
    colors.assignColors('a.glb', ['hair', 'tail', 'ear', 'belly'].map(part));
    assert.equal(new Set(['hair', 'tail', 'ear', 'belly'].map(color)).size, 4);
    colors.assignColors('b.glb', [part('belly')]);
    assert.equal(color('belly'), tail, 'another file begins anew');
  });
});

describe('the clip to begin with', () => {
  const clip = (name, loop) => ({ name, loop });
  test('is a walk, else a loop, else the first', () => {
    const name = (...clips) => first.clipToBeginWith(clips)?.name;
    assert.equal(name(clip('Jump', false), clip('Run', true), clip('Walk_fast', true)), 'Walk_fast');
    assert.equal(name(clip('Jump', false), clip('Swim', true)), 'Swim');
    assert.equal(name(clip('Jump', false), clip('Hit', false)), 'Jump');
    assert.equal(name(), undefined);
  });
});

describe('an error in words', () => {
  test('names what it is about, and the remedy in a line of its own', async () => {
    // One bundle: the words must know the same class of errors.
    const { errorWords, CommandError } = await moduleOf('studio/error_words');
    const words = (problem, remedy, details) => errorWords(new CommandError(problem, remedy, details));
    assert.equal(words('is missing', 'the command needs it', { element: 'argument "candidate"', value: '' }),
                 'Argument "candidate" is missing.\nThe command needs it.');
    assert.equal(words('is not there', 'check the path', { file: '/a/b/hero.glb', element: '' }), 'hero.glb is not there.\nCheck the path.');
    assert.equal(words('must lie between 0 and 10', '', { element: 'amount', value: '12' }), 'Amount must lie between 0 and 10 (12).');
    assert.equal(errorWords(new Error('No line.')), 'No line.');
  });
});
