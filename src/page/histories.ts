import { ON_POLICY, SHOWN_LISTS, UNCORRECTED } from '../estimators/names.js';
import { reportsFromV1, rowsOf } from '../features/output.js';
import { OUTPUTS } from '../features/outputs.js';
import { parseSeriesKey, type SeriesKind } from '../outputs/history/series.js';
import { tickValues } from '../outputs/history/tick-values.js';
import type { SeriesReport } from '../outputs/http/schema/history.js';
import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import type { Mark, MarkList } from '../outputs/http/schema/mark.js';
import { listsFromV1 } from '../outputs/window-rows.js';
import { askJson } from './api.js';
import { type Labels, type LoadedSeries, SeriesTable } from './charts/series-table.js';
import { type Choice, SPANS, tickQuery, timeRange } from './choice.js';
import type { Tables } from './view.js';

/** Number of points per line of a chart, about as many as a screen can resolve. */
const POINTS = 300;

/**
 * The series of the page's charts: loaded from the history of the service, and extended by live
 * ticks.
 */
export class Histories {
  readonly tables: Tables = {
    estimates: new SeriesTable(),
    differences: new SeriesTable(),
    popularity: new SeriesTable(),
    propensity: new SeriesTable(),
    samples: new SeriesTable(),
    quality: new SeriesTable(),
  };
  alarms: LiveTick['alarms'] = [];
  happenings: readonly Mark[] = [];
  /** Times of backfilled ticks, which were computed later from stored rows. */
  backfilled: readonly number[] = [];
  #loading: AbortController | undefined;
  #isAsking = false;

  /**
   * Reload all series from the start of the time axes; live values that are newer are kept.
   *
   * @param hasDetails whether the details of the page are shown; only then are their series loaded
   * too
   */
  async load(
    choice: Choice,
    tick: LiveTick,
    estimator: string,
    hasDetails: boolean,
  ): Promise<void> {
    this.#loading?.abort();
    const controller = new AbortController();
    this.#loading = controller;
    const { since, until } = timeRange(choice, tick.paneEnd);
    const from = Math.max(0, since);
    // A range that starts after the newest tick is still empty.
    const to = Math.max(from, Math.min(until, tick.paneEnd));
    const period = `from=${from}&to=${to}&points=${POINTS}`;
    const { window, metric, k, aggregation } = tick.chosen;
    const chosen = tickQuery({
      ...choice,
      window,
      metric,
      k: String(k ?? 'none'),
      aggregation,
    });
    const { estimates, differences, popularity, propensity, samples, quality } = this.tables;
    const past = new Set<number>();
    const ask = async (path: string) => {
      const answer = await askJson<SeriesReport>(`/api/v1/${path}`, controller.signal);
      for (const time of answer.backfilled) {
        past.add(time);
      }
      return answer;
    };
    const { fit } = tick.propensity;
    const estimated = `estimates/history?${period}&${chosen}`;
    const propensities = `propensity/history?${period}`;
    const inDetails = (path: string) => (hasDetails ? [path] : []);
    const answers = await Promise.all([
      askAll(ask, [
        `${estimated}&estimator=${estimator}`,
        `${estimated}&estimator=${UNCORRECTED}&values=value`,
        ...(tick.window.truth.length > 0 ? [`${estimated}&estimator=truth&values=value`] : []),
        ...(isWorth(tick)
          ? [worths(window), shownWorths(window)].map((own) => `estimates/history?${period}&${own}`)
          : []),
        ...featureRows(tick).map((measure) => `estimates/history?${period}&${measure}`),
      ]),
      askAll(ask, isWorth(tick) ? [`differences/history?${period}&${worths(window)}`] : []),
      askAll(ask, [`popularity/history?${period}&values=gini,topShare`]),
      askAll(ask, [
        `${propensities}&fit=used`,
        ...inDetails(`${propensities}&fit=${fit}&values=gamma`),
      ]),
      askAll(
        ask,
        inDetails(
          `samples/history?${period}&window=${encodeURIComponent(window)}&estimator=${estimator}&values=users`,
        ),
      ),
      askAll(ask, inDetails(`quality/history?${period}&values=lag`)),
    ]);
    const { alarms } = await askJson<Pick<LiveTick, 'alarms'>>('/api/v1/alarms', controller.signal);
    if (controller.signal.aborted) return;
    const tables = [estimates, differences, popularity, propensity, samples, quality];
    for (const [n, table] of tables.entries()) {
      table.load(answers[n]);
    }
    this.alarms = alarms;
    this.backfilled = [...past];
  }

