import { describe, expect, it } from 'vitest';
import { depthOf } from '../../../../src/state/ids/user-depths.js';
import { slowDepth } from '../../../oracle/sampling.js';

const bytesOf = (user: string) => new TextEncoder().encode(user);

describe('the depth of a user', () => {
  it('is the number of leading zeros in a hash of the id', () => {
    for (const user of ['', 'u1', 'a longer id than sixteen bytes', 'é', '\u{1f600}']) {
      expect(depthOf(bytesOf(user))).toBe(slowDepth(user));
    }
  });
});
