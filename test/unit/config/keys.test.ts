import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { configurationPage, keyFaults } from '../../../docs/configuration-page.js';
import type { Key } from '../../../src/config/key.js';
import { duration, whole } from '../../../src/config/kinds.js';
import { KEY_INDEX, KEYS } from '../../../src/config.js';

it('every configuration key states its meaning, range, unit and commands', () => {
  expect(keyFaults(KEYS)).toEqual([]);
});

it('an incomplete key is reported with what is missing', () => {
  const sound = { description: 'Panes kept.', commands: ['serve'], unit: 'panes' } as const;
  const kept = whole({ ...sound, from: 0, to: 9 });
  const time = {
    kept,
    mute: { ...kept, description: '' },
    unbounded: { ...kept, range: '' },
    unmeasured: { ...kept, unit: undefined } as unknown as Key,
    idle: { ...kept, commands: [] } as unknown as Key,
    unused: whole({ ...sound, flag: '--unused', from: 0, to: 9 }),
  };
  expect(keyFaults({ time })).toEqual([
    'time.mute: has no description in whole sentences',
    'time.unbounded: does not say its range',
    'time.unmeasured: does not say its unit, or null for none',
    'time.idle: names no command that it has an effect in',
    'time.unused: has the flag --unused in no command',
  ]);
});

it('a key without description, unit or range does not compile', () => {
  const commands = ['serve'] as const;
  // @ts-expect-error: no description.
  duration({ commands, least: '0s' });
  // @ts-expect-error: no least duration.
  expect(() => duration({ description: 'How long.', commands })).toThrow();
  // @ts-expect-error: no unit.
  whole({ description: 'How many.', commands, from: 0, to: 9 });
});

it('docs/configuration.md matches the keys; npm run docs writes it', () => {
  const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
  expect(page).toBe(configurationPage(KEYS));
  const [tables] = page.split('\n## Changing settings');
  const rows = [...tables!.matchAll(/^\| `([\w.]+)`(?:<br>`--[\w-]+`)? \| [^|]+ \| [^|]+ \|$/gm)];
  const documented = rows.map(([, path]) => path);
  expect(documented.sort()).toEqual([...KEY_INDEX.byPath.keys()].sort());
});
