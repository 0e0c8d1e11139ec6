import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { environment, MAIN, unskew } from '../support/program.js';

function start(...argv: string[]) {
  return spawn(process.execPath, [MAIN, ...argv], { env: environment() });
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

it.concurrent('the process exits with 2 and one line for an unknown flag', async () => {
  const child = start('evaluate', '--evnts', 'x', '--events', 'y');
  const [stderr, [code]] = await Promise.all([textOf(child.stderr), once(child, 'exit')]);
  expect(code).toBe(2);
  expect(stderr).toBe("unskew: unknown option '--evnts' (Did you mean --events?)\n");
});

it.concurrent('the process exits quietly when its output is closed', async () => {
  const child = start('config');
  child.stdout.destroy();
  const [stderr, [code]] = await Promise.all([textOf(child.stderr), once(child, 'exit')]);
  expect(stderr).toBe('');
  expect(code).toBe(0);
});

it.concurrent.each([
  ['uncompressed', (bytes: Buffer) => bytes],
  ['gzipped', gzipSync],
])('the file name - reads standard input, %s', async (_, packed) => {
  const child = start('validate', '-');
  child.stdin.end(packed(Buffer.from('{"type":"interaction"}\n')));
  const [stdout, [code]] = await Promise.all([textOf(child.stdout), once(child, 'exit')]);
  expect(stdout).toContain('-:1: missing_field: ts: missing');
  expect(code).toBe(3);
});

it.concurrent('an unreachable broker gives one clear line and exit code 1', async () => {
  const { code, stderr, stdout } = await unskew(['serve'], {
    UNSKEW_KAFKA_BROKERS: '127.0.0.1:1',
    UNSKEW_HTTP_PORT: '0',
    UNSKEW_LOG_LEVEL: 'error',
  });
  expect(code).toBe(1);
  expect(stdout).toBe('');
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stderr).toMatch(/cannot reach Kafka at 127\.0\.0\.1:1/);
  expect(stderr).not.toMatch(/\bat .*\.js/);
});

it.concurrent('a service without a terminal logs in JSON', async () => {
  const child = start('demo', '--port', '0', '--users', '50');
  let logged = '';
  for await (const chunk of child.stderr) {
    logged += String(chunk);
    if (logged.includes('connected to the broker')) break;
  }
  child.kill('SIGTERM');
  await once(child, 'exit');
  for (const line of logged.trim().split('\n')) {
    expect(JSON.parse(line)).toMatchObject({ name: 'unskew', level: 30 });
  }
});
