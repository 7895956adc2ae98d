// Small binary glTF files made in code, with answers that can be worked out by hand.

const kFloat = 5126, kByte = 5121, kShort = 5123;
const kMagenta = { pbrMetallicRoughness: { baseColorFactor: [1, 0, 1, 1] }, doubleSided: true,
                   extensions: { KHR_materials_unlit: {} } };

export class GlbWriter {
  json = { asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [], meshes: [], buffers: [],
           bufferViews: [], accessors: [], materials: [kMagenta], extensionsUsed: ['KHR_materials_unlit'] };
  parts = [];
  length = 0;

  /// The index of a new accessor over a typed array.
  accessor(array, type) {
    const components = { SCALAR: 1, VEC3: 3, VEC4: 4, MAT4: 16 }[type];
    const componentType = array instanceof Float32Array ? kFloat : array instanceof Uint8Array ? kByte : kShort;
    const count = array.length / components;
    const accessor = { bufferView: this.json.bufferViews.length, componentType, count, type };
    if (componentType === kFloat && components <= 4) {
      const column = (c) => [...array].filter((_, i) => i % components === c);
      accessor.min = Array.from({ length: components }, (_, c) => Math.min(...column(c)));
      accessor.max = Array.from({ length: components }, (_, c) => Math.max(...column(c)));
    }
    this.json.bufferViews.push({ buffer: 0, byteOffset: this.length, byteLength: array.byteLength });
    this.bytes(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    return this.json.accessors.push(accessor) - 1;
  }

  bytes(bytes) {
    const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
    padded.set(bytes);
    this.parts.push(padded);
    this.length += padded.length;
  }

  animation(name, channels) {
    const animation = { ...(name ? { name } : {}), samplers: [], channels: [] };
    for (const { node, path, times, values, type } of channels) {
      const input = this.accessor(new Float32Array(times), 'SCALAR');
      const output = this.accessor(new Float32Array(values), type);
      animation.channels.push({ sampler: animation.samplers.length, target: { node, path } });
      animation.samplers.push({ input, output, interpolation: 'LINEAR' });
    }
    (this.json.animations ??= []).push(animation);
  }

  finish() {
    this.json.buffers = [{ byteLength: this.length }];
    const text = Buffer.from(JSON.stringify(this.json));
    const json = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, ' ')]);
    const header = Buffer.from('glTF0000000000000000');
    header.writeUInt32LE(2, 4);
    header.writeUInt32LE(12 + 8 + json.length + 8 + this.length, 8);
    header.writeUInt32LE(json.length, 12);
    header.write('JSON', 16, 'latin1');
    const binary = Buffer.from('0000BIN\0', 'latin1');
    binary.writeUInt32LE(this.length, 0);
    return Buffer.concat([header, json, binary, ...this.parts]);
  }
}

const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
const down = (y) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -y, 0, 1];
const kTurn = Math.SQRT1_2;  // a quarter turn about z is the quaternion (0, 0, kTurn, kTurn)

/// A strip up the y axis in three rows: y = 0 follows `root` (at 0), y = 2 follows `tip` (at height 1), y = 1 both
/// alike, with weights that sum to 2. Morph "wide" moves its right side by +1. Clips: "bend" turns the tip a quarter
/// about z in a second; "bend" again only widens; one without a name lifts the root by 1; "pose" is a single key.
export function bendingStrip({ scale = 1 } = {}) {
  const glb = new GlbWriter();
  stripMesh(glb, scale);
  const s = scale;
  glb.animation('bend', [{ node: 2, path: 'rotation', times: [0, 1], values: [0, 0, 0, 1, 0, 0, kTurn, kTurn], type: 'VEC4' }]);
  glb.animation('bend', [{ node: 0, path: 'weights', times: [0, 1], values: [0, 1], type: 'SCALAR' }]);
  glb.animation('', [{ node: 1, path: 'translation', times: [0, 1], values: [0, 0, 0, 0, s, 0], type: 'VEC3' }]);
  glb.animation('pose', [{ node: 1, path: 'translation', times: [0], values: [0, 0.5 * s, 0], type: 'VEC3' }]);
  return glb.finish();
}

