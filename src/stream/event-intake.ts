import {
  EARNS,
  type ExposureColumns,
  type InteractionColumns,
  LATE,
  POSITIVE,
} from '../events/columns.js';
import type { RecentIds } from '../state/ids/recent-ids.js';
import type { OpenPane } from '../state/panes/open-pane.js';
import { actionWorths, earningValues } from './options.js';
import type { Outcomes } from './outcomes.js';
import type { Partitions } from './partitions.js';
import type { TopicRole } from './ports.js';

/**
 * Takes decoded events in, in log order: an event that came before is dropped, lateness is judged
 * by the newest event of its own topic-partition, and the event goes into the open pane of its
 * time. Nothing is attributed yet. One loop for each kind: it runs for every event.
 */
export class EventIntake {
  readonly #partitions: Partitions;
  /** Of codes from −1 on, whether such an action is worth anything; undefined where all are. */
  readonly #isWorth: Uint8Array | undefined;
  /** By the same, whether the value is what such an action earns; undefined where none does. */
  readonly #earns: Uint8Array | undefined;

  constructor(partitions: Partitions) {
    this.#partitions = partitions;
    const { actions } = partitions.options;
    this.#isWorth = actions && actionWorths(partitions.options).worthwhile();
    this.#earns = earningValues(partitions.options);
  }

  /** @param sourceNewest newest event time of the row's source, where records have sources */
  acceptInteractions(
    partition: number,
    columns: InteractionColumns,
    outcomes: Outcomes,
    sourceNewest?: Float64Array,
  ): void {
    if (columns.length === 0) return;
    const { watermarks, options } = this.#partitions;
    const { tickMs, latenessMs, positiveMinValue } = options;
    const { state, seen, closedThrough } = this.#partitions.of(partition);
    const ids = seen.interactions;
    const countedUntil = (state.countedThrough + 1) * tickMs;
    const isWorth = this.#isWorth;
    const earns = this.#earns;
    let newest = watermarks.newest('interactions', partition);
    let current = Number.NaN;
    let open: OpenPane | undefined;
    ids.warm(columns.idHigh, columns.idLow, columns.length);
    for (let r = 0; r < columns.length; r++) {
      const ts = columns.ts[r];
      if (ids.add(columns.idHigh[r], columns.idLow[r], ts) >= 0) {
        outcomes.duplicate++;
        continue;
      }
      let flags = columns.flags[r];
      if (columns.value[r] >= positiveMinValue) flags |= POSITIVE;
      if (isWorth !== undefined && isWorth[columns.action[r] + 1] === 0) flags &= ~POSITIVE;
      if (earns !== undefined && earns[columns.action[r] + 1] === 1) flags |= EARNS;
      let pane = Math.floor(ts / tickMs);
      if (ts < (sourceNewest?.[r] ?? newest) - latenessMs || pane <= closedThrough) {
        pane = latePane(newest, tickMs, closedThrough);
        flags |= LATE;
        outcomes.late++;
      } else {
        outcomes.accepted++;
      }
      if (ts > newest) newest = ts;
      if ((flags & LATE) !== 0 && ts < countedUntil) continue;
      if (pane !== current) {
        open = state.openPane(pane);
        current = pane;
      }
      open!.addInteraction(columns, r, flags);
    }
    this.#advance('interactions', partition, newest, ids);
  }

  /** @param sourceNewest as of `acceptInteractions` */
  acceptExposures(
    partition: number,
    columns: ExposureColumns,
    outcomes: Outcomes,
    sourceNewest?: Float64Array,
  ): void {
    if (columns.length === 0) return;
    const { watermarks, options } = this.#partitions;
    const { tickMs, latenessMs } = options;
    const { state, seen, closedThrough } = this.#partitions.of(partition);
    const ids = seen.exposures;
    const countedUntil = (state.countedThrough + 1) * tickMs;
    let newest = watermarks.newest('exposures', partition);
    let current = Number.NaN;
    let open: OpenPane | undefined;
    ids.warm(columns.idHigh, columns.idLow, columns.length);
    for (let r = 0; r < columns.length; r++) {
      const ts = columns.ts[r];
      if (ids.add(columns.idHigh[r], columns.idLow[r], ts) >= 0) {
        outcomes.duplicate++;
        continue;
      }
      let flags = columns.flags[r];
      let pane = Math.floor(ts / tickMs);
      if (ts < (sourceNewest?.[r] ?? newest) - latenessMs || pane <= closedThrough) {
        pane = latePane(newest, tickMs, closedThrough);
        flags |= LATE;
        outcomes.late++;
      } else {
        outcomes.accepted++;
      }
      if (ts > newest) newest = ts;
      if ((flags & LATE) !== 0 && ts < countedUntil) continue;
      // Of a model that there was no room for by name.
      if (columns.model[r] < 0) {
        outcomes.modelOverCap++;
        continue;
      }
      if (pane !== current) {
        open = state.openPane(pane);
        current = pane;
      }
      open!.addExposure(columns, r, flags);
    }
    this.#advance('exposures', partition, newest, ids);
  }

  #advance(role: TopicRole, partition: number, newest: number, ids: RecentIds): void {
    const { watermarks, options } = this.#partitions;
    watermarks.advance(role, partition, newest);
    const settled = watermarks.settled(role, partition);
    ids.expire(settled - options.latenessMs - options.dedupeTtlMs);
  }
}

/** A late event counts from the pane of its partition's newest event on: a function of the log. */
function latePane(newest: number, tickMs: number, closedThrough: number): number {
  return Math.max(Math.floor(newest / tickMs), closedThrough + 1);
}
