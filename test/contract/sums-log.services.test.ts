import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { KafkaSumsLog } from '../../src/adapters/kafka/sums-log.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const AWAY_MS = 4_000;

let proxy: TcpProxy;
let log: KafkaSumsLog;
afterEach(async () => {
  await log.close();
  await proxy.cut();
});

it('is opened by a worker that starts before the broker answers, and holds what is written', async () => {
  proxy = await TcpProxy.before(`tcp://${kafkaBrokers}`, true);
  await proxy.cut();
  log = new KafkaSumsLog({ brokers: [proxy.address], clientId: 'test' }, `t${randomUUID()}.sums`);
  const back = sleep(AWAY_MS).then(() => proxy.restore());
  await log.open();
  await back;
  const { first, next } = await log.ends();
  expect(next).toEqual(first);
  const bytes = new TextEncoder().encode('sums');
  await log.append([bytes]);
  const found = await log.read(first, 5_000);
  if (found === 'gone') throw new Error(found);
  expect(found.map((record) => Buffer.from(record.bytes).toString())).toEqual(['sums']);
});
