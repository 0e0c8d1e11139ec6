import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Sweep, Swept } from '../../../../src/stream/id-tables.js';
import { PaneCloser } from '../../../../src/stream/read/pane-closer.js';
import { TickHost } from '../../../../src/stream/tick-host.js';
import { ticksHere } from '../../../../src/stream/ticks.js';
import { type Event, smallOptions } from '../../../support/log.js';
import { RestartedReader } from '../../../support/restarts.js';

const list = { user: 'u', model: 'm', items: ['a', 'b'] };
const log: Event[] = [
  { type: 'exposure', id: 'e0', ts: 1000, ...list },
  { type: 'interaction', id: 'x0', ts: 1001, user: 'u', item: 'a' },
];

describe('id tables that are due for a sweep', () => {
  it('are swept after a pane, one by one, and never while state is saved', async () => {
    const { ingest } = new RestartedReader(log, smallOptions(), 1);
    for (const role of ['exposures', 'interactions'] as const) {
      const values = log.filter(({ type }) => role.startsWith(type)).map((e) => JSON.stringify(e));
      const batch = {
        role,
        partition: 0,
        values: values.map((text) => Buffer.from(text)),
        offsets: Float64Array.of(0),
        recordTs: new Float64Array(1),
        highWatermark: 1,
      };
      for (const _ of ingest.apply(batch, () => Number.POSITIVE_INFINITY));
      ingest.monitor.watermarks.setIdle(role, 0);
    }
    const happened: string[] = [];
    let left = 2;
    let kept: Promise<unknown> | undefined;
    const dueSweep = (): Sweep | undefined => {
      if (left-- <= 0) return undefined;
      return {
        kind: 'user',
        *run() {
          happened.push('sweep begins');
          kept ??= closer.atRest(0, async () => happened.push('kept'));
          for (let step = 0; step < 5; step++) yield;
          happened.push('sweep ends');
          return 7;
        },
      };
    };
    // Every step is a slice of its own.
    let now = 0;
    const turns = { now: () => now++ * 10, next: () => nextTurn() };
    ingest.dueSweep = dueSweep;
    const monitor = smallOptions();
    const topics = { exposures: 'e', interactions: 'i' };
    const ticks = ticksHere(new TickHost({ monitor, topics, now: turns.now }));
    const closer = new PaneCloser(ingest, ticks, { turns, now: Date.now });
    await closer.begin(new Map([[0, undefined]]));
    closer.panes$.subscribe(() => happened.push('pane'));
    const swept: Swept[] = [];
    closer.swept$.subscribe((one) => swept.push(one));
    await closer.flush();
    await kept;
    expect(happened.slice(0, 3)).toEqual(['pane', 'sweep begins', 'sweep ends']);
    expect(happened.filter((what) => what === 'kept')).toHaveLength(1);
    expect(happened.join()).toContain('sweep begins,sweep ends,kept,sweep begins,sweep ends');
    expect(swept.map(({ kind, forgotten }) => [kind, forgotten])).toEqual([
      ['user', 7],
      ['user', 7],
    ]);
    expect(swept[0]!.seconds).toBeGreaterThan(0);
  });
});