function stripMesh(glb, s) {
  const position = glb.accessor(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0, 1, 2, 0].map((v) => v * s)), 'VEC3');
  const wide = glb.accessor(new Float32Array([0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0].map((v) => v * s)), 'VEC3');
  const joints = glb.accessor(new Uint8Array([0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]), 'VEC4');
  const weights = glb.accessor(new Float32Array([1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]), 'VEC4');
  const indices = glb.accessor(new Uint16Array([0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5]), 'SCALAR');
  glb.json.meshes.push({ name: 'strip', extras: { targetNames: ['wide'] }, primitives: [{
    attributes: { POSITION: position, JOINTS_0: joints, WEIGHTS_0: weights }, indices, material: 0,
    targets: [{ POSITION: wide }] }] });
  glb.json.nodes = [{ name: 'strip', mesh: 0, skin: 0, translation: [5, 5, 5] },  // to be ignored: the mesh is skinned
                    { name: 'root', children: [2] }, { name: 'tip', translation: [0, s, 0] }];
  glb.json.scenes = [{ nodes: [0, 1] }];
  const inverse = glb.accessor(new Float32Array([...identity, ...down(s)]), 'MAT4');
  glb.json.skins = [{ joints: [1, 2], inverseBindMatrices: inverse }];
}

/// The strip in two clips, "nod" and "nod_soft". After t seconds of nod the tip has turned by t about z, and the strip is
/// t/2 wide. nod_soft adds to that: 0.5 t about the tip's own x, a shift of the tip by 0.2 t along y, a scale of it by
/// 1 + 0.1 t along x, and t/4 of width. "lift" raises the root, which "lift_soft" leaves alone.
export function softStrip() {
  const glb = new GlbWriter();
  stripMesh(glb, 1);
  const times = Array.from({ length: 25 }, (_, i) => i / 24);
  const rotation = (soft) => times.flatMap((t) => {
    const [c, s, d, e] = [Math.cos(t / 2), Math.sin(t / 2), Math.cos(soft * t / 4), Math.sin(soft * t / 4)];
    return [c * e, s * e, s * d, c * d];  // about z, then about the turned x
  });
  const turn = (soft) => ({ node: 2, path: 'rotation', times, values: rotation(soft), type: 'VEC4' });
  const width = (rate) => ({ node: 0, path: 'weights', times: [0, 1], values: [0, rate], type: 'SCALAR' });
  glb.animation('nod', [turn(0), width(0.5)]);
  glb.animation('nod_soft', [turn(1), width(0.75),
    { node: 2, path: 'translation', times: [0, 1], values: [0, 1, 0, 0, 1.2, 0], type: 'VEC3' },
    { node: 2, path: 'scale', times: [0, 1], values: [1, 1, 1, 1.1, 1, 1], type: 'VEC3' }]);
  glb.animation('lift', [{ node: 1, path: 'translation', times: [0, 1], values: [0, 0, 0, 0, 1, 0], type: 'VEC3' }]);
  glb.animation('lift_soft', [turn(1)]);
  return glb.finish();
}

/// A unit square with its middle at `y`, standing still.
export function square({ y = 0, required = [], image = '' } = {}) {
  const glb = new GlbWriter();
  glb.json.nodes = [{ mesh: 0, translation: [0, y, 0] }];
  glb.json.meshes = [{ primitives: [{ attributes: { POSITION: squarePositions(glb) }, indices: squareIndices(glb), material: 0 }] }];
  if (required.length > 0) Object.assign(glb.json, { extensionsRequired: required });
  if (image) {
    glb.json.images = [{ uri: image }];
    glb.json.textures = [{ source: 0 }];
    glb.json.materials = [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }];
  }
  return glb.finish();
}

/// The same square, of which a quarter of the weight, in JOINTS_0, stays at 0 and three quarters, in JOINTS_1, follow a
/// joint at height 4: its middle is at 3.
export function squareOfEightInfluences() {
  const glb = new GlbWriter();
  const four = (values) => [0, 1, 2, 3].flatMap(() => values);
  const attributes = {
    POSITION: squarePositions(glb),
    JOINTS_0: glb.accessor(new Uint8Array(four([0, 0, 0, 0])), 'VEC4'),
    WEIGHTS_0: glb.accessor(new Float32Array(four([0.25, 0, 0, 0])), 'VEC4'),
    JOINTS_1: glb.accessor(new Uint8Array(four([1, 1, 0, 0])), 'VEC4'),
    WEIGHTS_1: glb.accessor(new Float32Array(four([0.5, 0.25, 0, 0])), 'VEC4'),
  };
  glb.json.meshes = [{ primitives: [{ attributes, indices: squareIndices(glb), material: 0 }] }];
  glb.json.nodes = [{ mesh: 0, skin: 0 }, { name: 'low' }, { name: 'high', translation: [0, 4, 0] }];
  glb.json.scenes = [{ nodes: [0, 1, 2] }];
  glb.json.skins = [{ joints: [1, 2] }];
  return glb.finish();
}

const squarePositions = (glb) =>
  glb.accessor(new Float32Array([-0.5, -0.5, 0, 0.5, -0.5, 0, -0.5, 0.5, 0, 0.5, 0.5, 0]), 'VEC3');
const squareIndices = (glb) => glb.accessor(new Uint16Array([0, 1, 2, 2, 1, 3]), 'SCALAR');
