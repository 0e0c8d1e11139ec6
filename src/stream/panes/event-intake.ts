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

/**
 * Times of a batch by row: when the log received the event, and the progress of the event's source.
 */
export interface RowTimes {
  /** Time at which the log received the event, ms. */
  readonly record: Float64Array;
  /** Newest event time of the event's source, ms, if records have sources. */
  readonly sourceNewest?: Float64Array | undefined;
}

/**
 * Accepts decoded events in log order: drops duplicates, judges lateness by the progress of the
 * topic-partition, and adds each event to the open pane of its time, without attribution. Each kind
 * of event has its own loop, since the loop runs for every event.
 *
 * The progress of a topic-partition is the newest min(event time, receive time). The receive time
 * is that of the record or, in files, of the event. Without receive times, enough users must have
 * reached a time (`UserTimes`).
 */
export class EventIntake {
  readonly #partitions: Partitions;
  /** By action code from −1 on: whether the action has a reward; undefined if all have. */
  readonly #isWorth: Uint8Array | undefined;
  /** By action code from −1 on: whether the event's value is the reward; undefined if never. */
  readonly #earns: Uint8Array | undefined;

  /** Progress of users' event times by topic and partition, for logs without receive times. */
  readonly #userTimes = new Map<string, UserTimes>();

  constructor(partitions: Partitions) {
    this.#partitions = partitions;
    const { actions } = partitions.options;
    this.#isWorth = actions && actionWorths(partitions.options).worthwhile();
    this.#earns = earningValues(partitions.options);
  }

  /**
   * Accept a batch of interactions of a partition, and count their outcomes.
   *
   * @param times undefined if the log has no receive times
   */
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

  /**
   * Accept a batch of exposures of a partition, and count their outcomes.
   *
   * @param times see `acceptInteractions`
   */
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
      // The model is beyond the maximum number of models.
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

/**
 * The pane to which a late event is added: the pane of the progress of its partition, or the first
 * open pane if that one is closed.
 */
function latePane(newest: number, tickMs: number, closedThrough: number): number {
  return Math.max(Math.floor(newest / tickMs), closedThrough + 1);
}
