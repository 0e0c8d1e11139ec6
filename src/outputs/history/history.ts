import { runAtOnce } from '../../stream/sliced.js';
import type { Snapshot } from '../../stream/tick/snapshot.js';
import {
  type KeptValue,
  type LabelValue,
  parseSeriesKey,
  type SeriesKind,
  type SeriesName,
} from './series.js';

type Alarm = Snapshot['alarms'][number];

/**
 * A stored tick. `values` has the value of each series at the index that is the series' number; NaN
 * if the series has no value.
 */
export interface KeptTick {
  readonly paneEnd: number;
  readonly values: Float32Array;
  readonly alarms: readonly Alarm[];
  /** Whether the tick was computed later, from stored rows, see `Snapshot`. */
  readonly isBackfilled?: true | undefined;
}

export interface HistoryOptions {
  readonly keepMs: number;
  /**
   * Number of newest ticks that are stored completely. Of older ticks, only the last of each minute
   * is kept.
   */
  readonly dense?: number;
}

export interface SeriesQuery {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Length of a step, ms. From each step, the last tick is selected. */
  readonly step?: number | undefined;
  /** Approximate maximum number of selected times; a smaller step is widened to meet it. */
  readonly points?: number | undefined;
  /**
   * Labels to filter by: only series that have all of these labels with these values are selected.
   */
  readonly labels: Readonly<Record<string, LabelValue>>;
  /** Names of the values to select, e.g. `lower`; all values if left out. */
  readonly values?: readonly string[] | undefined;
}

/** Selected series over common times; null where a series has no value. */
export interface SelectedSeries {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly times: readonly number[];
  /**
   * The subset of `times` whose ticks were backfilled, which means computed later from stored rows.
   */
  readonly backfilled: readonly number[];
  readonly series: readonly {
    readonly labels: Readonly<Record<string, LabelValue>>;
    readonly values: Readonly<Record<string, readonly (number | null)[]>>;
  }[];
}

export const DENSE_TICKS = 720;
export const COARSE_MS = 60_000;
/** Maximum number of times in an answer; no screen shows more points. */
const MAX_POINTS = 1500;
/** Maximum number of values in an answer; a request for all series of a day gets fewer times. */
const MAX_NUMBERS = 100_000;
const MAX_ALARMS = 1000;

/**
 * Ticks of the last `keepMs` of event time, in memory, with values in single precision. A tick
 * replaces an earlier one of the same pane: both have the same numbers, since they come from the
 * same log.
 */
export class History {
  readonly #options: Required<HistoryOptions>;
  readonly #numbers = new Map<string, number>();
  readonly #names: (SeriesName | undefined)[] = [];
  readonly #keys: string[] = [];
  readonly #models = new Set<LabelValue>();
  #ticks: KeptTick[] = [];

  constructor({ keepMs, dense = DENSE_TICKS }: HistoryOptions) {
    this.#options = { keepMs, dense };
  }

  /** Stored ticks, oldest first. */
  get ticks(): readonly KeptTick[] {
    return this.#ticks;
  }

  /** Keys of the series, indexed by the series' number. */
  get keys(): readonly string[] {
    return this.#keys;
  }

