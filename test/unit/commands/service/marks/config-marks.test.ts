import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { MemoryMarkStore } from '../../../../../src/adapters/memory/mark-store.js';
import {
  ConfigMarks,
  changeText,
  MarkBook,
} from '../../../../../src/commands/service/mark-book.js';
import { statedSettings } from '../../../../../src/commands/service/serve.js';
import { KEY_INDEX, readConfig } from '../../../../../src/config.js';
import type { MarkStore, StatedSettings } from '../../../../../src/outputs/history/marks.js';
import { eventually } from '../../../../support/program.js';

const silent = pino({ level: 'silent' });
const NEVER = 3_600_000;

/** The marks in the store after a start with these settings. */
async function started(store: MarkStore, settings: StatedSettings, now = 5000) {
  const marks = new ConfigMarks(settings, new MarkBook(store), store, silent);
  const end = marks.start(now, NEVER);
  await marks.before;
  await new Promise((resolve) => setImmediate(resolve));
  await end();
  return (await store.all()).map(({ kind, time, text }) => `${kind} ${time} ${text}`);
}

const settingsOf = (overrides: Readonly<Record<string, unknown>>) =>
  statedSettings(readConfig({ env: {}, overrides }).entries);

describe('a service start', () => {
  it('adds one mark for changed settings, shared by all workers', async () => {
    const cell = { marks: [] };
    const a = new MemoryMarkStore(cell);
    const b = new MemoryMarkStore(cell);
    const before = settingsOf({ 'drift.learn': 24, 'estimates.ks': '5,10' });
    expect(await started(a, before)).toEqual([]);
    expect(await started(a, before)).toEqual([]);
    const after = settingsOf({ 'drift.learn': 48, 'estimates.ks': '10', 'page.environment': 'x' });
    const said = 'estimates.ks: 5,10 → 10; drift.learn: 24 → 48; page.environment: none → x';
    const [mark, ...more] = await started(a, after, 7000);
    expect(mark!.slice(0, 12)).toBe('config 7000 ');
    expect(mark!.slice(12).split('; ').sort()).toEqual(said.split('; ').sort());
    expect(more).toEqual([]);
    expect(await started(b, after, 8000)).toEqual([mark]);
    // And back.
    expect(await started(b, before, 9000)).toHaveLength(2);
  });

  it('adds no mark for settings that are new or no longer known', async () => {
    const store = new MemoryMarkStore();
    await started(store, { 'old.key': '1', 'time.tick': '1m' });
    expect(await started(store, { 'new.key': '1', 'time.tick': '1m' })).toEqual([]);
  });

  it('retries while the store is unavailable, and logs that once', async () => {
    const store = new MemoryMarkStore();
    await store.keepSettings({ 'drift.learn': '24' });
    let failures = 3;
    const flaky: MarkStore = {
      all: () => store.all(),
      add: (mark, about) => store.add(mark, about),
      settings: async () => {
        if (failures-- > 0) throw new Error('no connection');
        return store.settings();
      },
      keepSettings: (settings) => store.keepSettings(settings),
      close: async () => {},
    };
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => lines.push(line) });
    const marks = new ConfigMarks({ 'drift.learn': '48' }, new MarkBook(flaky), flaky, log);
    const end = marks.start(5000, 1);
    await eventually(
      'the mark',
      () => store.all(),
      (all) => all.length === 1,
    );
    await end();
    expect(lines).toHaveLength(1);
    expect((await store.all())[0]).toMatchObject({ time: 5000, text: 'drift.learn: 24 → 48' });
  });

  it('can be ended at once while the store is unavailable', async () => {
    const away = { settings: () => Promise.reject(new Error('no connection')) };
    const store = Object.assign(new MemoryMarkStore(), away);
    const end = new ConfigMarks({}, new MarkBook(store), store, silent).start(5000, NEVER);
    await new Promise((resolve) => setImmediate(resolve));
    await end();
  });
});

describe('the settings in a mark', () => {
  it('contain no secrets, no URL passwords and nothing specific to one process', () => {
    const told = settingsOf({
      'http.token': 'hunter2-hunter2-hunter2',
      'state.redisUrl': 'redis://u:hunter2@r:1',
      'state.store': 'redis',
      'http.port': 1234,
      'http.host': '::1',
    });
    expect(JSON.stringify(told)).not.toContain('hunter2');
    for (const name of ['http.port', 'http.host', 'http.token', 'state.redisUrl']) {
      expect(told, name).not.toHaveProperty([name]);
    }
    expect(told['time.tick']).toBe('1m');
    const path = 'kafka.sasl.tokenUrl';
    const address = {
      path,
      key: KEY_INDEX.leaves.get(path)!,
      value: 'https://me:hunter2@issuer/t',
    };
    expect(statedSettings([address])).toEqual({ [path]: 'https://***@issuer/t' });
  });

  it('are cut to names, then to a count, where they do not fit', () => {
    const many = (value: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`group.key${n}`, value]));
    const long = 'x'.repeat(50);
    const longer = 'y'.repeat(50);
    expect(changeText(many(long, 5), many(longer, 5))).toBe(
      'group.key0, group.key1, group.key2, group.key3, group.key4',
    );
    const text = changeText(many('1', 40), many('2', 40));
    expect(text.length).toBeLessThanOrEqual(200);
    expect(text).toMatch(/^group\.key0, .* and \d+ more$/);
    const [, rest] = / and (\d+) more$/.exec(text)!;
    expect(text.split(', ').length + Number(rest)).toBe(40);
  });
});
