import { afterEach, expect, it } from 'vitest';
import { FEW_ESTIMATES } from '../support/few-estimates.js';
import { eventually, RunningService } from '../support/program.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { TestTopics } from '../support/topics.js';

const MINUTE = 60_000;
const USERS = 300;
const SESSIONS = 4;
const PARTITIONS = 4;

const SETTINGS = {
  UNSKEW_TIME_TICK: '1m',
  UNSKEW_TIME_WINDOWS: '1h',
  UNSKEW_TIME_IDLE: '2s',
  UNSKEW_TIME_LATENESS: '1s',
  UNSKEW_KAFKA_SESSION_TIMEOUT: '6s',
  UNSKEW_DEAD_LETTERS_TO: 'none',
  ...FEW_ESTIMATES,
};

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Sessions of users, minutes apart; the last event is recent. */
function sessions(keyOf: (user: number, session: number) => string) {
  const newest = Date.now();
  const messages = { exposures: [] as object[], interactions: [] as object[] };
  const add = (role: keyof typeof messages, key: string, event: object) =>
    messages[role].push({ key, value: JSON.stringify(event) });
  for (let session = 0; session < SESSIONS; session++) {
    const ts = newest - (SESSIONS - 1 - session) * 5 * MINUTE;
    for (let n = 0; n < USERS; n++) {
      const user = `u${n}`;
      const key = keyOf(n, session);
      const exposure = `e${n}.${session}`;
      const list = ['a', 'b', 'c', 'd'].slice(n % 3);
      add('exposures', key, { id: exposure, ts, user, model: 'm', items: list });
      const found = { id: `x${n}.${session}`, ts: ts + 1, user, item: list[session % list.length] };
      add('interactions', key, found);
    }
  }
  return messages;
}

async function served(keyOf: (user: number, session: number) => string): Promise<RunningService> {
  const topics = await TestTopics.create(kafkaBrokers, PARTITIONS);
  cleanups.push(() => topics.delete());
  const { exposures, interactions } = sessions(keyOf);
  await topics.send('exposures', exposures as never);
  await topics.send('interactions', interactions as never);
  const running = await RunningService.start(['serve'], { ...topics.settings, ...SETTINGS });
  cleanups.push(() => running.stop());
  return running;
}

const codesOf = (body: string) =>
  (JSON.parse(body) as { states: { code: string }[] }).states.map(({ code }) => code);

const ratioOf = async (service: RunningService) =>
  (await service.scrape()).find(
    ({ name, labels }) => name === 'unskew_split_user_ratio' && labels['by'] === 'interactions',
  )?.value;

it('a service warns if records are keyed by session instead of user', async () => {
  const service = await served((user, session) => `${user}/${session}`);
  await eventually(
    'users in several partitions',
    () => ratioOf(service),
    (ratio) => (ratio ?? 0) > 0.5,
  );
  const { body } = await service.get('/readyz');
  expect(codesOf(body)).toContain('users_split');
  const estimates = await service.get('/api/v1/estimates');
  const { windows } = JSON.parse(estimates.body) as {
    windows: { trust: { answer: string; reasons: { code: string; text: string }[] } }[];
  };
  const { trust } = windows[0]!;
  expect(trust.answer).toBe('no');
  expect(trust.reasons[0]).toMatchObject({
    code: 'users_split',
    text: expect.stringMatching(/of users .*have lists in several partitions/),
  });
});

it('a service does not warn if records are keyed by user', async () => {
  const service = await served((user) => `${user}`);
  await eventually(
    'a pane',
    async () => (await service.get('/api/v1/estimates')).body,
    (body) => body.includes('"windows"'),
  );
  expect(await ratioOf(service)).toBe(0);
  expect(codesOf((await service.get('/readyz')).body)).not.toContain('users_split');
});
