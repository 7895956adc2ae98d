// The split view as a film: every frame is posed, drawn and handed to the recorder, whatever the display does meanwhile.

import { Pair } from './comparison';
import { EncodedFrame, webm } from './webm';

const kTypes = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'];
const kCodecs = [{ name: 'vp09.00.41.08', id: 'V_VP9' }, { name: 'vp8', id: 'V_VP8' }] as const;
const kBitsPerPixel = 0.25;  // of a frame
const kMostRate = 60;
const kKeyEvery = 2;         // s

/// A sentence where this browser cannot record, else empty.
export function whyNoRecording(): string {
  if (typeof VideoEncoder !== 'undefined') return '';
  if (typeof MediaRecorder === 'undefined' || !HTMLCanvasElement.prototype.captureStream)
    return 'This browser cannot record video; open the page in Chrome, Edge or Firefox.';
  if (!kTypes.some((type) => MediaRecorder.isTypeSupported(type)))
    return 'This browser records no WebM video; open the page in Chrome, Edge or Firefox.';
  return '';
}

/// What `framesOf` needs of a clip.
export type Filmed = Pick<Pair, 'duration' | 'frameRate'> & { options: { loop?: boolean; period?: number } };

/// Times of the frames, s: of a loop one turn without the frame that closes it, else the whole clip with both ends.
export function framesOf(pair: Filmed): { times: number[]; rate: number } {
  const rate = Math.min(kMostRate, pair.frameRate || 30);
  const length = pair.options.loop ? Math.max(pair.options.period ?? 0, pair.duration) : pair.duration;
  const steps = Math.max(1, Math.round(length * rate));
  const count = pair.options.loop ? steps : steps + 1;
  return { times: Array.from({ length: count }, (_, i) => Math.min((length * i) / steps, pair.duration)), rate };
}

/// hero_Walk.webm for hero.soft.glb and Armature|Walk.
export function videoName(title: string, clip: string): string {
  const stem = title.replace(/\.\w+$/, '').replace(/\.soft$/, '');
  const own = clip.slice(1 + Math.max(...['|', ':', '/'].map((mark) => clip.lastIndexOf(mark))));
  const plain = (text: string) => text.replace(/[^\p{L}\p{N}._-]+/gu, '_');
  return `${plain(stem)}_${plain(own)}.webm`;
}

export interface Film {
  size: { width: number; height: number };  ///< pixels
  times: readonly number[];  ///< of the clip, s
  rate: number;              ///< frames a second
  draw: (pen: CanvasRenderingContext2D, time: number) => void | Promise<void>;  ///< a promise: drawn when it is kept
  progress: (done: number) => void;  ///< frames so far
}

/// The film as WebM; null when it was cancelled. Where the browser encodes single frames, each of them is in the film,
/// at its time to the millisecond, however long drawing takes; elsewhere its recorder decides.
export async function record(film: Film, signal: AbortSignal): Promise<Blob | null> {
  const canvas = document.createElement('canvas');
  canvas.width = film.size.width - (film.size.width % 2);  // video encoders want even sizes
  canvas.height = film.size.height - (film.size.height % 2);
  const pen = canvas.getContext('2d', { alpha: false })!;
  const bitrate = Math.round(kBitsPerPixel * canvas.width * canvas.height * film.rate);
  const config = await encoderConfig({ width: canvas.width, height: canvas.height, bitrate, framerate: film.rate });
  return config ? encode(film, pen, config, signal) : captureLive(film, pen, bitrate, signal);
}

type Config = VideoEncoderConfig & { id: 'V_VP8' | 'V_VP9' };

/// The first codec that this browser encodes; null: none.
async function encoderConfig(size: Omit<VideoEncoderConfig, 'codec'>): Promise<Config | null> {
  if (typeof VideoEncoder === 'undefined') return null;
  for (const { name, id } of kCodecs) {
    const { supported } = await VideoEncoder.isConfigSupported({ ...size, codec: name }).catch(() => ({ supported: false }));
    if (supported) return { ...size, codec: name, id };
  }
  return null;
}

async function encode(film: Film, pen: CanvasRenderingContext2D, { id, ...config }: Config,
                      signal: AbortSignal): Promise<Blob | null> {
  const frames: EncodedFrame[] = [];
  let failure: Error | null = null;
  const encoder = new VideoEncoder({ error: (error) => { failure = error; }, output: (chunk) => {
    const bytes = new Uint8Array(chunk.byteLength);
    chunk.copyTo(bytes);
    frames.push({ bytes, milliseconds: Math.round(chunk.timestamp / 1000), key: chunk.type === 'key' });
  } });
  encoder.configure(config);
  const keyEvery = Math.round(kKeyEvery * film.rate);
  for (const [i, time] of film.times.entries()) {
    if (signal.aborted || failure) break;
    await film.draw(pen, time);
    const microseconds = (frames: number) => Math.round((1e6 * frames) / film.rate);
    const frame = new VideoFrame(pen.canvas, { timestamp: microseconds(i), duration: microseconds(1) });
    encoder.encode(frame, { keyFrame: i % keyEvery === 0 });
    frame.close();
    film.progress(i + 1);
    await nextFrame();  // the page shows how far it is, and takes keys
  }
  if (!failure && !signal.aborted) await encoder.flush();
  if (encoder.state !== 'closed') encoder.close();
  if (failure) throw failure;
  const { width, height } = pen.canvas;
  return signal.aborted ? null : webm({ codec: id, width, height, rate: film.rate }, frames);
}

/// The recorder stamps frames with the time at which it gets them, so each waits for its moment. It may leave some out.
async function captureLive(film: Film, pen: CanvasRenderingContext2D, bitrate: number,
                           signal: AbortSignal): Promise<Blob | null> {
  await film.draw(pen, film.times[0]);
  const stream = pen.canvas.captureStream(0);
  const [track] = stream.getVideoTracks() as CanvasCaptureMediaStreamTrack[];
  const recorder = new MediaRecorder(stream, { mimeType: kTypes.find((type) => MediaRecorder.isTypeSupported(type)),
                                               videoBitsPerSecond: bitrate });
  const blobs: Blob[] = [];
  recorder.ondataavailable = ({ data }) => blobs.push(data);
  const stopped = new Promise((done) => { recorder.onstop = done; });
  const started = new Promise((done) => { recorder.onstart = done; });
  recorder.start();
  await started;
  let moment = performance.now();
  for (const [i, time] of film.times.entries()) {
    if (signal.aborted) break;
    track.requestFrame();
    await film.draw(pen, time);
    film.progress(i + 1);
    moment = Math.max(moment + 1000 / film.rate, await nextFrame());
    await until(moment);
  }
  recorder.stop();
  await stopped;
  track.stop();
  return signal.aborted ? null : new Blob(blobs, { type: 'video/webm' });
}

function nextFrame(): Promise<number> { return new Promise((done) => requestAnimationFrame(() => done(performance.now()))); }

function until(moment: number): Promise<void> {
  return new Promise((done) => setTimeout(done, Math.max(0, moment - performance.now())));
}
