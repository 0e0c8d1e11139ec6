import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BODIES } from '../../src/commands/cli/bodies.js';
import { encodeEvent } from '../../src/events/encode.js';
import { seeded } from '../oracle/random.js';
import { type Event, feed, smallOptions } from '../support/log.js';
import { repetitions } from '../support/repetitions.js';
import { run } from '../unit/cli/fake-io.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const MAX_FUTURE_MS = 5 * MINUTE;
const START = Date.UTC(2026, 4, 20);
const OPTIONS = smallOptions({
  tickMs: MINUTE,
  windows: [{ name: '5m', ms: 5 * MINUTE }],
  latenessMs: 30 * SECOND,
});

interface World {
  readonly users: number;
  readonly eventsPerMinute: number;
  readonly minutes: number;
  /** By how much a user's clock is off, ms. */
  readonly offOf: (user: number, of: () => number) => number;
}

interface Arrival {
  readonly event: Event;
  readonly receivedAt: number;
  readonly isRight: boolean;
}

/** A list or a click each, which arrive 3 s later on average, in the order in which they arrive. */
function arrivals(world: World, seed: number): Arrival[] {
  const of = seeded(seed);
  const offs = Array.from({ length: world.users }, (_, user) => world.offOf(user, of));
  const all: Arrival[] = [];
  for (let n = 0; n < world.eventsPerMinute * world.minutes; n++) {
    const at = START + Math.floor(of() * world.minutes * MINUTE);
    const receivedAt = at + Math.ceil(-3 * SECOND * Math.log(1 - of()));
    const place = Math.floor(of() * world.users);
    const event = {
      id: `e${n}`,
      ts: at + offs[place]!,
      user: `u${place}`,
      ...(n % 2 === 0
        ? { type: 'exposure' as const, model: 'm', items: ['a', 'b'] }
        : { type: 'interaction' as const, item: 'a' }),
    };
    all.push({ event, receivedAt, isRight: offs[place] === 0 });
  }
  return all.sort((a, b) => a.receivedAt - b.receivedAt);
}

const RIGHT = () => 0;
const isOneOf = (user: number) => user % 100 === 0;
const CLOCKS: readonly [string, World['offOf']][] = [
  ['two minutes ahead', (user) => (isOneOf(user) ? 2 * MINUTE : 0)],
  [
    'ahead by up to time.maxFuture',
    (user, of) => (isOneOf(user) ? Math.round(of() * MAX_FUTURE_MS) : 0),
  ],
  [
    'off by up to time.maxFuture either way',
    (user, of) => (isOneOf(user) ? Math.round((2 * of() - 1) * MAX_FUTURE_MS) : 0),
  ],
];
const SEEDS = Array.from({ length: repetitions(1, 20) }, (_, n) => n + 1);
const BUSY = { users: 400, eventsPerMinute: 1200, minutes: 20 };

/** Late events of a topic. */
function lateOfTopic(log: readonly Arrival[], partitions = 2): number {
  const receivedAt = new Map(log.map(({ event, receivedAt }) => [event.id, receivedAt]));
  const how = { partitions, batchSize: 100, run: 1 };
  const events = log.map(({ event }) => event);
  const recordTsOf = ({ id }: Event) => receivedAt.get(id)!;
  return feed(events, OPTIONS, { ...how, recordTsOf }).outcomes.late;
}

/** A row of a table, as many programs write one. */
function rowOf({ event, receivedAt }: Arrival): string {
  const { type, id, ts, user } = event;
  const rest = event.type === 'exposure' ? `m,a|b,` : `,,a`;
  return [type, id, ts, user, rest, new Date(receivedAt).toISOString()].join(',');
}

/** The forms of a file: without the time of arrival, and with it. */
const FILES = {
  'log.ndjson': (log: readonly Arrival[]) => log.map(({ event }) => encodeEvent(event)),
  'received.ndjson': (log: readonly Arrival[]) =>
    log.map(({ event, receivedAt }) => encodeEvent({ ...event, received: receivedAt })),
  'received.csv': (log: readonly Arrival[]) => [
    'type,id,ts,user,model,items,item,received',
    ...log.map(rowOf),
  ],
} as const;

/** Late events of `replay` of a file of the same log; `log.ndjson` does not say when they arrived. */
async function lateOfFile(
  log: readonly Arrival[],
  form: keyof typeof FILES = 'log.ndjson',
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'unskew-clocks-'));
  try {
    const file = join(folder, form);
    await writeFile(file, `${FILES[form](log).join('\n')}\n`);
    const { stdout, code } = await run(['replay', file, '--tick', '1m', '--json'], BODIES);
    expect(code).toBe(0);
    const lines = stdout.trim().split('\n');
    return (JSON.parse(lines.at(-1)!) as { counts: { late: number } }).counts.late;
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe.each(CLOCKS)('1 % of clocks that are %s', (_, offOf) => {
  it.each(SEEDS)('make almost no event of other users late: seed %i', async (seed) => {
    const off = arrivals({ ...BUSY, offOf }, seed);
    const control = arrivals({ ...BUSY, offOf: RIGHT }, seed);
    const ofWrong = off.filter(({ isRight }) => !isRight).length;
    // A clock that is behind makes its own events late, as it should.
    const own = off.some(({ event, receivedAt }) => Number(event.ts) < receivedAt - MINUTE)
      ? ofWrong
      : 0;
    const most = 0.001 * off.length + own;
    expect(ofWrong).toBeGreaterThan(0.005 * off.length);
    expect(lateOfTopic(off) - lateOfTopic(control)).toBeLessThanOrEqual(most);
    expect((await lateOfFile(off)) - (await lateOfFile(control))).toBeLessThanOrEqual(most);
  });
});

describe('a file with the receipt times of its events', () => {
  const SMALL = { users: 200, eventsPerMinute: 600, minutes: 10 };
  /** One user in twenty is far ahead, and one in four an hour behind. */
  const offOf = (user: number) => {
    if (user % 20 === 0) return 4 * MINUTE;
    return user % 4 === 1 ? -60 * MINUTE : 0;
  };
  const all = arrivals({ ...SMALL, offOf }, 3);
  const late = lateOfTopic(all, 1);

  it.each(['received.ndjson', 'received.csv'] as const)(
    'has the same late events as its topic: %s',
    async (form) => {
      expect(late).toBeGreaterThan(0.2 * all.length);
      expect(await lateOfFile(all, form)).toBe(late);
    },
  );

  it('has more late events without receipt times', async () => {
    expect(await lateOfFile(all)).toBeGreaterThan(1.2 * late);
  });
});
