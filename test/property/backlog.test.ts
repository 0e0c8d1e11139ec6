import { expect, it } from 'vitest';
import { encodeEvent } from '../../src/events/encode.js';
import { Ingest } from '../../src/stream/read/ingest.js';
import { PaneCloser } from '../../src/stream/read/pane-closer.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import { dueWindows, type Snapshot } from '../../src/stream/tick/snapshot.js';
import { TickHost } from '../../src/stream/tick-host.js';
import { ticksHere } from '../../src/stream/ticks.js';
import { differences } from '../support/compare.js';
import { decisionOptions } from '../support/decision.js';
import {
  type Event,
  feed,
  quickDecoder,
  quickOptions,
  roleOf,
  threeModels,
} from '../support/log.js';

const TOPICS = { exposures: 'e', interactions: 'i' };
const TURNS = { now: () => performance.now(), next: async () => {} };
/** Pairs are compared from tick to tick, and a slow window is due by its own time. */
const OPTIONS = quickOptions({
  windows: [
    { name: 'short', ms: 20 },
    { name: 'long', ms: 60, everyMs: 30 },
  ],
  decision: decisionOptions(),
});

/** What a service gives of a log that it reads at some time of the wall clock. */
async function ticksAt(now: number, events: readonly Event[], backlogPanes: number) {
  const monitor = { ...OPTIONS, backlogPanes };
  const ingest = new Ingest(monitor, quickDecoder(), TOPICS);
  const ticks = ticksHere(new TickHost({ monitor, topics: TOPICS, now: TURNS.now }));
  const closer = new PaneCloser(ingest, ticks, { turns: TURNS, now: () => now });
  const snapshots: Snapshot[] = [];
  closer.panes$.subscribe(({ snapshot }) => snapshots.push(snapshot));
  await closer.begin(new Map([[0, undefined]]));
  for (const [n, event] of events.entries()) {
    const batch = {
      role: roleOf(event),
      partition: 0,
      values: [Buffer.from(encodeEvent(event))],
      offsets: Float64Array.of(n),
      recordTs: new Float64Array(1),
      highWatermark: events.length,
    };
    runAtOnce(ingest.apply(batch, () => Number.POSITIVE_INFINITY));
  }
  await closer.flush();
  return snapshots;
}

const END = 3000;

it.each([
  ['computes windows at every fourth pane while it is far behind', END + 1_000_000, 4],
  ['computes all windows if backlogPanes is 1, however far behind', END + 1_000_000, 1],
  ['computes all windows while it is not far behind', 0, 4],
])('a ticker %s, and includes every pane', async (_, now, backlogPanes) => {
  const events = threeModels(240);
  const wanted = feed(events, OPTIONS, { partitions: 1, batchSize: 1, run: 1 }).snapshots;
  const found = await ticksAt(now, events, backlogPanes);
  expect(found.map(({ paneEnd }) => paneEnd)).toEqual(wanted.map(({ paneEnd }) => paneEnd));
  const isThinned = now > 0 && backlogPanes > 1;
  let due = 0;
  for (const [n, snapshot] of found.entries()) {
    const whole = wanted[n]!;
    const byName = new Map(whole.windows.map((window) => [window.name, window]));
    const own = dueWindows(snapshot);
    due += own.length;
    for (const window of own) {
      expect(differences(window, byName.get(window.name), 0), `at ${whole.paneEnd}`).toEqual([]);
    }
    const isDue = whole.paneEnd % (backlogPanes * OPTIONS.tickMs) === 0;
    const names = dueWindows(whole)
      .map(({ name }) => name)
      .filter((name) => name === 'long' || isDue || !isThinned);
    // The first pane of all shows what there is.
    if (n > 0) expect(own.map(({ name }) => name)).toEqual(names);
    const rest = ({ windows: _, ...others }: Snapshot) => others;
    expect(differences(rest(snapshot), rest(whole), 0), `at ${whole.paneEnd}`).toEqual([]);
  }
  expect(due).toBeGreaterThan(10);
});
