// Onion skins: the soft pose some frames earlier and later, as ghosts, while the clip stands still.

import { Over } from '../soft/split';
import { Connection } from './connection';
import { ArrayPose } from './pose_driver';
import { Store } from './store';

const kSteps = [-2, -1, 1, 2];
const kFrames = 3;  // between two skins
const kPast = '#3b82d9', kFuture = '#d9713b';

export class Onion {
  private on = false;
  private asked = '';
  private poses: { pose: ArrayPose; step: number }[] = [];

  /// `put` puts a pose on the character; `changed`: other ghosts are to be drawn.
  constructor(private readonly connection: Connection, private readonly store: Store,
              private readonly put: (pose: ArrayPose) => void, private readonly changed: () => void) {}

  set visible(on: boolean) {
    this.on = on;
    this.asked = '';
    this.update();
  }

  ghosts(): readonly Over[] {
    return this.poses.map(({ pose, step }) => ({
      pose: () => this.put(pose),
      ghost: { color: step < 0 ? kPast : kFuture, opacity: Math.abs(step) === 1 ? 0.34 : 0.18 },
    }));
  }

  /// After every change of what is played.
  update(): void {
    const play = this.store.get('play'), file = this.store.get('file');
    const clip = file?.clips.find(({ name }) => name === play?.clip);
    if (!this.on || !play || !clip || play.playing) return this.clear();
    const times = kSteps.map((step) => ({ step, time: play.time + (step * kFrames) / clip.rate }))
      .map(({ step, time }) => ({ step, time: play.loop ? (time + clip.duration) % clip.duration : time }))
      .filter(({ time }) => time >= 0 && time <= clip.duration);
    const question = JSON.stringify([file?.revision, clip.name, times, this.store.get('parts')?.chosen]);
    if (question === this.asked) return;
    this.asked = question;
    this.connection.send<{ poses: number[][] }>('poses.at', { times: times.map(({ time }) => time) }).then(({ poses }) => {
      if (question !== this.asked) return;
      this.poses = poses.map((pose, i) => ({ pose, step: times[i].step }));
      this.changed();
    }).catch(() => { if (question === this.asked) this.clear(); });
  }

  private clear(): void {
    this.asked = '';
    if (this.poses.length === 0) return;
    this.poses = [];
    this.changed();
  }
}
