import { expect, it } from 'vitest';
import { showsColor } from '../../../src/commands/cli/io.js';

it.each([
  ['a terminal', {}, true, true],
  ['a pipe', {}, false, false],
  ['a terminal whose owner wants none', { NO_COLOR: '1' }, true, false],
  ['a terminal with an empty NO_COLOR', { NO_COLOR: '' }, true, true],
  ['a terminal that knows none', { TERM: 'dumb' }, true, false],
  ['a pipe whose owner wants them', { FORCE_COLOR: '1' }, false, true],
  ['a terminal where none are forced', { FORCE_COLOR: '0' }, true, false],
  ['both', { FORCE_COLOR: '1', NO_COLOR: '1' }, true, false],
])('colours on %s', (_, env, isTerminal, shown) => {
  expect(showsColor(env, isTerminal)).toBe(shown);
});
