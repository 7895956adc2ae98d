// The cells of soft parts (the outer edges of their tetrahedra) as lines that follow the body.

import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments } from 'three';
import { Studio } from './panel';

export class CellsOverlay extends LineSegments<BufferGeometry, LineBasicMaterial> {
  private revision = -1;  ///< of the edges that are there
  private on = false;

  constructor(private readonly studio: Studio) {
    super(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.55, depthTest: false, depthWrite: false }));
    this.frustumCulled = false;
    this.renderOrder = 15;
    this.visible = false;
    studio.stage.addOverlay(this);
    studio.stage.onFrame(() => this.follow());
    studio.store.on('play', ({ cells }) => { this.on = !!cells; this.change(); });
    studio.store.on('file', () => this.change());
    studio.onTheme(({ name }) => { this.material.color.set(name === 'dark' ? '#ffd28a' : '#8a3d00'); });
  }

  private change(): void {
    this.visible = false;
    const revision = this.studio.store.get('file')?.revision ?? -1;
    if (this.on && revision >= 0 && revision !== this.revision) void this.fetch(revision);
    this.follow();
  }

  private async fetch(revision: number): Promise<void> {
    const answer = await fetch(`/file/${revision}/cells.bin${location.search}`);
    if (!answer.ok || revision !== this.studio.store.get('file')?.revision) return;
    const numbers = new Uint32Array(await answer.arrayBuffer()), nodes = numbers[0];
    this.geometry.dispose();
    this.geometry = new BufferGeometry();
    this.geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * nodes), 3));
    this.geometry.setIndex(new BufferAttribute(numbers.slice(2), 1));
    this.revision = revision;
    this.follow();
  }

  private follow(): void {
    const { stage } = this.studio, { frame } = stage, position = this.geometry.attributes.position as BufferAttribute | undefined;
    this.visible = this.on && frame.revision === this.revision && !!position && frame.cells.length === 3 * position.count && position.count > 0;
    if (!this.visible) return;
    (position!.array as Float32Array).set(frame.cells);
    position!.needsUpdate = true;
    stage.invalidate();
  }
}
