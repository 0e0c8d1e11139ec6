import { describe, expect, it } from 'vitest';
import {
  ExposureColumns,
  InteractionColumns,
  NAMES_EXPOSURE,
  POSITIVE,
  RANDOMIZED,
  SHOWN,
} from '../../../src/events/columns.js';
import { groupByUser } from '../../../src/state/panes/group-by-user.js';
import { PartitionState } from '../../../src/state/panes/partition.js';
import { ORGANIC_TRAFFIC, RANDOMIZED_TRAFFIC } from '../../../src/state/panes/window-part.js';
import { runAtOnce } from '../../../src/stream/sliced.js';

/** One pane of one partition: what it holds once it is closed. */
class Pane {
  readonly state = new PartitionState({ paneMs: 100, attributionTtlMs: 100, horizonMs: 1000 });

  expose(id: number, user: number, items: number[], flags: number): void {
    const columns = new ExposureColumns();
    columns.user[0] = user;
    columns.ts[0] = id;
    columns.idLow[0] = id;
    columns.candidates[0] = -1;
    columns.items.set(items);
    columns.listStart[1] = items.length;
    this.state.openPane(0).addExposure(columns, 0, flags);
  }

  interact(ts: number, user: number, item: number, flags: number, exposure = 0): void {
    const columns = new InteractionColumns();
    columns.user[0] = user;
    columns.item[0] = item;
    columns.ts[0] = ts;
    columns.exposureLow[0] = exposure;
    this.state.openPane(0).addInteraction(columns, 0, flags);
  }

  close() {
    const { counts } = runAtOnce(this.state.close(0));
    const { closed } = this.state;
    const { rows, userCounts } = closed;
    const randomized = closed.randomizedTraffic(0, 0);
    return { counts, part: groupByUser(rows, [0], userCounts.counts, randomized) };
  }
}

describe('randomised traffic', () => {
  it('includes interactions flagged as randomised or attributed to a randomised list', () => {
    const pane = new Pane();
    pane.expose(1, 0, [5, 6], SHOWN | RANDOMIZED);
    pane.expose(2, 0, [6, 5], SHOWN);
    pane.interact(10, 0, 5, POSITIVE | NAMES_EXPOSURE, 1);
    pane.interact(11, 0, 6, POSITIVE | NAMES_EXPOSURE, 2);
    pane.interact(12, 0, 7, POSITIVE);
    pane.interact(13, 0, 8, RANDOMIZED);
    const { counts, part } = pane.close();
    expect([...part.item]).toEqual([5, 6, 7, 8]);
    expect([...part.traffic]).toEqual([
      RANDOMIZED_TRAFFIC,
      ORGANIC_TRAFFIC,
      ORGANIC_TRAFFIC,
      RANDOMIZED_TRAFFIC,
    ]);
    expect([...part.ranks[0]].slice(0, 2)).toEqual([0, 0]);
    expect([...counts.randomized.ids]).toEqual([5, 8]);
    expect([...part.userRandomized]).toEqual([2]);
  });
});
