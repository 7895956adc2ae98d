// WebGL for a canvas, and whether a graphics card does the drawing.

const kAttributes: WebGLContextAttributes = { alpha: true, depth: true, stencil: false, premultipliedAlpha: true };

/// Without a graphics card edges are not smoothed while drawing: that takes software two to three times as long (Pace
/// smooths what stands still).
export function drawingContext(canvas: HTMLCanvasElement): { context: WebGL2RenderingContext; software: boolean } {
  const card = canvas.getContext('webgl2', { ...kAttributes, antialias: true, failIfMajorPerformanceCaveat: true });
  const context = card ?? canvas.getContext('webgl2', { ...kAttributes, antialias: false });
  if (!context) throw new Error('This browser offers no WebGL 2, which the page needs to draw; try another browser or machine.');
  return { context, software: card === null };
}

/// Says when the commands of a picture are carried out, without waiting for it.
export class DrawingFence {
  /// ms that the last picture took, as far as update() was called often; null while it is under way.
  took: number | null = 0;
  private sync: WebGLSync | null = null;
  private since = 0;

  constructor(private readonly gl: WebGL2RenderingContext) {}

  /// After the last command of a picture.
  set(): void {
    if (this.sync) this.gl.deleteSync(this.sync);
    this.sync = this.gl.fenceSync(this.gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    this.gl.flush();
    this.since = performance.now();
    this.took = null;
  }

  /// True when nothing is under way any more.
  update(): boolean {
    const { gl, sync } = this;
    if (this.took !== null) return true;
    if (sync && !gl.isContextLost() && gl.getSyncParameter(sync, gl.SYNC_STATUS) !== gl.SIGNALED) return false;
    gl.deleteSync(sync);
    this.sync = null;
    this.took = performance.now() - this.since;
    return true;
  }
}
