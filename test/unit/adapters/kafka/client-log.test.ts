import { logLevel } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { ClientLog, clientLogOf } from '../../../../src/adapters/kafka/client-log.js';

type Line = readonly [level: string, message: string, fields: Readonly<Record<string, unknown>>];

function aLog() {
  const lines: Line[] = [];
  let now = 0;
  const log = new ClientLog(
    (...line) => lines.push(line),
    () => now,
  );
  const write = (message: string, level = logLevel.ERROR) =>
    log.write({
      namespace: 'Connection',
      level,
      log: { message, timestamp: '', logger: '', broker: 'b:1' },
    });
  const pass = (ms: number) => {
    now += ms;
  };
  return { lines, write, pass };
}

const levels = (lines: readonly Line[]) => lines.map(([level]) => level);

describe('the log of the Kafka client', () => {
  it('warns of an error once a minute, with the number of repetitions', () => {
    const { lines, write, pass } = aLog();
    for (let attempt = 0; attempt < 5; attempt++) {
      write('Connection error');
      pass(1_000);
    }
    expect(levels(lines)).toEqual(['warn', 'debug', 'debug', 'debug', 'debug']);
    expect(lines[0]).toEqual([
      'warn',
      'kafka client: Connection error',
      { namespace: 'Connection', broker: 'b:1' },
    ]);
    pass(60_000);
    write('Connection error');
    expect(lines.at(-1)?.[2]).toMatchObject({ repeated: 4 });
    expect(levels(lines).at(-1)).toBe('warn');
  });

  it('warns of each different error, and of errors only', () => {
    const { lines, write } = aLog();
    write('Connection error');
    write('Response Fetch(key: 1, version: 11)');
    write('Consumer has joined the group', logLevel.INFO);
    write('The group is rebalancing, re-joining', logLevel.WARN);
    expect(levels(lines)).toEqual(['warn', 'warn', 'debug', 'debug']);
  });

  it('is shared by all clients with the same log', () => {
    const log = () => {};
    expect(clientLogOf(log)).toBe(clientLogOf(log));
  });
});
