import { describe, expect, it } from 'vitest';
import type { Sharing } from '../../../src/stream/flow.js';
import { WatchedExporter } from '../../support/watched-exporter.js';

const sharingOf = (own: Pick<Sharing, 'reads' | 'evaluates'>): Sharing => ({
  ...own,
  isElsewhere: own.reads,
  isApart: false,
  isMixed: false,
  trouble: undefined,
  note: '',
});

/** What a process shows after an hour of traffic. */
async function shownBy(own: Pick<Sharing, 'reads' | 'evaluates'>) {
  const world = new WatchedExporter('a', sharingOf(own));
  world.now = 3600;
  world.traffic(() => {});
  world.tick((made) => made);
  const text = await world.exporter.metrics();
  return {
    accepted: /^unskew_events_total\{.*"accepted"\} [1-9]/m.test(text),
    newest: /^unskew_watermark_seconds\{/m.test(text),
    ticks: /^unskew_tick_duration_seconds_count 1$/m.test(text),
    numbers: /^unskew_estimate\{/m.test(text),
  };
}

describe('the metrics of readers and tickers', () => {
  it('count each event once, at the reader', async () => {
    expect(await shownBy({ reads: true, evaluates: false })).toMatchObject({ accepted: true });
    const ticker = await shownBy({ reads: false, evaluates: true });
    expect(ticker).toEqual({ accepted: false, newest: true, ticks: true, numbers: true });
  });

  it('show the numbers of one ticker only', async () => {
    const other = await shownBy({ reads: false, evaluates: false });
    expect(other).toEqual({ accepted: false, newest: true, ticks: true, numbers: false });
  });

  it('drop the numbers of a ticker that no longer leads', async () => {
    const sharing = { ...sharingOf({ reads: false, evaluates: true }) };
    const world = new WatchedExporter('a', sharing);
    world.tick((made) => made);
    expect(await world.exporter.metrics()).toMatch(/^unskew_estimate\{/m);
    Object.assign(sharing, { evaluates: false });
    world.begin();
    expect(await world.exporter.metrics()).not.toMatch(/^unskew_estimate\{/m);
  });
});
