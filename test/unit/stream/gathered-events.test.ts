import { describe, expect, it } from 'vitest';
import { ExposureColumns, InteractionColumns } from '../../../src/events/columns.js';
import type { OpenPane } from '../../../src/state/open-pane.js';
import { GatheredEvents } from '../../../src/stream/gathered-events.js';

function add({ current }: GatheredEvents, clicks: readonly number[], lists: readonly number[]) {
  const interactions = new InteractionColumns();
  interactions.length = clicks.length;
  interactions.ts.set(clicks);
  current.interactions.addAll(interactions, new Uint8Array(clicks.length));
  const exposures = new ExposureColumns();
  for (const ts of lists) {
    const r = exposures.length++;
    exposures.ts[r] = ts;
    exposures.items.fill(ts, 2 * r, 2 * r + 2);
    exposures.listStart[r + 1] = 2 * r + 2;
  }
  current.exposures.append(exposures);
}

function timesOf({ interactions, exposures }: OpenPane) {
  for (let r = 0; r < exposures.length; r++) {
    const list = exposures.items.subarray(exposures.listStart[r], exposures.listStart[r + 1]);
    expect([...list]).toEqual([exposures.ts[r], exposures.ts[r]]);
  }
  const rows = interactions.rows;
  return {
    ...{ clicks: [...interactions.ts.subarray(0, interactions.length)], rows },
    lists: [...exposures.ts.subarray(0, exposures.length)],
  };
}

describe('gathered events', () => {
  it('are handed out up to where either kind may have more to come', () => {
    const gathered = new GatheredEvents(3);
    add(gathered, [1, 2], [1]);
    expect(gathered.takeSegment()).toBeUndefined();
    add(gathered, [3, 4, 4], [2, 3, 5]);
    const segment = timesOf(gathered.takeSegment()!);
    expect(segment).toEqual({ clicks: [1, 2, 3], rows: 3, lists: [1, 2, 3] });
    add(gathered, [4], [6]);
    expect(gathered.takeSegment()).toBeUndefined();
    expect(timesOf(gathered.takeRest())).toEqual({ clicks: [4, 4, 4], rows: 3, lists: [5, 6] });
    expect(gathered.isInOrder).toBe(true);
  });

  it('come all once more after one that is older than the one before it', () => {
    const gathered = new GatheredEvents(2);
    add(gathered, [1, 2, 9], [1, 9]);
    expect(timesOf(gathered.takeSegment()!).clicks).toEqual([1, 2]);
    add(gathered, [8, 10, 11], [12]);
    expect(gathered.takeSegment()).toBeUndefined();
    expect(gathered.isInOrder).toBe(false);
    add(gathered, [20, 21], [30]);
    expect(gathered.takeSegment()).toBeUndefined();
    const rest = timesOf(gathered.takeRest());
    expect(rest.clicks).toEqual([1, 2, 9, 8, 10, 11, 20, 21]);
    expect(rest).toMatchObject({ rows: 8, lists: [1, 9, 12, 30] });
  });

  it('wait while most of them would have to stay', () => {
    const gathered = new GatheredEvents(2);
    add(gathered, [1, 2, 3], [5, 6, 7, 8, 9]);
    expect(gathered.takeSegment()).toBeUndefined();
    add(gathered, [6, 7, 8], []);
    expect(timesOf(gathered.takeSegment()!)).toMatchObject({
      clicks: [1, 2, 3, 6, 7],
      lists: [5, 6, 7],
    });
  });
});
