import type { IdKind, Sweep } from './id-tables.js';
import { runSliced, type Turns } from './sliced.js';

/** What has tables of ids. */
export interface SweptIds {
  /** A sweep that is due, to be run while no pane closes and nothing is written. */
  dueSweep(): Sweep | undefined;
}

export interface Swept {
  readonly kind: IdKind;
  readonly forgotten: number;
  /** How long it took in all, turns of others included, s. */
  readonly seconds: number;
}

/** Longest stretch of work between two turns of the event loop, ms. */
const SLICE_MS = 1;

/**
 * Runs the sweeps that are due, in slices.
 *
 * @param atRest runs work while no pane closes and nothing is written
 * @param told called with what each has done
 */
export async function sweepIds(
  ids: SweptIds,
  turns: Turns,
  atRest: (work: () => Promise<void>) => Promise<void>,
  told: (swept: Swept) => void,
): Promise<void> {
  for (let sweep = ids.dueSweep(); sweep !== undefined; sweep = ids.dueSweep()) {
    const { kind, run } = sweep;
    await atRest(async () => {
      const start = turns.now();
      const forgotten = await runSliced(run(), turns, undefined, SLICE_MS);
      told({ kind, forgotten, seconds: (turns.now() - start) / 1000 });
    });
  }
}
