import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OwnBroker, startOwnBroker } from '../../deploy/services.mjs';
import { eventually, RunningService } from '../support/program.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TestTopics } from '../support/topics.js';

// A broker of this test's own, since it is stopped and started.
let broker: OwnBroker;
let cable: TcpProxy;
beforeAll(async () => {
  broker = await startOwnBroker(undefined, undefined, async (port) => {
    cable = await TcpProxy.before(`tcp://127.0.0.1:${port}`);
    return cable.port;
  });
});
afterAll(async () => {
  await cable?.cut();
  await broker?.stop();
});

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

it('a service counts every event once across a broker outage', async () => {
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

describe('a service whose broker accepts requests without answering', () => {
  const FETCH = 1;
  const running: RunningService[] = [];
  let settings: Readonly<Record<string, string>>;
  let topics: TestTopics;

  beforeEach(async () => {
    topics = await TestTopics.create(broker.brokers, 1);
    settings = {
      ...topics.settings,
      UNSKEW_KAFKA_BROKERS: cable.address,
      UNSKEW_KAFKA_SESSION_TIMEOUT: '6s',
    };
  });
  afterEach(async () => {
    cable.thaw();
    cable.swallowNothing();
    for (const service of running.splice(0)) await service.kill();
  });

  async function started(): Promise<RunningService> {
    const service = await RunningService.start(['serve'], settings);
    running.push(service);
    return service;
  }

  const hasRead = (service: RunningService, events: number) =>
    eventually(
      `${events} events`,
      () => accepted(service),
      (count) => count === events,
    );

  it('stays alive but not ready, and resumes when answers return', async () => {
    await topics.send('interactions', interactions(0, 1));
    const service = await started();
    await hasRead(service, 1);
    cable.freeze('answers');
    await eventually(
      'the service to say that the broker is away',
      () => service.get('/readyz'),
      ({ status, body }) => status === 503 && body.includes('"broker","ok":false'),
    );
    expect((await service.get('/healthz')).status).toBe(200);
    cable.thaw();
    await topics.send('interactions', interactions(1, 2));
    await hasRead(service, 2);
    expect(service.hasEnded).toBe(false);
  });

  it('exits with 1 if only fetches get no answer, and resumes after a restart', async () => {
    await topics.send('interactions', interactions(0, 1));
    const service = await started();
    await hasRead(service, 1);
    cable.swallow(FETCH);
    await eventually(
      'the process to end by itself',
      async () => ({ hasEnded: service.hasEnded, output: service.output }),
      ({ hasEnded }) => hasEnded,
      240_000,
    );
    expect(await service.stop()).toBe(1);
    expect(service.output).toContain('cannot fetch from Kafka, although it answers');
    cable.swallowNothing();
    await topics.send('interactions', interactions(1, 2));
    await hasRead(await started(), 2);
  });
});
