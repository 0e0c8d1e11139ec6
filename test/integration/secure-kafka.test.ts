import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  kafkaClassPath,
  type OwnBroker,
  requireCommand,
  startOwnBroker,
} from '../../deploy/services.mjs';
import { describeAtNight, itAtNight } from '../support/at-night.js';
import { certificate } from '../support/certificate.js';
import { eventually, RunningService, unskew } from '../support/program.js';
import { IS_LONG } from '../support/repetitions.js';
import { TokenIssuer } from '../support/token-issuer.js';
import { TestTopics } from '../support/topics.js';

const run = promisify(execFile);
const USERNAME = 'unskew';
const PASSWORD = 's3cret';
const CLIENT = { id: 'unskew', secret: 'cl1ent-s3cret' };
/** Long enough that brokers take a renewal, short enough to wait for. */
const LIFE_MS = 14_000;

let folder: string;
let cert: string;
let broker: OwnBroker;
let topics: TestTopics;
let issuer: TokenIssuer;
let clients: { key: string; cert: string };
let events = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-login-'));
  const server = await certificate(folder);
  cert = join(folder, 'broker.pem');
  await writeFile(cert, await readFile(server.cert));
  const both = join(folder, 'both.pem');
  await writeFile(both, (await readFile(server.key, 'utf8')) + (await readFile(cert, 'utf8')));
  clients = await certificate(folder);
  const jwks = join(folder, 'jwks.json');
  issuer = await TokenIssuer.start(jwks, CLIENT, LIFE_MS);
  broker = await startOwnBroker(undefined, {
    certificate: both,
    username: USERNAME,
    password: PASSWORD,
    clients: clients.cert,
    tokens: {
      handler: 'org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler',
      properties: {
        'sasl.oauthbearer.jwks.endpoint.url': `file://${jwks}`,
        'sasl.oauthbearer.clock.skew.seconds': '0',
      },
      javaOptions: [`-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=file://${jwks}`],
      longestSessionMs: 3_600_000,
    },
  });
  topics = await TestTopics.create(broker.brokers, 2);
  const made = await unskew(['simulate', '--out', folder, '--users', '40', '--cycles', '2']);
  expect(made.code, made.stderr).toBe(0);
  events = await topics.sendFiles([join(folder, 'events.ndjson')]);
  // One that cannot be read goes to the dead letters, which are written by the same ways.
  await topics.send('interactions', [{ key: 'u', value: 'not JSON' }]);
});

afterAll(async () => {
  await topics?.delete();
  await broker?.stop();
  await issuer?.close();
  await rm(folder, { recursive: true, force: true });
});

let groups = 0;

function settings(brokers: string | undefined, own: Record<string, string>) {
  return {
    ...topics.settings,
    UNSKEW_KAFKA_BROKERS: brokers!,
    UNSKEW_KAFKA_GROUP_ID: `${topics.name}.${groups++}`,
    UNSKEW_KAFKA_SSL: 'true',
    UNSKEW_KAFKA_TLS_CA: cert,
    ...own,
  };
}

/** The certificate is trusted as Node lets it be, without a setting of our own. */
function byPassword(mechanism: string, password = PASSWORD): Record<string, string> {
  const { UNSKEW_KAFKA_TLS_CA: _none, ...given } = settings(broker.secureBrokers, {
    UNSKEW_KAFKA_SASL_MECHANISM: mechanism,
    UNSKEW_KAFKA_SASL_USERNAME: USERNAME,
    UNSKEW_KAFKA_SASL_PASSWORD: password,
    NODE_EXTRA_CA_CERTS: cert,
  });
  return given;
}

const byIssuer = (secret = CLIENT.secret, tokenUrl = issuer.tokenUrl) =>
  settings(broker.secureBrokers, {
    UNSKEW_KAFKA_SASL_MECHANISM: 'oauthbearer',
    UNSKEW_KAFKA_SASL_TOKEN_URL: tokenUrl,
    UNSKEW_KAFKA_SASL_CLIENT_ID: CLIENT.id,
    UNSKEW_KAFKA_SASL_CLIENT_SECRET: secret,
  });

