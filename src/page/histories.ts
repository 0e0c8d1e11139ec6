import type { Alarm } from '../adapters/http/schema/alarm.js';
import type { SeriesReport } from '../adapters/http/schema/history.js';
import type { LiveTick } from '../adapters/http/schema/live-tick.js';
import { askJson } from './api.js';
import { type Choice, SPANS, tickQuery } from './choice.js';
import { SeriesTable } from './series-table.js';
import {
  estimateEntries,
  popularityEntries,
  propensityEntries,
  qualityEntries,
  sampleEntries,
} from './tick-entries.js';
import type { Tables } from './view.js';

/** Points of a line that a screen can tell apart. */
const POINTS = 300;

/** The series of the page: loaded from the service's history, grown by the stream. */
export class Histories {
  readonly tables: Tables = {
    estimates: new SeriesTable(),
    popularity: new SeriesTable(),
    propensity: new SeriesTable(),
    samples: new SeriesTable(),
    quality: new SeriesTable(),
  };
  alarms: Alarm[] = [];
  #loading: AbortController | undefined;

  /** Loads everything anew, from where the span begins; what came live stays. */
  async load(choice: Choice, tick: LiveTick, estimator: string): Promise<void> {
    this.#loading?.abort();
    const controller = new AbortController();
    this.#loading = controller;
    const from = Math.max(0, tick.paneEnd - SPANS[choice.span]);
    const period = `from=${from}&points=${POINTS}`;
    const { window, metric, k, aggregation } = tick.chosen;
    const chosen = tickQuery({ ...choice, window, metric, k: String(k ?? 'none'), aggregation });
    const { estimates, popularity, propensity, samples, quality } = this.tables;
    const ask = (path: string) => askJson<SeriesReport>(`/api/v1/${path}`, controller.signal);
    const estimated = [estimator, 'naive', 'truth'].map((name) =>
      ask(`estimates/history?${period}&${chosen}&estimator=${name}`),
    );
    const [parts, ...reports] = await Promise.all([
      Promise.all(estimated),
      ask(`popularity/history?${period}`),
      ask(`propensity/history?${period}`),
      ask(`samples/history?${period}&window=${encodeURIComponent(window)}`),
      ask(`quality/history?${period}`),
    ]);
    const { alarms } = await askJson<{ alarms: Alarm[] }>('/api/v1/alarms', controller.signal);
    if (controller.signal.aborted) return;
    estimates.load({ ...parts[0], series: parts.flatMap(({ series }) => series) });
    for (const [n, table] of [popularity, propensity, samples, quality].entries()) {
      table.load(reports[n]);
    }
    this.alarms = alarms;
  }

  /** Adds a tick of the stream. */
  add(tick: LiveTick): void {
    const { estimates, popularity, propensity, samples, quality } = this.tables;
    estimates.append(tick.paneEnd, estimateEntries(tick));
    popularity.append(tick.paneEnd, popularityEntries(tick));
    propensity.append(tick.paneEnd, propensityEntries(tick));
    samples.append(tick.paneEnd, sampleEntries(tick));
    quality.append(tick.paneEnd, qualityEntries(tick));
    for (const table of Object.values(this.tables)) table.forgetBefore(tick.paneEnd - SPANS['24h']);
    const known = new Set(this.alarms.map(nameOf));
    const fresh = tick.alarms.filter((alarm) => !known.has(nameOf(alarm)));
    this.alarms = [...fresh, ...this.alarms].sort((a, b) => b.at - a.at);
  }
}

function nameOf({ series, detector, at }: Alarm): string {
  return JSON.stringify([series, detector, at]);
}
