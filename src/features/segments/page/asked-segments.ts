import { askJson } from '../../../page/api.js';
import type { View } from '../../../page/view.js';
import type { SegmentsReport } from '../schema.js';

export type SegmentRow = SegmentsReport['windows'][number]['results'][number];

/** What is known of one dimension by segment: asked for once for each pane and choice. */
export class AskedSegments {
  /** Of what is chosen now; none until they have come. */
  rows: readonly SegmentRow[] = [];
  /** Whether they are of what is chosen now. */
  hasCome = false;
  /** Why there are none; empty where they have come, or are on their way. */
  fault = '';
  #of = '';
  #asked = '';
  #stop: AbortController | undefined;

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
