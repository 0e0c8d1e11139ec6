import {
  EARNS,
  type ExposureColumns,
  type InteractionColumns,
  LATE,
  POSITIVE,
} from '../../events/columns.js';
import type { RecentIds } from '../../state/ids/recent-ids.js';
import type { OpenPane } from '../../state/panes/open-pane.js';
import { UserTimes } from '../files/user-times.js';
import { actionWorths, earningValues } from '../options.js';
import type { Outcomes } from '../outcomes.js';
import type { TopicRole } from '../ports.js';
import type { Partitions } from './partitions.js';

/** Times of the events of a batch that are not part of the events themselves, by row. */
export interface RowTimes {
  /** When the log took the event in, ms. */
  readonly record: Float64Array;
  /** Newest event time of the event's source, ms, where records have sources. */
  readonly sourceNewest?: Float64Array | undefined;
}

/**
 * Takes decoded events in, in log order: an event that came before is dropped, lateness is judged
 * by how far time has come in its own topic-partition, and the event goes into the open pane of its
 * time. Nothing is attributed yet. One loop for each kind: it runs for every event.
 *
 * Time comes as far as the newest min(event time, time when it was received): that of the record, or
 * in files what events say. Where neither says it, time comes as far as enough users have come
 * (`UserTimes`).
 */
export class EventIntake {
  readonly #partitions: Partitions;
  /** Of codes from −1 on, whether such an action is worth anything; undefined where all are. */
  readonly #isWorth: Uint8Array | undefined;
  /** By the same, whether the value is what such an action earns; undefined where none does. */
  readonly #earns: Uint8Array | undefined;

  /** By topic and partition, where records have no time. */
  readonly #userTimes = new Map<string, UserTimes>();

  constructor(partitions: Partitions) {
    this.#partitions = partitions;
    const { actions } = partitions.options;
    this.#isWorth = actions && actionWorths(partitions.options).worthwhile();
    this.#earns = earningValues(partitions.options);
  }

  /** @param times left out where the log has no times of its own */
  acceptInteractions(
    partition: number,
    columns: InteractionColumns,
    outcomes: Outcomes,
    times?: RowTimes,
  ): void {
    if (columns.length === 0) return;
    const { watermarks, options } = this.#partitions;
    const { tickMs, latenessMs, positiveMinValue } = options;
    const { state, seen, closedThrough } = this.#partitions.of(partition);
    const ids = seen.interactions;
    const countedUntil = (state.countedThrough + 1) * tickMs;
    const isWorth = this.#isWorth;
    const earns = this.#earns;
    const sourceNewest = times?.sourceNewest;
    const userTimes =
      times === undefined ? this.#userTimesOf('interactions', partition) : undefined;
    const received = times?.record ?? columns.received;
    let newest = watermarks.newest('interactions', partition);
    let newestEvent = newest;
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
      if (columns.value[r] >= positiveMinValue) {
        flags |= POSITIVE;
      }
      if (isWorth !== undefined && isWorth[columns.action[r] + 1] === 0) {
        flags &= ~POSITIVE;
      }
      if (earns !== undefined && earns[columns.action[r] + 1] === 1) {
        flags |= EARNS;
      }
      let pane = Math.floor(ts / tickMs);
      if (ts < (sourceNewest?.[r] ?? newest) - latenessMs || pane <= closedThrough) {
        pane = latePane(newest, tickMs, closedThrough);
        flags |= LATE;
        outcomes.late++;
      } else {
        outcomes.accepted++;
      }
      if (ts > newestEvent) {
        newestEvent = ts;
      }
      const reached =
        r < received.length && !Number.isNaN(received[r])
          ? Math.min(ts, received[r])
          : userTimes!.note(columns.user[r], ts);
      if (reached > newest) {
        newest = reached;
      }
      if ((flags & LATE) !== 0 && ts < countedUntil) continue;
      if (pane !== current) {
        open = state.openPane(pane);
        current = pane;
      }
      open!.addInteraction(columns, r, flags);
    }
    watermarks.advance('interactions', partition, newest, newestEvent);
    this.#expire('interactions', partition, ids);
  }

  /** @param times as of `acceptInteractions` */
  acceptExposures(
    partition: number,
    columns: ExposureColumns,
    outcomes: Outcomes,
    times?: RowTimes,
  ): void {
    if (columns.length === 0) return;
    const { watermarks, options } = this.#partitions;
    const { tickMs, latenessMs } = options;
    const { state, seen, closedThrough } = this.#partitions.of(partition);
    const ids = seen.exposures;
    const countedUntil = (state.countedThrough + 1) * tickMs;
    const sourceNewest = times?.sourceNewest;
    const userTimes = times === undefined ? this.#userTimesOf('exposures', partition) : undefined;
    const received = times?.record ?? columns.received;
    let newest = watermarks.newest('exposures', partition);
    let newestEvent = newest;
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
      if (ts > newestEvent) {
        newestEvent = ts;
      }
      const reached =
        r < received.length && !Number.isNaN(received[r])
          ? Math.min(ts, received[r])
          : userTimes!.note(columns.user[r], ts);
      if (reached > newest) {
        newest = reached;
      }
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
    watermarks.advance('exposures', partition, newest, newestEvent);
    this.#expire('exposures', partition, ids);
  }

  #expire(role: TopicRole, partition: number, ids: RecentIds): void {
    const { watermarks, options } = this.#partitions;
    const settled = watermarks.settled(role, partition);
    ids.expire(settled - options.latenessMs - options.dedupeTtlMs);
  }

  #userTimesOf(role: TopicRole, partition: number): UserTimes {
    const key = `${role}/${partition}`;
    let times = this.#userTimes.get(key);
    if (times === undefined) {
      times = new UserTimes();
      this.#userTimes.set(key, times);
    }
    return times;
  }
}

/** A late event counts from the pane that its partition's time has come to on: a function of the log. */
function latePane(newest: number, tickMs: number, closedThrough: number): number {
  return Math.max(Math.floor(newest / tickMs), closedThrough + 1);
}
