import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EXAMPLE, expectedUse, sizingPage } from '../../../docs/sizing-tables.js';
import { BYTES_EACH } from '../../../src/commands/service/budget.js';
import { monitorOptions } from '../../../src/commands/service/monitor-options.js';
import { SERVICE_LIMITS } from '../../../src/config/keys/state.js';
import { loadConfig } from '../../../src/config.js';
import { ExposureColumns, InteractionColumns } from '../../../src/events/columns.js';
import { Decoder } from '../../../src/events/decode.js';
import { encodeEvent } from '../../../src/events/encode.js';
import { Interner } from '../../../src/state/ids/interner.js';
import { UserDepths } from '../../../src/state/ids/user-depths.js';
import { OpenPane } from '../../../src/state/panes/open-pane.js';
import { paneLimits } from '../../../src/stream/tick/sample-limits.js';
import { seeded } from '../../oracle/random.js';
import { IS_LONG } from '../../support/repetitions.js';

const PAGE = readFileSync(new URL('../../../docs/sizing.md', import.meta.url), 'utf8');
const PARTITIONS = 4;
const OPTIONS = monitorOptions(loadConfig({ env: {} }));

/** How deep users have to lie in a pane of one partition that has `peak` times the mean traffic. */
function levelOfPane(peak: number): number {
  const ids = { users: new Interner(), items: new Interner(), models: new Interner() };
  const into = { interactions: new InteractionColumns(), exposures: new ExposureColumns() };
  const decoder = new Decoder({ maxFutureMs: 1e15 });
  const random = seeded(7);
  let faults = 0;
  const decode = (event: Parameters<typeof encodeEvent>[0]) => {
    const bytes = Buffer.from(encodeEvent(event));
    faults += decoder.decode(bytes, 0, bytes.length, 'mixed', 0, ids, into);
  };
  const user = () => `user-${Math.floor((random() * EXAMPLE.users) / PARTITIONS)}`;
  const seconds = (peak * OPTIONS.tickMs) / 1000 / PARTITIONS;
  const items = Array.from({ length: EXAMPLE.listLength }, (_, n) => `i${n}`);
  for (let n = 0; n < EXAMPLE.interactions * seconds; n++) {
    decode({ type: 'interaction', id: `x${n}`, ts: 0, user: user(), item: 'i0' });
  }
  for (let n = 0; n < EXAMPLE.lists * seconds; n++) {
    decode({ type: 'exposure', id: `e${n}`, ts: 0, user: user(), model: 'm', items });
  }
  expect(faults).toBe(0);
  const limits = paneLimits(SERVICE_LIMITS, OPTIONS, PARTITIONS);
  const pane = new OpenPane(limits, new UserDepths(ids.users));
  for (let r = 0; r < into.interactions.length; r++) pane.addInteraction(into.interactions, r, 0);
  for (let r = 0; r < into.exposures.length; r++) pane.addExposure(into.exposures, r, 0);
  return pane.level;
}

describe('the sizing page', () => {
  it('matches the code; npm run docs writes it', () => {
    expect(sizingPage(PAGE)).toBe(PAGE);
    expect(() => sizingPage(PAGE.replace('npm run docs -->', '-->'))).toThrow('has no block');
    expect(() => sizingPage(PAGE.replace('| a tick of a million rows', '| a tick'))).toThrow(
      'no figure',
    );
  });

  it('states the share of users that a real pane keeps, also in its busiest minute', () => {
    expect(levelOfPane(1)).toBe(Math.log2(expectedUse().oneIn));
    expect(PAGE).toContain('If the busiest minute has twice the mean, one user in 16 is kept');
    expect(2 ** levelOfPane(2)).toBe(16);
    expect(PAGE).toContain('if it has eight times the mean, one in 64');
    // A quarter of a million events: at night.
    if (IS_LONG) expect(2 ** levelOfPane(8)).toBe(64);
  });

  it('gives its example a container with enough memory', () => {
    expect(PAGE).toContain('a container of 5 GiB has room');
    expect(expectedUse().totalBytes).toBeLessThan(5 * 2 ** 30);
  });

  it('gives the budgeted bytes per row, user and item as upper bounds', () => {
    const { row, rowModel, user, item, listEntry } = BYTES_EACH;
    const bounds = `${row + EXAMPLE.models * rowModel}, ${user}, ${item}`;
    const cells = (what: string) => PAGE.split('\n').find((line) => line.startsWith(`| ${what}`));
    expect(cells('memory: a row of a window')).toContain(`≤ ${bounds} |`);
    expect(cells('memory: an item of a list')).toContain(`≤ ${listEntry} |`);
  });
});
