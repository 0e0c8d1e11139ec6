import { describe, expect, it } from 'vitest';
import { csvFields } from '../../../../src/commands/propensities/read-table.js';

describe('the fields of a CSV line', () => {
  it('are split at commas and trimmed', () => {
    expect(csvFields('u1, 3 ,')).toEqual(['u1', '3', '']);
    expect(csvFields('')).toEqual(['']);
  });

  it('may be quoted, to hold commas and quotes', () => {
    expect(csvFields('u1,"red, ""dark""",4')).toEqual(['u1', 'red, "dark"', '4']);
    expect(csvFields('"""",""')).toEqual(['"', '']);
  });

  it('are undefined where quotes are malformed', () => {
    expect(csvFields('u1,"red')).toBeUndefined();
    expect(csvFields('u1,"red"x,2')).toBeUndefined();
  });
});