  /** Request the marks (deployments, changes, notes), which ticks do not contain. */
  async ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      this.happenings = (await askJson<MarkList>('/api/v1/marks')).marks;
    } finally {
      this.#isAsking = false;
    }
  }

  /** Add a live tick, and drop values that are older than both a day and `since`. */
  add(tick: LiveTick, since: number): void {
    const entries = entriesOf(tick);
    for (const kind of Object.keys(this.tables) as SeriesKind[]) {
      this.tables[kind].append(tick.paneEnd, entries[kind]);
    }
    const oldest = Math.min(since, tick.paneEnd - SPANS['24h']);
    for (const table of Object.values(this.tables)) {
      table.forgetBefore(oldest);
    }
    const known = new Set(this.alarms.map(nameOf));
    const fresh = tick.alarms.filter((alarm) => !known.has(nameOf(alarm)));
    this.alarms = [...fresh, ...this.alarms].sort((a, b) => b.at - a.at);
  }
}

/** Whether the tick has a reward per request; if not, its panels are hidden. */
export function isWorth({ window }: LiveTick): boolean {
  return rowsOf(OUTPUTS, reportsFromV1(OUTPUTS, window)).some(
    ({ metric }) => metric === ON_POLICY.metric,
  );
}

/** Query for the rewards per request by all estimators. */
function worths(window: string): string {
  const { metric, aggregation } = ON_POLICY;
  return new URLSearchParams({
    window,
    metric,
    aggregation,
  }).toString();
}

/** Query for the mean reward of served lists. */
function shownWorths(window: string): string {
  const { metric, estimator, aggregation } = SHOWN_LISTS;
  return new URLSearchParams({
    window,
    metric,
    estimator,
    aggregation,
  }).toString();
}

/** Queries for each metric of features, by all estimators. */
function featureRows({ window, chosen }: LiveTick): string[] {
  const measures = rowsOf(OUTPUTS, reportsFromV1(OUTPUTS, window)).map(({ metric, k }) =>
    new URLSearchParams({
      window: chosen.window,
      metric,
      k: String(k ?? 'none'),
      aggregation: chosen.aggregation,
    }).toString(),
  );
  return [...new Set(measures)];
}

type Entries = Record<SeriesKind, [Labels, string, number | null][]>;

/** Convert a tick to values in the form of the history, so that live values continue its series. */
function entriesOf(tick: LiveTick): Entries {
  const { chosen, window, popularity, propensity } = tick;
  const truth = window.truth.map((row) => ({
    ...chosen,
    ...row,
  }));
  const { effectiveSampleSizes } = window;
  const rows = {
    ...reportsFromV1(OUTPUTS, window),
    ...listsFromV1(window),
  };
  const windows = [
    {
      name: chosen.window,
      effectiveSampleSizes,
      ...rows,
    },
  ];
  const entries: Entries = {
    estimates: [],
    differences: [],
    popularity: [],
    propensity: [],
    samples: [],
    quality: [],
  };
  for (const [key, number] of tickValues(
    {
      windows,
      truth,
      popularity,
      propensity,
    },
    tick.quality,
  )) {
    const { kind, labels, value } = parseSeriesKey(key)!;
    entries[kind].push([labels, value, number]);
  }
  return entries;
}

/** Send several history requests, and merge their responses into series over common times. */
async function askAll(
  ask: (path: string) => Promise<SeriesReport>,
  paths: readonly string[],
): Promise<LoadedSeries> {
  const parts = await Promise.all(paths.map(ask));
  const [{ times } = { times: [] }] = parts;
  return {
    times,
    series: parts.flatMap((part) => seriesAt(times, part)),
  };
}

/** Move values to common times, since two responses may have different ticks. */
function seriesAt(times: readonly number[], part: SeriesReport): LoadedSeries['series'] {
  if (part.times.join() === times.join()) return part.series;
  const places = times.map((time) => part.times.indexOf(time));
  return part.series.map(({ labels, values }) => ({
    labels,
    values: Object.fromEntries(
      Object.entries(values).map(([name, column]) => [
        name,
        places.map((place) => (place < 0 ? undefined : column[place])),
      ]),
    ),
  }));
}

function nameOf({ series, detector, at }: LiveTick['alarms'][number]): string {
  return JSON.stringify([series, detector, at]);
}
