import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NEVER, Subject } from 'rxjs';
import { afterAll, expect, it } from 'vitest';
import { KeptTicks } from '../../../../src/commands/service/kept-ticks.js';
import { readConfig } from '../../../../src/config.js';
import type { Flow } from '../../../../src/stream/flow.js';
import type { TimedPane } from '../../../../src/stream/read/pane-closer.js';
import type { Snapshot } from '../../../../src/stream/tick/snapshot.js';
import { feed, quickOptions, threeModels } from '../../../support/log.js';
import { quietIo } from '../../../support/quiet-io.js';

const folder = mkdtempSync(join(tmpdir(), 'unskew-handed-over-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const how = { partitions: 1, batchSize: 1000, run: 1 };
const TICKS = feed(threeModels(40), quickOptions(), how).snapshots;

/** A process that ticks, with its own file. */
async function ticking(file: string, leads: boolean) {
  const estimatesFile = join(folder, file);
  const { config } = readConfig({ env: {}, overrides: { estimatesFile } });
  const endings: (() => Promise<void>)[] = [];
  const kept = new KeptTicks(config, quietIo.log);
  await kept.open({
    opened: ({ end }: { end: () => Promise<void> }) => endings.push(end),
  } as never);
  const sharing = { evaluates: leads };
  const ticks$ = new Subject<TimedPane>();
  const kept$ = new Subject<number>();
  const assigned$ = new Subject<readonly number[]>();
  const flow = { ticks$, kept$, assigned$, sharing, checkpointer: {} } as unknown as Flow;
  kept.follow(flow, { snapshots$: NEVER } as never, () => ({}) as never);
  return {
    tick: (snapshot: Snapshot) => ticks$.next({ snapshot } as TimedPane),
    keptTo: (end: number) => kept$.next(end),
    lead() {
      sharing.evaluates = true;
      assigned$.next([0]);
    },
    async written() {
      for (const end of endings) await end();
      const lines = readFileSync(estimatesFile, 'utf8').split('\n').filter(Boolean);
      const ends = lines.map((line) => (JSON.parse(line) as { window: { to: number } }).window.to);
      return [...new Set(ends)];
    },
  };
}

const endOf = ({ paneEnd }: Snapshot) => paneEnd;

it('a new leader writes all ticks that its predecessor has not kept', async () => {
  const first = await ticking('first', true);
  const second = await ticking('second', false);
  for (const snapshot of TICKS.slice(0, 4)) {
    first.tick(snapshot);
    second.tick(snapshot);
  }
  // The first has kept two ticks when it dies; whether two more are written is unknown.
  second.keptTo(TICKS[1]!.paneEnd);
  second.lead();
  for (const snapshot of TICKS.slice(4)) second.tick(snapshot);
  expect(await second.written()).toEqual(TICKS.slice(2).map(endOf));
  expect(await first.written()).toEqual(TICKS.slice(0, 4).map(endOf));
});

it('a follower holds the newest sixty ticks', async () => {
  const own = await ticking('many', false);
  const [first] = TICKS;
  for (let n = 0; n < 62; n++) {
    const paneEnd = first!.paneEnd + n;
    const windows = first!.windows.map((window) => ({ ...window, to: paneEnd }));
    own.tick({ ...first!, paneEnd, windows });
  }
  own.lead();
  expect(await own.written()).toEqual(Array.from({ length: 60 }, (_, n) => first!.paneEnd + n + 2));
});

it('a follower writes nothing', async () => {
  const own = await ticking('none', false);
  for (const snapshot of TICKS) own.tick(snapshot);
  expect(await own.written()).toEqual([]);
});