const byCertificate = (own: { key: string; cert: string }) =>
  settings(broker.mutualBrokers, {
    UNSKEW_KAFKA_TLS_CERTIFICATE: own.cert,
    UNSKEW_KAFKA_TLS_KEY: own.key,
  });

async function accepted(service: RunningService): Promise<number> {
  let sum = 0;
  for (const { name, labels, value } of await service.scrape()) {
    if (name === 'unskew_events_total' && labels['outcome'] === 'accepted') sum += value;
  }
  return sum;
}

async function deadLetters(service: RunningService): Promise<number> {
  const letters = (await service.scrape()).filter(
    ({ name }) => name === 'unskew_dead_letters_total',
  );
  return letters.reduce((sum, { value }) => sum + value, 0);
}

/** Reads all there is, and whatever `then` does besides. */
async function reads(
  given: Record<string, string>,
  then: (service: RunningService) => Promise<void> = async () => {},
): Promise<string> {
  const service = await RunningService.start(['serve'], given);
  try {
    await eventually(
      'all events',
      () => accepted(service),
      (count) => count >= events,
    );
    await then(service);
  } finally {
    await service.stop();
  }
  return service.output;
}

async function refusal(given: Record<string, string>): Promise<string> {
  const { code, stderr } = await unskew(['serve'], given);
  expect(code).not.toBe(0);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(stderr).not.toMatch(/s3cret|wr0ng|eyJ/);
  return stderr;
}

const unreached = /cannot reach Kafka at localhost:\d+: /;
const ofCertificate = /cannot reach Kafka at localhost:\d+: .*certificate/i;

// Those come first that are tried again until the client gives up: one waits while others do.
describe('a broker is not reached', () => {
  it.concurrent('if its certificate is not trusted', async () => {
    const { NODE_EXTRA_CA_CERTS: _trusted, ...given } = byPassword('plain');
    expect(await refusal(given)).toMatch(/self.signed certificate/i);
  });

  it.concurrent('without the client certificate that it requires', async () => {
    expect(await refusal(settings(broker.mutualBrokers, {}))).toMatch(ofCertificate);
  });
});

// What an issuer answers is each day in test/unit/adapters/kafka/tokens.test.ts.
describeAtNight('a broker is not reached', () => {
  it.concurrent('without TLS', async () => {
    const given = { ...byPassword('plain'), UNSKEW_KAFKA_SSL: 'false' };
    expect(await refusal(given)).toMatch(unreached);
  });

  it.concurrent('with a client certificate that it does not trust', async () => {
    const stranger = byCertificate({ cert, key: join(folder, 'both.pem') });
    expect(await refusal(stranger)).toMatch(ofCertificate);
  });

  it.concurrent('while the token issuer is away', async () => {
    const given = byIssuer(CLIENT.secret, 'http://127.0.0.1:9/token');
    expect(await refusal(given)).toMatch(/cannot get a token from http:\/\/127\.0\.0\.1:9\/token/);
  });

  it.concurrent('if the token issuer rejects the client', async () => {
    expect(await refusal(byIssuer('wr0ng'))).toMatch(
      /token answers with 401 invalid_client: it refuses the client id or secret of kafka\.sasl/,
    );
  });
});

describe('a broker that requires TLS and a user', () => {
  it.concurrent.each(IS_LONG ? ['plain', 'scram-sha-256', 'scram-sha-512'] : ['scram-sha-512'])(
    'is read to the end and receives dead letters, by %s',
    async (mechanism) => {
      const output = await reads(byPassword(mechanism), async (service) => {
        await eventually(
          'the dead letter',
          () => deadLetters(service),
          (count) => count === 1,
        );
      });
      expect(output).not.toContain(PASSWORD);
    },
  );

  it.concurrent.each(IS_LONG ? ['plain', 'scram-sha-512'] : ['scram-sha-512'])(
    'rejects a wrong password by %s',
    async (mechanism) => {
      expect(await refusal(byPassword(mechanism, 'wr0ng'))).toMatch(/authenticat/i);
    },
  );
});

