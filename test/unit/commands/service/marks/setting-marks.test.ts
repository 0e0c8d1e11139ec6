import pino from 'pino';
import { Subject } from 'rxjs';
import { expect, it } from 'vitest';
import { MemoryMarkStore } from '../../../../../src/adapters/memory/mark-store.js';
import { MarkBook } from '../../../../../src/commands/service/mark-book.js';
import { markChangedSettings } from '../../../../../src/commands/service/service.js';
import type { MarkStore } from '../../../../../src/outputs/history/marks.js';
import {
  changedSettings,
  type SettingChange,
} from '../../../../../src/stream/checkpoint/changed-settings.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));
const changes = changedSettings(
  { 'time.lateness': 30_000, 'events.actions': { click: 1 }, gammaFit: 'ols' },
  {
    'time.lateness': 60_000,
    'events.actions': Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`action-${n}`, n])),
    gammaFit: 'ols',
  },
);

it('each changed setting is marked once, however many workers report it', async () => {
  const cell = { marks: [] };
  const log = pino({ level: 'silent' });
  const workers = [1, 2].map(() => {
    const settings$ = new Subject<readonly SettingChange[]>();
    const book = new MarkBook(new MemoryMarkStore(cell), () => 5000);
    markChangedSettings({ settings$ }, book, log);
    return { settings$, book };
  });
  for (const { settings$ } of workers) {
    settings$.next(changes);
    settings$.next(changes);
  }
  await turn();
  const marks = await workers[0]!.book.all();
  expect(marks.map(({ kind, time }) => [kind, time])).toEqual([
    ['config', 5000],
    ['config', 5000],
  ]);
  const texts = marks.map(({ text }) => text);
  expect(texts).toContain('time.lateness: 30s → 1m');
  const [long] = texts.filter((text) => text.startsWith('events.actions'));
  expect(long).toHaveLength(200);
  expect(long!.endsWith('…')).toBe(true);
});

it('an unavailable mark store causes a warning and no failure', async () => {
  const away: MarkStore = {
    all: async () => [],
    add: () => Promise.reject(new Error('no connection')),
    settings: async () => undefined,
    keepSettings: async () => {},
    close: async () => {},
  };
  const lines: { msg: string; setting: string }[] = [];
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });
  const settings$ = new Subject<readonly SettingChange[]>();
  const end = markChangedSettings({ settings$ }, new MarkBook(away), log);
  settings$.next(changes.slice(0, 1));
  await turn();
  // It is tried again until the service ends.
  expect(lines).toEqual([]);
  end();
  await turn();
  expect(lines).toMatchObject([
    {
      setting: 'time.lateness',
      msg: 'cannot add a mark for a changed setting, so the charts do not show it',
    },
  ]);
});
