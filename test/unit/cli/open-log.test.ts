import { expect, it } from 'vitest';
import { openLog } from '../../../src/commands/cli/open-log.js';
import { liveService } from '../../support/live-service.js';
import { eventually } from '../../support/program.js';

/** A log as a terminal shows it, without the times of its lines. */
function terminal(hasColor = false) {
  const lines: string[] = [];
  const write = (text: string) => {
    expect(text).toMatch(/^\d\d:\d\d:\d\dZ {2}[^\n]+\n$/);
    lines.push(text.slice(11, -1));
  };
  return { lines, log: openLog({ isTerminal: true, hasColor, write }) };
}

it('reports connection, first estimates and errors of a service in words', async () => {
  const { lines, log } = terminal();
  const service = await liveService(
    {
      'time.tick': '1s',
      'time.windows': ['5s'],
      'time.lateness': '1s',
      'time.idle': '1s',
      'attribution.ttl': '1m',
    },
    log,
  );
  try {
    const now = Date.now() - 20_000;
    for (let n = 0; n < 20; n++) {
      const of = { user: `u${n}`, ts: now + n * 500 };
      const list = { items: ['a', 'b'], shown: false, model: 'first' };
      await service.send([
        { type: 'exposure', id: `e${n}`, ...of, ...list } as never,
        { type: 'interaction', id: `i${n}`, ...of, ts: of.ts + 1, item: 'a' } as never,
      ]);
    }
    await eventually(
      'the first estimates',
      async () => lines,
      (seen) =>
        seen.some((line) => line.startsWith('first estimates computed (window 5s; models first')),
    );
    service.broker('disconnected');
  } finally {
    await service.stop();
  }
  expect(lines).toContain('reads 1 partition');
  expect(lines).toContain('connected to the broker');
  expect(lines).toContain('Warning: the broker does not answer; retrying');
  expect(lines.filter((line) => line.startsWith('first estimates'))).toHaveLength(1);
  expect(lines.join()).not.toMatch(/[{}"]|undefined|\[object/);
});

it('names the address of the page, and errors with their reason', () => {
  const { lines, log } = terminal();
  log.info({ address: 'http://127.0.0.1:9464', brokers: ['k:9', 'l:9'] }, 'unskew is up');
  log.info({ partitions: [3, 4], evaluates: false }, 'partitions assigned');
  log.error({ err: new Error('disk\nfull') }, 'estimates are no longer written to the file');
  log.warn({ topic: 't', partition: 3, records: 7 }, 'records are missing');
  log.debug('not for people');
  expect(lines).toEqual([
    'unskew is up: page http://127.0.0.1:9464/, metrics http://127.0.0.1:9464/metrics, reading from k:9, l:9',
    'reads 2 partitions; another process computes the numbers',
    'Error: estimates are no longer written to the file (err disk full)',
    'Warning: records are missing (topic t; partition 3; records 7)',
  ]);
});

it('replaces control characters in names from events', () => {
  const { lines, log } = terminal();
  log.info({ model: '\u001b[2Jx\u202e' }, 'new model');
  expect(lines).toEqual(['new model (model \ufffd[2Jx\ufffd)']);
});

it('colours only the severity of a line', () => {
  const { lines, log } = terminal(true);
  log.info('fine');
  log.warn('look');
  expect(lines).toEqual(['fine', '\u001b[33mWarning:\u001b[39m look']);
});