describe('a broker that accepts tokens', () => {
  it.concurrent('is read with tokens of an issuer that all connections share', async () => {
    const before = issuer.issued;
    const output = await reads(byIssuer());
    expect(output).not.toContain(CLIENT.secret);
    // All clients of the process have one, which a busy machine may outlive.
    expect(issuer.issued - before).toBeLessThan(5);
  });

  it.concurrent('rejects an expired token', async () => {
    const given = settings(broker.secureBrokers, {
      UNSKEW_KAFKA_SASL_MECHANISM: 'oauthbearer',
      UNSKEW_KAFKA_SASL_TOKEN: issuer.token(-60_000),
    });
    expect(await refusal(given)).toMatch(
      /the broker refuses the token of kafka\.sasl: invalid_token/,
    );
  });

  itAtNight('stays readable while tokens expire and a token file is replaced', async () => {
    const file = join(folder, 'token');
    const keepFresh = async (signal: AbortSignal) => {
      while (!signal.aborted) {
        await writeFile(file, issuer.token());
        await sleep(3_000, undefined, { signal }).catch(() => {});
      }
    };
    const done = new AbortController();
    const fresh = keepFresh(done.signal);
    const byFile = settings(broker.secureBrokers, {
      UNSKEW_KAFKA_SASL_MECHANISM: 'oauthbearer',
      UNSKEW_KAFKA_SASL_TOKEN_FILE: file,
    });
    const before = issuer.issued;
    const goesOn = async (service: RunningService) => {
      // Three lives of a token, and then something new to read.
      await sleep(3 * LIFE_MS);
      const more = join(folder, `more-${groups++}.ndjson`);
      const event = { type: 'interaction', user: 'u', item: 'i', ts: Date.now() };
      await appendFile(more, `${JSON.stringify({ ...event, id: more })}\n`);
      const known = await accepted(service);
      await topics.sendFiles([more]);
      await eventually(
        'what was written after three lives of a token',
        () => accepted(service),
        (count) => count > known,
      );
    };
    const outputs = await Promise.all([reads(byIssuer(), goesOn), reads(byFile, goesOn)]);
    done.abort();
    await fresh;
    expect(issuer.issued - before).toBeGreaterThan(4);
    for (const output of outputs) {
      expect(output).not.toMatch(/ILLEGAL_SASL_STATE|authentication failed/);
    }
  });
});

describe('a broker that authenticates clients by certificate', () => {
  it.concurrent('is read with a client certificate', async () => {
    await reads(byCertificate(clients));
  });
});

describeAtNight('a broker that accepts signed requests, like Amazon’s', () => {
  it('is read with the right credentials and rejects others', async () => {
    await requireCommand('javac', 'default-jdk-headless', () => {});
    const classPath = await kafkaClassPath();
    const source = fileURLToPath(new URL('../fixtures/kafka/SignedRequests.java', import.meta.url));
    const classes = join(folder, 'classes');
    await run('javac', ['-cp', classPath, '-d', classes, source]);
    const own = await startOwnBroker(undefined, {
      certificate: join(folder, 'both.pem'),
      username: 'u',
      password: 'p',
      tokens: { handler: 'SignedRequests', classes },
    });
    const theirs = await TestTopics.create(own.brokers, 2);
    try {
      await theirs.sendFiles([join(folder, 'events.ndjson')]);
      const given = {
        ...settings(own.secureBrokers, { UNSKEW_KAFKA_SASL_MECHANISM: 'aws-msk-iam' }),
        ...theirs.settings,
        UNSKEW_KAFKA_BROKERS: own.secureBrokers!,
        UNSKEW_KAFKA_SASL_REGION: 'eu-west-1',
      };
      const keys = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 's3cret' };
      expect(await reads({ ...given, ...keys })).not.toContain('s3cret');
      const other = { ...keys, AWS_ACCESS_KEY_ID: 'AKIDOTHER' };
      expect(await refusal({ ...given, ...other })).toMatch(
        /refuses the token of kafka\.sasl: invalid_token/,
      );
    } finally {
      await theirs.delete();
      await own.stop();
    }
  });
});
