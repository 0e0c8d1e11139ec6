import { expect, it } from 'vitest';
import { showsColor } from '../../../src/commands/cli/io.js';

it.each([
  ['a terminal', {}, true, true],
  ['a pipe', {}, false, false],
  ['a terminal with NO_COLOR', { NO_COLOR: '1' }, true, false],
  ['a terminal with an empty NO_COLOR', { NO_COLOR: '' }, true, true],
  ['a dumb terminal', { TERM: 'dumb' }, true, false],
  ['a pipe with FORCE_COLOR', { FORCE_COLOR: '1' }, false, true],
  ['a terminal with FORCE_COLOR=0', { FORCE_COLOR: '0' }, true, false],
  ['a terminal with both variables', { FORCE_COLOR: '1', NO_COLOR: '1' }, true, false],
])('decides on colours for %s', (_, env, isTerminal, shown) => {
  expect(showsColor(env, isTerminal)).toBe(shown);
});
