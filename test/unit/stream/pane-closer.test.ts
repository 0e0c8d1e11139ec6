import { expect, it } from 'vitest';
import { Ingest } from '../../../src/stream/read/ingest.js';
import { PaneCloser } from '../../../src/stream/read/pane-closer.js';
import { TickHost } from '../../../src/stream/tick-host.js';
import { ticksHere } from '../../../src/stream/ticks.js';
import { quickDecoder, smallOptions } from '../../support/log.js';

const TOPICS = { exposures: 'e', interactions: 'i' };
const CLOCK = { now: () => 0, next: async () => {} };

async function closerWith(
  closePane: Ingest['monitor']['closePane'],
  closable: () => number | undefined,
) {
  const monitor = smallOptions();
  const ingest = new Ingest(monitor, quickDecoder(), TOPICS);
  const ticks = ticksHere(new TickHost({ monitor, topics: TOPICS, now: CLOCK.now }));
  const closer = new PaneCloser(ingest, ticks, { turns: CLOCK, now: Date.now });
  await closer.begin(new Map([[0, undefined]]));
  ingest.monitor.closable = closable;
  ingest.monitor.closePane = closePane;
  return closer;
}

it('a pane that falls due while another closes is closed too', async () => {
  for (let turns = 0; turns < 30; turns++) {
    let due = 1;
    const closer = await closerWith(
      function* () {
        due--;
        yield;
        return new Map();
      },
      () => (due > 0 ? 1 : undefined),
    );
    void closer.poke();
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    due++;
    void closer.poke();
    await new Promise(setImmediate);
    expect([turns, due]).toEqual([turns, 0]);
    await closer.stop();
  }
});

it('the reason why a pane cannot be closed is reported once', async () => {
  const closer = await closerWith(
    // biome-ignore lint/correctness/useYield: it fails before it has anything to wait for
    function* () {
      throw new Error('no');
    },
    () => 1,
  );
  const failures: unknown[] = [];
  closer.panes$.subscribe({ error: (error) => failures.push(error) });
  await closer.poke();
  await new Promise(setImmediate);
  expect(failures).toEqual([new Error('no')]);
});
