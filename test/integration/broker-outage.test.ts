import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OwnBroker, startOwnBroker } from '../../deploy/services.mjs';
import { eventually, RunningService, unskew } from '../support/program.js';
import { TestTopics } from '../support/topics.js';

// A broker of this test's own, since it is stopped and started.
let broker: OwnBroker;
beforeAll(async () => {
  broker = await startOwnBroker();
});
afterAll(() => broker.stop());

const interactions = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => ({
    key: `u${n % 7}`,
    value: JSON.stringify({ id: `x${from + n}`, ts: Date.now(), user: `u${n % 7}`, item: 'i' }),
  }));

async function accepted(service: RunningService): Promise<number> {
  const series = await service.scrape();
  return series
    .filter(
      ({ name, labels }) => name === 'unskew_events_total' && labels['outcome'] === 'accepted',
    )
    .reduce((sum, { value }) => sum + value, 0);
}

it('a broker that goes away and comes back is picked up again, nothing lost or counted twice', async () => {
  const topics = await TestTopics.create(broker.brokers, 3);
  await topics.send('interactions', interactions(0, 500));
  const service = await RunningService.start(['serve'], topics.settings);
  try {
    await eventually(
      'the first 500 events',
      () => accepted(service),
      (count) => count === 500,
    );
    await eventually(
      'the service to be ready',
      () => service.get('/readyz'),
      ({ status }) => status === 200,
    );

    await broker.stopBroker();
    await eventually(
      'the service to say that the broker is away',
      () => service.get('/readyz'),
      ({ status }) => status === 503,
    );
    expect((await service.get('/healthz')).status).toBe(200);

    await broker.startBroker();
    await topics.send('interactions', interactions(500, 900));
    await eventually(
      'all 900 events',
      () => accepted(service),
      (count) => count >= 900,
    );
    await eventually(
      'the service to be ready once more',
      () => service.get('/readyz'),
      ({ status }) => status === 200,
    );
    expect(await accepted(service)).toBe(900);
  } finally {
    expect(await service.stop()).toBe(0);
  }
});

it('a broker that is not there is one clear line and exit code 1', async () => {
  const { code, stderr, stdout } = await unskew(['serve'], {
    UNSKEW_KAFKA_BROKERS: '127.0.0.1:1',
    UNSKEW_KAFKA_CONNECT_TIMEOUT: '1s',
    UNSKEW_HTTP_PORT: '0',
    UNSKEW_LOG_LEVEL: 'error',
  });
  expect(code).toBe(1);
  expect(stdout).toBe('');
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stderr).toMatch(/cannot reach Kafka at 127\.0\.0\.1:1/);
  expect(stderr).not.toMatch(/\bat .*\.js/);
});
