import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { eventually, RunningService } from '../support/program.js';
import { IS_LONG, repetitions } from '../support/repetitions.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { redisUrl } from '../support/shared/redis.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { createTopics, TestTopics } from '../support/topics.js';

// A service is asked to stop while something that it needs for that does not answer.

/**
 * Above what is configured, since a loaded machine takes its time, and below the 30 s after which
 * clients of Kafka and S3 give up by themselves: only the deadline explains an end within it.
 */
const PATIENCE_MS = 20_000;
const TIMEOUT = { UNSKEW_STOP_TIMEOUT: '3s' };

const ask = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;

/** What they do, and what they ask; in the short form those that are there for longest. */
const CLIENTS = [
  ['read nothing of the stream', ask('/api/v1/stream')],
  // More than a system keeps for a client.
  ['read none of many responses', ask('/metrics').repeat(300)],
  ['have sent half a request', `${ask('/healthz')}GET /met`],
] as const;

let topics: TestTopics;

beforeAll(async () => {
  topics = await TestTopics.create(kafkaBrokers, 1);
});
afterAll(() => topics.delete());

async function started(
  { onTestFinished }: TestContext,
  settings: Readonly<Record<string, string>>,
): Promise<RunningService> {
  const own = { UNSKEW_KAFKA_GROUP_ID: randomUUID() };
  const all = { ...topics.settings, ...own, ...TIMEOUT, ...settings };
  const service = await RunningService.start(['serve'], all);
  onTestFinished(() => service.kill());
  return service;
}

async function proxyBefore({ onTestFinished }: TestContext, address: string): Promise<TcpProxy> {
  const proxy = await TcpProxy.before(`tcp://${address}`, true);
  onTestFinished(() => proxy.cut());
  return proxy;
}

function ready(running: RunningService) {
  return eventually(
    'the service to be ready',
    () => running.get('/readyz'),
    ({ status }) => status === 200,
  );
}

/** Its exit code and the last line that it said. */
async function endOf(running: RunningService): Promise<{ code: number | null; last: string }> {
  const stopped = running.stop();
  await eventually(
    'the service to end',
    async () => running.hasEnded,
    (hasEnded) => hasEnded,
    PATIENCE_MS,
  );
  return { code: await stopped, last: running.output.trim().split('\n').at(-1)! };
}

/** A server that takes every connection and never answers. */
async function silentServer(): Promise<{ url: string; asked(): number; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => {})));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => sockets.size,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

describe.concurrent('a service that is asked to stop', () => {
  it('exits while Kafka is frozen and says how many dead letters are lost', async (context) => {
    const own = await TestTopics.create(kafkaBrokers, 1);
    context.onTestFinished(() => own.delete());
    const proxy = await proxyBefore(context, kafkaBrokers);
    const running = await started(context, {
      ...own.settings,
      UNSKEW_KAFKA_BROKERS: proxy.address,
    });
    // From now on no letter can be written, however often it is tried.
    const letterbox = await withoutDeadLetters(own);
    context.onTestFinished(letterbox.restore);
    const value = 'no event '.repeat(1_000);
    await own.send(
      'interactions',
      Array.from({ length: 1_500 }, () => ({ value })),
    );
    await eventually(
      'all events to be refused',
      () => running.scrape(),
      (series) =>
        series.some(
          ({ labels, value: count }) => labels['outcome'] === 'not_json' && count === 1_500,
        ),
    );
    proxy.freeze('both');
    const { code, last } = await endOf(running);
    expect(last).toMatch(
      /^unskew: forced to stop: .*3 s.*reading from the broker.*dead letters \(\d+ not written\)/,
    );
    expect(code).toBe(1);
  });

  it('exits while Redis is frozen', async (context) => {
    const { host } = new URL(redisUrl);
    const proxy = await proxyBefore(context, host);
    const running = await started(context, {
      UNSKEW_STATE_STORE: 'redis',
      UNSKEW_STATE_REDIS_URL: `redis://${proxy.address}`,
      UNSKEW_STATE_EVERY: '200ms',
      // Two fifths of it go to the last checkpoint, and a busy machine needs time for the rest.
      UNSKEW_STOP_TIMEOUT: '8s',
    });
    await ready(running);
    proxy.freeze('both');
    const { code } = await endOf(running);
    // What is not saved is read again by the next one, so nothing is lost.
    expect(code).toBe(0);
  });

  it.for(CLIENTS.slice(0, repetitions(1, CLIENTS.length)))(
    'exits with clients that %s',
    async ([, question], context) => {
      const running = await started(context, {});
      await ready(running);
      const { hostname, port } = new URL(running.address);
      const clients = Array.from({ length: 5 }, () =>
        connect(Number(port), hostname).on('error', () => {}),
      );
      for (const client of clients) {
        client.write(question);
        client.pause();
      }
      await Promise.all(clients.map((client) => once(client, 'readable')));
      const { code } = await endOf(running);
      for (const client of clients) client.destroy();
      expect(code).toBe(0);
    },
  );

  it('exits while the storage of sets does not answer', async (context) => {
    const storage = await silentServer();
    const running = await started(context, {
      UNSKEW_EXPORT_OUT: 's3://bucket/sets',
      UNSKEW_EXPORT_SCHEDULE: '* * * * * *',
      UNSKEW_EXPORT_S3_ENDPOINT: storage.url,
      AWS_ACCESS_KEY_ID: 'nobody',
      AWS_SECRET_ACCESS_KEY: 'nothing',
    });
    await ready(running);
    await eventually(
      'a request for sets',
      async () => storage.asked(),
      (asked) => asked > 0,
    );
    const { code, last } = await endOf(running);
    storage.close();
    expect(last).toMatch(/forced to stop: .*making test sets/);
    expect(code).toBe(1);
  });

  // The same parts, at other moments.
  if (!IS_LONG) return;

  it('exits while Kafka and Redis are frozen', async (context) => {
    const kafka = await proxyBefore(context, kafkaBrokers);
    const redis = await proxyBefore(context, new URL(redisUrl).host);
    const running = await started(context, {
      UNSKEW_KAFKA_BROKERS: kafka.address,
      UNSKEW_STATE_STORE: 'redis',
      UNSKEW_STATE_REDIS_URL: `redis://${redis.address}`,
      UNSKEW_STATE_EVERY: '200ms',
    });
    await ready(running);
    kafka.freeze('both');
    redis.freeze('both');
    const { code, last } = await endOf(running);
    expect(last).toMatch(/forced to stop: .*reading from the broker/);
    expect(code).toBe(1);
  });

  it('exits while it waits for the first answer of Kafka', async (context) => {
    const kafka = await proxyBefore(context, kafkaBrokers);
    kafka.freeze('both');
    const running = await started(context, { UNSKEW_KAFKA_BROKERS: kafka.address });
    await eventually(
      'the service to ask for Kafka',
      async () => kafka.clients,
      (clients) => clients > 0,
    );
    const { code } = await endOf(running);
    expect(code).toBe(0);
  });
});

/** Takes the topic of dead letters away. */
async function withoutDeadLetters({ kafka, name }: TestTopics) {
  const admin = kafka.admin();
  await admin.connect();
  await admin.deleteTopics({ topics: [`${name}.dead`] });
  return {
    restore: async () => {
      await createTopics(admin, [{ topic: `${name}.dead`, numPartitions: 1 }]);
      await admin.disconnect();
    },
  };
}
