import { setImmediate as nextTurn } from 'node:timers/promises';
import { UnskewError } from '../../errors.js';
import { type Progress, startProgress } from '../../outputs/text/progress.js';
import type { CommandIo } from '../cli/io.js';
import type { InSteps } from './in-steps.js';

/** Longest time for which work blocks signals and the terminal, ms. */
const TURN_MS = 50;

/** Lets long work on the main thread show its progress on a terminal and stop on a signal. */
export class Turns {
  readonly #progress: Progress;
  #turnEnds = performance.now() + TURN_MS;

  /** @param label name of the work, e.g. `learning`. The caller ends the progress display. */
  constructor(
    label: string,
    private readonly io: CommandIo,
  ) {
    this.#progress = startProgress(label, io);
  }

  /**
   * Show progress and process signals, if the last time was long enough ago. @throws UnskewError
   * INTERRUPTED when the process is asked to stop
   */
  async after(done: number, most: number): Promise<void> {
    if (performance.now() < this.#turnEnds) return;
    this.#progress.update(done, most);
    await nextTurn();
    if (this.io.signal.aborted) throw new UnskewError('INTERRUPTED', 'interrupted');
    this.#turnEnds = performance.now() + TURN_MS;
  }

  stop(): void {
    this.#progress.stop();
  }
}

/**
 * Run work step by step to its result, with progress. @throws as `Turns.after`, and errors of the
 * work
 */
export async function inTurns<Result>(
  label: string,
  work: InSteps<Result>,
  io: CommandIo,
): Promise<Result> {
  const turns = new Turns(label, io);
  try {
    for (;;) {
      const step = work.next();
      if (step.done === true) return step.value;
      await turns.after(step.value.done, step.value.most);
    }
  } finally {
    turns.stop();
  }
}
