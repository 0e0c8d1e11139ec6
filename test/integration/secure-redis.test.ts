import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireCommand } from '../../deploy/services.mjs';
import { certificate } from '../support/certificate.js';
import { eventually, unskew } from '../support/program.js';
import { freePort } from '../support/prometheus.js';

const run = promisify(execFile);
/** What the service does in Redis, and nothing beside it. */
const RIGHTS =
  '+eval +get +set +hget +hset +hmget +hgetall +time +exists +persist +unlink +getrange +hdel +scan';
const CONNECTION = '+info +ping +select +client';
const MARKS = '+zadd +zcard +zscore +zrange +zremrangebyrank';

const closing: (() => Promise<unknown>)[] = [];
let folder: string;

beforeEach(async () => {
  await requireCommand('redis-server', 'redis-server', () => {});
  folder = await mkdtemp(join(tmpdir(), 'unskew-secure-'));
  closing.push(() => rm(folder, { recursive: true, force: true }));
});

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server that takes one user, by TLS alone. */
async function secureRedis() {
  const { key, cert } = await certificate(folder);
  const port = await freePort();
  const acl = join(folder, 'users.acl');
  await writeFile(
    acl,
    `user default off\nuser unskew on >s3cret ~unskew:* ${RIGHTS} ${CONNECTION} ${MARKS}\n`,
  );
  const tls = ['--tls-port', `${port}`, '--tls-cert-file', cert, '--tls-key-file', key];
  const plain = ['--port', '0', '--bind', '127.0.0.1', '--save', '', '--tls-auth-clients', 'no'];
  const child = spawn('redis-server', [...plain, ...tls, '--aclfile', acl], { cwd: folder });
  closing.push(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await eventually(
    'Redis to take connections',
    async () => output,
    (text) => text.includes('Ready to accept'),
    15_000,
  );
  return { port, cert };
}

/** Takes an epoch, keeps a checkpoint and marks in a process of its own. */
async function used(url: string, env: Record<string, string>): Promise<string> {
  const redis = new URL('../../src/adapters/redis/', import.meta.url).href;
  const script = `
    import { RedisCheckpointStore } from '${redis}checkpoint-store.js';
    import { RedisMarkStore } from '${redis}mark-store.js';
    const options = { url: ${JSON.stringify(url)}, namespace: 'secure' };
    const store = new RedisCheckpointStore(options);
    const marks = new RedisMarkStore(options);
    try {
      for (let n = 0; n < 502; n++) {
        await marks.add({ id: 'm' + n, time: n, kind: 'config', text: 'x' + n }, 'setting');
      }
      if ((await marks.all()).length !== 500) throw new Error('marks are not kept');
      const epoch = await store.takeEpoch(0);
      const bytes = Buffer.from('kept');
      for (let n = 0; n < 3; n++) await store.save(0, epoch, [bytes]);
      for await (const kept of store.load(0)) { console.log(String(Buffer.from(kept))); break; }
    } catch (error) {
      console.log(error.message);
    }
    await store.close();
    await marks.close();`;
  const path = join(folder, 'use.mjs');
  await writeFile(path, script);
  const { stdout } = await run(process.execPath, ['--import', 'tsx', path], {
    env: { ...process.env, ...env },
  });
  return stdout.trim();
}

describe('a Redis that requires TLS and a user', () => {
  it('stores checkpoints and marks if its certificate is trusted', async () => {
    const { port, cert } = await secureRedis();
    const trusting = { NODE_EXTRA_CA_CERTS: cert };
    expect(await used(`rediss://unskew:s3cret@localhost:${port}`, trusting)).toBe('kept');
  });

  it('is not used if its certificate is not trusted or the password is wrong', async () => {
    const { port, cert } = await secureRedis();
    const untrusted = await used(`rediss://unskew:s3cret@localhost:${port}`, {});
    expect(untrusted).toMatch(/^Redis at localhost:\d+: /);
    const wrong = await used(`rediss://unskew:wr0ng@localhost:${port}`, {
      NODE_EXTRA_CA_CERTS: cert,
    });
    expect(wrong).toMatch(/^Redis at localhost:\d+: /);
    expect(untrusted + wrong).not.toMatch(/s3cret|wr0ng/);
  });

  it('is never printed with its password', async () => {
    const env = {
      UNSKEW_STATE_STORE: 'redis',
      UNSKEW_STATE_REDIS_URL: 'rediss://unskew:s3cret@localhost:1',
      UNSKEW_KAFKA_SASL_MECHANISM: 'plain',
      UNSKEW_KAFKA_SASL_USERNAME: 'unskew',
      UNSKEW_KAFKA_SASL_PASSWORD: 'an0ther',
    };
    const { stdout, stderr, code } = await unskew(['config'], env);
    expect(code).toBe(0);
    expect(stdout).toMatch(/store: "redis"/);
    expect(stdout + stderr).not.toMatch(/s3cret|an0ther/);
  });
});

it('the manual names exactly the tested rights', async () => {
  const manual = await readFile(new URL('../../docs/operate.md', import.meta.url), 'utf8');
  expect(manual).toContain(`${RIGHTS} ${CONNECTION} ${MARKS}`);
});
