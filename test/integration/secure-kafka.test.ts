import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnBroker, startOwnBroker } from '../../deploy/services.mjs';
import { certificate } from '../support/certificate.js';
import { eventually, RunningService, unskew } from '../support/program.js';
import { IS_LONG } from '../support/repetitions.js';
import { TestTopics } from '../support/topics.js';

const USERNAME = 'unskew';
const PASSWORD = 's3cret';

let folder: string;
let broker: OwnBroker;
let topics: TestTopics;
let cert: string;
let events = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-secure-'));
  const files = await certificate(folder);
  cert = files.cert;
  const both = join(folder, 'both.pem');
  await writeFile(both, (await readFile(files.key, 'utf8')) + (await readFile(cert, 'utf8')));
  broker = await startOwnBroker(undefined, {
    certificate: both,
    username: USERNAME,
    password: PASSWORD,
  });
  topics = await TestTopics.create(broker.brokers, 2);
  const log = join(folder, 'events.ndjson');
  const made = await unskew(['simulate', '--out', folder, '--users', '50', '--cycles', '2']);
  expect(made.code, made.stderr).toBe(0);
  events = await topics.sendFiles([log]);
  // One that cannot be read goes to the dead letters, which are written by the same ways.
  await topics.send('interactions', [{ key: 'u', value: 'not JSON' }]);
});

afterAll(async () => {
  await topics?.delete();
  await broker?.stop();
  await rm(folder, { recursive: true, force: true });
});

let groups = 0;

function settings(mechanism: string, password = PASSWORD): Record<string, string> {
  return {
    ...topics.settings,
    UNSKEW_KAFKA_BROKERS: broker.secureBrokers!,
    UNSKEW_KAFKA_GROUP_ID: `${topics.name}.${groups++}`,
    UNSKEW_KAFKA_SSL: 'true',
    UNSKEW_KAFKA_SASL_MECHANISM: mechanism,
    UNSKEW_KAFKA_SASL_USERNAME: USERNAME,
    UNSKEW_KAFKA_SASL_PASSWORD: password,
    NODE_EXTRA_CA_CERTS: cert,
  };
}

async function counted(service: RunningService): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name, labels, value } of await service.scrape()) {
    if (name === 'unskew_dead_letters_total') counts['dead'] = (counts['dead'] ?? 0) + value;
    if (name !== 'unskew_events_total' || labels['outcome'] !== 'accepted') continue;
    counts['accepted'] = (counts['accepted'] ?? 0) + value;
  }
  return counts;
}

describe('a broker that asks for TLS and a user', () => {
  // One waits while others do.
  it.concurrent.each(IS_LONG ? ['plain', 'scram-sha-256', 'scram-sha-512'] : ['scram-sha-512'])(
    'is read to the end, and takes dead letters, by %s',
    async (mechanism) => {
      const service = await RunningService.start(['serve'], settings(mechanism));
      try {
        await eventually(
          'all events, and the dead letter',
          () => counted(service),
          ({ accepted, dead }) => accepted === events && dead === 1,
        );
        expect(service.output).not.toContain(PASSWORD);
      } finally {
        await service.stop();
      }
    },
  );

  it.concurrent.each(IS_LONG ? ['plain', 'scram-sha-512'] : ['scram-sha-512'])(
    'refuses another password by %s, which is reported in one line without it',
    async (mechanism) => {
      const { code, stderr } = await unskew(['serve'], settings(mechanism, 'wr0ng'));
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/authenticat/i);
      expect(stderr).not.toMatch(/wr0ng|\n\s+at /);
    },
  );

  it.concurrent('is not believed where its certificate is not trusted', async () => {
    const { NODE_EXTRA_CA_CERTS: _trusted, ...rest } = settings('plain');
    const { code, stderr } = await unskew(['serve'], {
      ...rest,
    });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/self.signed certificate/i);
    expect(stderr).not.toMatch(/s3cret|\n\s+at /);
  });

  it.concurrent('is not reached without TLS, and says so in one line', async () => {
    const { code, stderr } = await unskew(['serve'], {
      ...settings('plain'),
      UNSKEW_KAFKA_SSL: 'false',
    });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/cannot reach Kafka at localhost:\d+: /);
    expect(stderr).not.toMatch(/s3cret|\n\s+at /);
  });
});