  /**
   * Store a tick. @returns the stored tick. Undefined if the tick is too old, or if it is
   * backfilled and the pane already has a tick that is not backfilled
   */
  add(
    paneEnd: number,
    values: Iterable<KeptValue>,
    alarms: readonly Alarm[],
    isBackfilled?: true,
  ): KeptTick | undefined {
    const newest = this.#ticks.at(-1)?.paneEnd ?? paneEnd;
    if (paneEnd <= newest - this.#options.keepMs) return undefined;
    const at = this.#after(paneEnd);
    const before = this.#ticks[at - 1];
    const replaces = before?.paneEnd === paneEnd;
    if (isBackfilled && replaces && before.isBackfilled !== true) return undefined;
    const numbered: number[] = [];
    for (const [key, value] of values) {
      numbered[this.#numberOf(key)] = value ?? Number.NaN;
    }
    const tick = {
      paneEnd,
      values: Float32Array.from({ length: this.#keys.length }, (_, n) => numbered[n] ?? Number.NaN),
      alarms,
      isBackfilled,
    };
    this.#ticks.splice(replaces ? at - 1 : at, replaces ? 1 : 0, tick);
    this.#forget();
    return tick;
  }

  /** Select the series that match a query, at a limited number of times. */
  select(kind: SeriesKind, query: SeriesQuery): SelectedSeries {
    return runAtOnce(this.selecting(kind, query));
  }

  /**
   * Like `select`, as a generator that yields after each column of values. Ticks that arrive
   * meanwhile are left out.
   */
  *selecting(kind: SeriesKind, query: SeriesQuery): Generator<void, SelectedSeries> {
    const columns = this.#columns(kind, query);
    const newest = this.#ticks.at(-1)?.paneEnd ?? 0;
    const beginning = (this.#ticks[0]?.paneEnd ?? 1) - 1;
    const to = Math.min(query.to ?? newest, newest);
    const from = Math.max(query.from ?? beginning, beginning);
    const most = Math.floor(MAX_NUMBERS / Math.max(1, columns.length));
    const points = Math.max(1, Math.min(query.points ?? MAX_POINTS, MAX_POINTS, most));
    const step = Math.max(query.step ?? 1, Math.ceil((to - from) / points), 1);
    const ticks = lastOfEach(this.#ticks.slice(this.#after(from), this.#after(to)), step);
    const groups = new Map<
      string,
      {
        labels: SeriesName['labels'];
        values: SeriesValues;
      }
    >();
    for (const { number, name } of columns) {
      const column = ticks.map(({ values }) => shortened(values[number]));
      if (column.every((value) => value === null)) continue;
      const id = JSON.stringify(name.labels);
      const group = groups.get(id) ?? {
        labels: name.labels,
        values: {},
      };
      group.values[name.value] = column;
      groups.set(id, group);
      yield;
    }
    const timesOf = (some: readonly KeptTick[]) => some.map(({ paneEnd }) => paneEnd);
    const backfilled = timesOf(ticks.filter(({ isBackfilled }) => isBackfilled));
    return {
      from,
      to,
      step,
      times: timesOf(ticks),
      backfilled,
      series: [...groups.values()],
    };
  }

  /** Whether the history has a series of the model; true as long as there are no ticks. */
  mayHaveModel(model: LabelValue): boolean {
    return this.#ticks.length === 0 || this.#models.has(model);
  }

  /** List the alarms of all ticks, newest first, each once. */
  alarms(): Alarm[] {
    const found = new Map<string, Alarm>();
    for (let t = this.#ticks.length - 1; t >= 0 && found.size < MAX_ALARMS; t--) {
      for (const alarm of this.#ticks[t].alarms) {
        const id = JSON.stringify([alarm.series, alarm.detector, alarm.at]);
        if (!found.has(id)) {
          found.set(id, alarm);
        }
      }
    }
    return [...found.values()].sort((a, b) => b.at - a.at);
  }

  #columns(kind: SeriesKind, { labels, values }: SeriesQuery) {
    return this.#names.flatMap((name, number) => {
      if (name?.kind !== kind || !agrees(name.labels, labels)) return [];
      return values?.includes(name.value) === false ? [] : [{ name, number }];
    });
  }

  #numberOf(key: string): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#keys.length;
    this.#numbers.set(key, number);
    this.#keys.push(key);
    const name = parseSeriesKey(key);
    this.#names.push(name);
    if (name?.labels['model'] !== undefined) {
      this.#models.add(name.labels['model']);
    }
    return number;
  }

  /** Number of ticks that end at or before a time. */
  #after(time: number): number {
    let low = 0;
    let high = this.#ticks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ticks[middle].paneEnd <= time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  #forget(): void {
    const newest = this.#ticks.at(-1)!.paneEnd;
    const old = this.#after(newest - this.#options.keepMs);
    if (old > 0) {
      this.#ticks.splice(0, old);
    }
    // When the number of dense ticks is exceeded, the oldest dense tick stays only if it is the
    // last of its minute.
    const leaving = this.#ticks.length - this.#options.dense - 1;
    if (leaving < 0) return;
    if (minuteOf(this.#ticks[leaving]) === minuteOf(this.#ticks[leaving + 1])) {
      this.#ticks.splice(leaving, 1);
    }
  }
}

type SeriesValues = Record<string, (number | null)[]>;

function minuteOf({ paneEnd }: KeptTick): number {
  return Math.ceil(paneEnd / COARSE_MS);
}

function agrees(
  labels: SeriesName['labels'],
  asked: Readonly<Record<string, LabelValue>>,
): boolean {
  return Object.entries(asked).every(([name, value]) => labels[name] === value);
}

function lastOfEach(ticks: readonly KeptTick[], step: number): KeptTick[] {
  const stepOf = ({ paneEnd }: KeptTick) => Math.ceil(paneEnd / step);
  return ticks.filter((tick, t) => t + 1 === ticks.length || stepOf(tick) < stepOf(ticks[t + 1]));
}

/** Round a value to six digits, which single precision can represent; null if it is not finite. */
export function shortened(value: number | undefined): number | null {
  if (value === undefined || !Number.isFinite(value)) return null;
  return Number(value.toPrecision(6));
}
