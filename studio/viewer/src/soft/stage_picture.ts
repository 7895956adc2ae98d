// The stage as a picture of its own, with what HTML lays over the canvas.

/// The stage as it is seen: its background, the canvas, the line and the labels over it, and a caption.
export function drawStage(pen: CanvasRenderingContext2D, stage: HTMLElement, canvas: HTMLCanvasElement, caption: string): void {
  const { width, height } = pen.canvas;
  const style = getComputedStyle(stage), ink = (name: string) => style.getPropertyValue(name).trim();
  const scale = width / stage.clientWidth;
  const back = pen.createRadialGradient(width / 2, 0.45 * height, 0, width / 2, 0.45 * height, 1.1 * Math.max(width, height));
  back.addColorStop(0, ink('--back-near'));
  back.addColorStop(1, ink('--back-far'));
  pen.fillStyle = back;
  pen.fillRect(0, 0, width, height);
  pen.drawImage(canvas, 0, 0, width, height);
  pen.save();
  pen.scale(scale, scale);
  const corner = stage.getBoundingClientRect();
  const divider = stage.querySelector<HTMLElement>('.divider')!;
  if (getComputedStyle(divider).display !== 'none') {
    const box = divider.getBoundingClientRect(), upright = box.height > box.width;
    pen.fillStyle = ink('--line');
    if (upright) pen.fillRect(box.left - corner.left + box.width / 2 - 0.5, 0, 1, corner.height);
    else pen.fillRect(0, box.top - corner.top + box.height / 2 - 0.5, corner.width, 1);
  }
  pen.textBaseline = 'middle';
  for (const label of stage.querySelectorAll<HTMLElement>('.side:not([hidden])')) {
    const box = label.getBoundingClientRect();
    pen.fillStyle = ink('--surface');
    pen.beginPath();
    pen.roundRect(box.left - corner.left, box.top - corner.top, box.width, box.height, 7);
    pen.fill();
    pen.fillStyle = getComputedStyle(label).color;
    pen.font = `600 13px ${style.fontFamily}`;
    pen.fillText(label.textContent ?? '', box.left - corner.left + 9, box.top - corner.top + box.height / 2 + 0.5);
  }
  pen.fillStyle = ink('--quiet');
  pen.font = `12px ${style.fontFamily}`;
  pen.fillText(caption, 16, stage.clientHeight - 16);
  pen.restore();
}
