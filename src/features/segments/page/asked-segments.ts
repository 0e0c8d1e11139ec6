import { askJson } from '../../../page/api.js';
import type { View } from '../../../page/view.js';
import type { SegmentsReport } from '../schema.js';

export type SegmentRow = SegmentsReport['windows'][number]['results'][number];

/**
 * Estimates by segment of one dimension, requested from the server once per pane and choice of
 * metric.
 */
export class AskedSegments {
  /** Rows for the current choice; empty until they have arrived. */
  rows: readonly SegmentRow[] = [];
  /** Whether the request for the current choice has been answered. */
  hasCome = false;
  /** Why the last request failed; empty if it succeeded or is not answered yet. */
  fault = '';
  /** Query of the current choice. */
  #of = '';
  /** Query and pane of the last request. */
  #asked = '';
  #stop: AbortController | undefined;

  /**
   * Request the estimates for the choice made on the page, if this was not done for the current
   * pane; `changed` is called when they arrive.
   */
  follow({ tick, estimator }: View, dimension: string, changed: () => void): void {
    const { window, metric, k, aggregation } = tick.chosen;
    const of = {
      window,
      dimension,
      metric,
      k: String(k ?? 'none'),
      estimator,
      aggregation,
    };
    const query = new URLSearchParams(of).toString();
    if (query !== this.#of) {
      Object.assign(this, {
        rows: [],
        fault: '',
        hasCome: false,
      });
    }
    this.#of = query;
    const key = `${query} ${tick.paneEnd}`;
    if (key === this.#asked) return;
    this.#asked = key;
    this.#stop?.abort();
    const stop = new AbortController();
    this.#stop = stop;
    const take = (rows: readonly SegmentRow[], fault: string) => {
      if (stop.signal.aborted) return;
      Object.assign(this, {
        rows,
        fault,
        hasCome: true,
      });
      changed();
    };
    askJson<SegmentsReport>(`/api/v1/segments?${query}`, stop.signal).then(
      ({ windows: [own] }) => take(own?.results ?? [], ''),
      (error: Error) => take(this.rows, `Not available now: ${error.message}.`),
    );
  }
}
