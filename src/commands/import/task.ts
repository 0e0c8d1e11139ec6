import { UnskewError } from '../../errors.js';
import { hash64 } from '../../events/hash.js';
import type { EventFiles } from '../files/event-files.js';
import type { ModelLists } from './model-lists.js';

/** Input of a data set's importer, with checked options. */
export interface ImportTask {
  /** Folder with the published files. */
  readonly dir: string;
  /** Campaign to import, for a data set with several. */
  readonly campaign: string | undefined;
  readonly files: EventFiles;
  readonly split: SplitOptions;
  readonly listLength: number;
  /** Learned models whose lists are added to those of the two rankers. */
  readonly models: ModelLists;
  readonly onProgress: (done: number, total: number) => void;
}

export interface SplitOptions {
  /**
   * How events are split into a train and a held-out part. `given`: as the data set itself splits
   * them. `time`: the first `ratio` of the interactions by time are train. `hash`: a hash of an
   * event's id decides about the event. By default, the first split that the data set supports.
   */
  readonly split?: 'given' | 'time' | 'hash';
  /** Share of events in the train part, 0.8 by default. */
  readonly ratio?: number;
  /** Seed of the hash, 1 by default. */
  readonly seed?: number;
}

/**
 * Check the options of the split, and fill in the default split.
 *
 * @throws UnskewError USAGE if an option is out of range or would have no effect.
 */
export function checkSplit(
  dataset: string,
  options: SplitOptions,
  known: readonly NonNullable<SplitOptions['split']>[],
): SplitOptions {
  const split = options.split ?? known[0];
  if (!known.includes(split)) {
    throw new UnskewError(
      'USAGE',
      `${dataset} has no split ${split}, expected ${known.join(', ')}`,
    );
  }
  if (split === 'given' && options.ratio !== undefined) {
    throw new UnskewError('USAGE', `${dataset} is already split: --ratio has no effect`);
  }
  const ratio = options.ratio ?? 0.8;
  if (!(ratio > 0 && ratio < 1)) {
    throw new UnskewError('USAGE', `ratio is ${ratio}, expected a number between 0 and 1`);
  }
  if (split !== 'hash' && options.seed !== undefined) {
    throw new UnskewError(
      'USAGE',
      `--seed has an effect only with --split hash, not with ${split}`,
    );
  }
  const seed = options.seed ?? 1;
  if (!Number.isSafeInteger(seed)) {
    throw new UnskewError('USAGE', `seed is ${seed}, expected a whole number`);
  }
  return {
    split,
    ratio,
    seed,
  };
}

/**
 * Decide for each event, by index, whether it is held out.
 *
 * `time`: an event is held out from the time on at which the train share is reached, so events of
 * the same time stay together. `hash`: an event is held out if the hash of its id and the seed is
 * not below the train share.
 *
 * @param events in time order
 */
export function heldOut(
  events: readonly {
    readonly id: string;
    readonly ts: number;
  }[],
  { split, ratio = 0.8, seed = 1 }: SplitOptions,
): boolean[] {
  if (split === 'hash') {
    const halves = new Int32Array(2);
    return events.map(({ id }) => {
      const bytes = Buffer.from(`${seed}:${id}`);
      hash64(bytes, 0, bytes.length, halves);
      return (halves[0] >>> 0) / 0x1_0000_0000 >= ratio;
    });
  }
  const cut = events[Math.floor(events.length * ratio)];
  return events.map(({ ts }) => ts >= cut.ts);
}
