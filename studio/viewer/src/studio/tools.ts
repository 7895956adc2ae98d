// A tool takes the pointer over the stage while it is active. One is active at a time, or none.

export interface Tool {
  readonly id: string;
  readonly title: string;
  readonly icon: string;
  readonly key: string;    ///< letter in lower case that turns it on and off
  readonly about: string;  ///< what the pointer does then, in one sentence
  active(on: boolean): void;
}
