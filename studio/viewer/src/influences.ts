// Skins with more than four influences a vertex. three.js draws JOINTS_0 alone; here the further sets join in.

import { BufferAttribute, Material, Mesh, MeshDepthMaterial, RGBADepthPacking, SkinnedMesh } from 'three';
import { influenceSets } from './vertices';

/// three.js scales WEIGHTS_0 alone to sum to one, in the file's own integers: wrong where there are further sets, and
/// coarse. Here all sets are scaled together, as floats. A vertex without any weight follows its first joint.
export function normalizeAllInfluences(): void {
  SkinnedMesh.prototype.normalizeSkinWeights = function (this: SkinnedMesh): void {
    const sets = influenceSets(this);
    const count = this.geometry.attributes.position.count;
    const scaled = sets.map(() => new Float32Array(4 * count));
    for (let i = 0; i < count; ++i) {
      let sum = 0;
      for (const { weights } of sets) for (let k = 0; k < 4; ++k) sum += weights.getComponent(i, k);
      if (sum > 0)
        sets.forEach(({ weights }, s) => {
          for (let k = 0; k < 4; ++k) scaled[s][4 * i + k] = weights.getComponent(i, k) / sum;
        });
      else
        scaled[0][4 * i] = 1;
    }
    scaled.forEach((weights, s) =>
      this.geometry.setAttribute(s === 0 ? 'skinWeight' : `weights_${s}`, new BufferAttribute(weights, 4)));
  };
}

/// Makes the material, and the one that casts its shadow, read the mesh's further influences.
export function drawAllInfluences(mesh: Mesh): void {
  const sets = influenceSets(mesh).length;
  if (!(mesh instanceof SkinnedMesh) || sets < 2) return;
  mesh.material = withInfluences(mesh.material as Material, sets);
  mesh.customDepthMaterial = withInfluences(new MeshDepthMaterial({ depthPacking: RGBADepthPacking }), sets);
}

export function withInfluences<M extends Material>(material: M, sets: number): M {
  if (sets < 2) return material;
  const extended = material.clone();
  extended.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace('#include <skinning_pars_vertex>', `#include <skinning_pars_vertex>\n${declarations(sets)}`)
      .replace('#include <skinnormal_vertex>', kSkinNormal)
      .replace('#include <skinning_vertex>', kSkinPosition);
  };
  extended.customProgramCacheKey = () => `influences${sets}`;
  return extended;
}

function declarations(sets: number): string {
  const kinds = [{ joints: 'skinIndex', weights: 'skinWeight' }];
  for (let i = 1; i < sets; ++i) kinds.push({ joints: `joints_${i}`, weights: `weights_${i}` });
  const inputs = kinds.slice(1).map((k) => `attribute vec4 ${k.joints};\nattribute vec4 ${k.weights};`).join('\n');
  const sums = kinds.flatMap((k) => ['x', 'y', 'z', 'w'].map((c) =>
    `m += ${k.weights}.${c} * getBoneMatrix( ${k.joints}.${c} );`)).join('\n');
  return `#ifdef USE_SKINNING\n${inputs}\nmat4 blendedBones() {\nmat4 m = mat4( 0.0 );\n${sums}\nreturn m;\n}\n#endif`;
}

const kSkinNormal = `
#ifdef USE_SKINNING
  mat4 skinMatrix = bindMatrixInverse * blendedBones() * bindMatrix;
  objectNormal = ( skinMatrix * vec4( objectNormal, 0.0 ) ).xyz;
  #ifdef USE_TANGENT
    objectTangent = ( skinMatrix * vec4( objectTangent, 0.0 ) ).xyz;
  #endif
#endif`;

const kSkinPosition = `
#ifdef USE_SKINNING
  transformed = ( bindMatrixInverse * ( blendedBones() * ( bindMatrix * vec4( transformed, 1.0 ) ) ) ).xyz;
#endif`;
