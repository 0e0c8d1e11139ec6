import { type Observable, Subject } from 'rxjs';
import type { TrueValue } from '../../simulation/truth.js';
import type { Pipeline } from '../../stream/pipeline.js';
import type { Snapshot } from '../../stream/snapshot.js';

/** True values at an event time, where the traffic is simulated. */
export type Truth = (atMs: number) => readonly TrueValue[];

/** The newest snapshot, for as long as this process is the one that concludes the panes. */
export class LatestSnapshot {
  readonly #snapshots$ = new Subject<Snapshot>();
  readonly #withdrawn$ = new Subject<void>();
  #latest: Snapshot | undefined;

  constructor(pipeline: Pipeline, truth?: Truth) {
    pipeline.ticks$.subscribe(({ snapshot }) => {
      this.#latest =
        truth === undefined ? snapshot : { ...snapshot, truth: truth(snapshot.paneEnd - 1) };
      this.#snapshots$.next(this.#latest);
    });
    pipeline.assigned$.subscribe(() => {
      if (pipeline.sharing?.evaluates !== false) return;
      // The worker that now concludes the panes shows their numbers; those here would only grow old.
      this.#latest = undefined;
      this.#withdrawn$.next();
    });
  }

  /** Undefined before the first, and where another process has them. */
  get value(): Snapshot | undefined {
    return this.#latest;
  }

  get snapshots$(): Observable<Snapshot> {
    return this.#snapshots$;
  }

  /** Another process has the snapshots from now on. */
  get withdrawn$(): Observable<void> {
    return this.#withdrawn$;
  }
}
