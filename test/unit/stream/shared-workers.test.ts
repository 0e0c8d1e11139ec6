import { describe, expect, it, vi } from 'vitest';
import { differences } from '../../support/compare.js';
import { feed, quickOptions, threeModels } from '../../support/log.js';
import { MemoryPaneExchange } from '../../support/memory-pane-exchange.js';
import { paneSeries } from '../../support/pane-series.js';
import { SharedWorkers } from '../../support/workers.js';

const ROLES = ['exposures', 'interactions'] as const;

describe('a pane that an owner has reported', () => {
  it('is not taken for empty where the owner has begun again since and not come as far', async () => {
    const events = threeModels(60);
    const wanted = feed(events, quickOptions(), { partitions: 1, batchSize: 1000, run: 1 });
    const group = new SharedWorkers(events, quickOptions(), 2);
    const { progress } = MemoryPaneExchange.prototype;
    let asked = 0;
    const telling = vi
      .spyOn(MemoryPaneExchange.prototype, 'progress')
      .mockImplementation(async function (this: MemoryPaneExchange, count) {
        const there = await progress.call(this, count);
        // What was so when it was reported, and is no longer when the records are asked for.
        const isOld = asked++ % 2 === 0;
        return there.map((each) => each && { ...each, closed: each.closed + (isOld ? 1 : 0) });
      });
    await group.share(2);
    const isLeft = () => [0, 1].some((p) => ROLES.some((role) => group.left(role, p) > 0));
    while (isLeft()) {
      for (const p of [0, 1]) for (const role of ROLES) group.read(role, p, 2);
      for (let step = 0; step < 8; step++) await group.move(step);
    }
    telling.mockRestore();
    await group.finish();
    expect(differences(paneSeries(group.snapshots), wanted.snapshots, 1e-9)).toEqual([]);
  });
});
