import { mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { stamped, writePropensities } from '../../src/commands/propensities/stored-propensities.js';
import { Random } from '../../src/estimators/mathematics/random.js';
import { encodeEvent } from '../../src/events/encode.js';
import type { Event } from '../support/log.js';
import { eventually, RunningService } from '../support/program.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { TestTopics } from '../support/topics.js';
import { turnsSince, turnsTo } from '../support/turns.js';

const USERS = 300_000;
const ITEMS = 20_000;
const OF_USERS = 12;
const OF_ITEMS = 6;
const WARM_UP_MS = 5_000;
/** As long as it is written down, and a tick comes. */
const AFTER_MS = 4_000;
const LONGEST_MS = 20;

it('a service rereads a 27 MB propensity file without blocking for 20 ms', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'unskew-propensities-stall-'));
  const at = (name: string) => join(folder, name);
  await writePropensities(at('used.json'), largeFile(0.1));
  await writePropensities(at('new.json'), largeFile(0.2));
  expect(statSync(at('new.json')).size).toBeGreaterThan(27e6);
  const topics = await TestTopics.create(kafkaBrokers, 2);
  const service = await RunningService.start(['serve'], {
    ...topics.settings,
    ...turnsTo(at('turns.json')),
    UNSKEW_RATINGS_PROPENSITIES: at('used.json'),
    UNSKEW_TIME_TICK: '1s',
    UNSKEW_TIME_WINDOWS: '1m',
    UNSKEW_TIME_LATENESS: '500ms',
    UNSKEW_ESTIMATES_METRICS: 'mae,mse',
  });
  const random = new Random(2, 'traffic');
  try {
    const sent = async () => {
      const round = Array.from({ length: 50 }, (_, user) => ratedList(user, Date.now(), random));
      const sentAs = (event: Event) => ({ key: event.user, value: encodeEvent(event) });
      await topics.send(
        'exposures',
        round.map(({ list }) => sentAs(list)),
      );
      await topics.send(
        'interactions',
        round.map(({ rating }) => sentAs(rating)),
      );
    };
    const taken = async () => {
      await sent();
      return (await service.scrape()).find(
        ({ name, labels }) =>
          name === 'unskew_propensity_file_readings_total' && labels['outcome'] === 'taken',
      )?.value;
    };
    for (const end = Date.now() + WARM_UP_MS; Date.now() < end; await sleep(200)) await taken();
    const from = Date.now();
    renameSync(at('new.json'), at('used.json'));
    await eventually('the new file', taken, (count) => count === 1);
    await sleep(AFTER_MS);
    expect(turnsSince(at('turns.json'), from).filter(({ ms }) => ms > LONGEST_MS)).toEqual([]);
    expect(turnsSince(at('turns.json'), 0).length).toBeGreaterThan(0);
  } finally {
    await service.stop();
    await topics.delete();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** A list of ten items and a rating of one of them. */
function ratedList(user: number, ts: number, random: Random): Record<'list' | 'rating', Event> {
  const drawn = () => `i${Math.floor(random.next() * 100)}`;
  const items = [...new Set(Array.from({ length: 10 }, drawn))];
  const about = { id: `${user}-${ts}`, ts, user: `u${user}` };
  const value = 1 + Math.floor(random.next() * 5);
  return {
    list: { type: 'exposure', ...about, model: 'live', items },
    rating: { type: 'interaction', ...about, item: items[0], value },
  };
}

/** Of users and items with features, as a regression on a large log leaves them. */
function largeFile(intercept: number) {
  const features = (count: number, width: number) =>
    Array.from({ length: count }, (_, n) =>
      Array.from({ length: width }, (_, k) => ((n * 31 + k * 17) % 1_000) / 1_000),
    );
  const side = (name: string, count: number, width: number) => ({
    ids: Array.from({ length: count }, (_, n) => `${name}${n}`),
    names: Array.from({ length: width }, (_, k) => `${name}-${k}`),
    features: features(count, width),
    offsets: Array.from({ length: count }, () => 0.125),
  });
  return stamped({
    kind: 'lr',
    date: '2026-01-01T00:00:00.000Z',
    counts: { users: USERS, items: ITEMS, pairs: USERS * ITEMS, chosen: 0, random: 0 },
    figures: { comparison: null } as Parameters<typeof stamped>[0]['figures'],
    model: {
      kind: 'lr',
      l2: 1,
      offsets: 'both',
      rate: 1,
      seed: 1,
      intercept,
      weights: features(OF_USERS, OF_ITEMS),
      users: side('u', USERS, OF_USERS),
      items: side('i', ITEMS, OF_ITEMS),
      itemSums: Array.from({ length: ITEMS }, () => 1.5),
    } as Parameters<typeof stamped>[0]['model'],
  });
}
