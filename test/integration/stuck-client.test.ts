import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type OwnBroker, startOwnBroker } from '../../deploy/services.mjs';
import { eventually, RunningService } from '../support/program.js';
import { IS_LONG } from '../support/repetitions.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TestTopics } from '../support/topics.js';

const FETCH = 1;

let cable: TcpProxy;
let broker: OwnBroker;
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
const running: RunningService[] = [];
afterEach(async () => {
  cable.thaw();
  cable.swallowNothing();
  for (const service of running.splice(0)) await service.kill();
});

async function started(settings: Readonly<Record<string, string>>): Promise<RunningService> {
  const service = await RunningService.start(['serve'], settings);
  running.push(service);
  return service;
}

async function settingsOf(topics: TestTopics): Promise<Readonly<Record<string, string>>> {
  return {
    ...topics.settings,
    UNSKEW_KAFKA_BROKERS: `127.0.0.1:${cable.port}`,
    UNSKEW_KAFKA_STUCK_TIMEOUT: '2s',
    UNSKEW_KAFKA_SESSION_TIMEOUT: '6s',
  };
}

const interaction = (n: number) => ({
  key: 'u',
  value: JSON.stringify({ id: `x${n}`, ts: Date.now(), user: 'u', item: 'i' }),
});

async function accepted(service: RunningService): Promise<number> {
  const series = await service.scrape();
  return series
    .filter(
      ({ name, labels }) => name === 'unskew_events_total' && labels['outcome'] === 'accepted',
    )
    .reduce((sum, { value }) => sum + value, 0);
}

const hasRead = (service: RunningService, events: number) =>
  eventually(
    `${events} events`,
    () => accepted(service),
    (count) => count === events,
  );

/** In a cut that nobody is told of: nothing that would be better after a new start. */
it('a broker that takes requests and answers none leaves the process alive, and unready', async () => {
  const topics = await TestTopics.create(broker.brokers, 1);
  await topics.send('interactions', [interaction(1)]);
  const service = await started(await settingsOf(topics));
  await hasRead(service, 1);
  cable.freeze('answers');
  await eventually(
    'the service to say that the broker is away',
    () => service.get('/readyz'),
    ({ status, body }) => status === 503 && body.includes('"broker","ok":false'),
  );
  expect((await service.get('/healthz')).status).toBe(200);
  cable.thaw();
  await topics.send('interactions', [interaction(2)]);
  await hasRead(service, 2);
  expect(service.hasEnded).toBe(false);
});

// Three sessions have to be given up, one after the other, each within its time: for the night.
if (IS_LONG) {
  it('a process whose fetches get no answer ends with 1, and the next one goes on', async () => {
    const topics = await TestTopics.create(broker.brokers, 1);
    await topics.send('interactions', [interaction(1)]);
    const settings = await settingsOf(topics);
    const service = await started(settings);
    await hasRead(service, 1);
    cable.swallow(FETCH);
    await eventually(
      'the process to end by itself',
      async () => ({ hasEnded: service.hasEnded, output: service.output }),
      ({ hasEnded }) => hasEnded,
      240_000,
    );
    expect(await service.stop()).toBe(1);
    expect(service.output).toContain('cannot fetch from Kafka, though it answers');
    cable.swallowNothing();
    await topics.send('interactions', [interaction(2)]);
    await hasRead(await started(settings), 2);
  });
}
