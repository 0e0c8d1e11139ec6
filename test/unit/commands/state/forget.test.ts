import { expect, it } from 'vitest';
import { forget, withoutLetters, withoutUser } from '../../../../src/commands/state/forget.js';

const letter = (event: Uint8Array | string, detail = 'item: expected text') =>
  JSON.stringify({ reason: 'bad_item', detail, value: Buffer.from(event).toString('base64') });

it('withoutLetters drops dead letters with the user id as a word or in binary data', () => {
  const kept = withoutLetters(['u.7', '~pseudonym']);
  const bytes = Buffer.concat([Buffer.of(0xff, 0x06), Buffer.from('u.7a')]);
  const gone = ['{"user":"u.7"}', '{"user":"~pseudonym"}', bytes];
  for (const event of gone) expect(kept(letter(event))).toBeUndefined();
  expect(kept(letter('{}', 'found u.7'))).toBeUndefined();
  for (const event of ['{"user":"u.71"}', '{"user":"u17"}', '{"user":"au.7"}', '']) {
    expect(kept(letter(event))).toBe(letter(event));
  }
});

it('withoutUser replaces the id of a heavy user in estimates', () => {
  const line = (user: string) =>
    JSON.stringify({
      heavyUsers: { users: 3, named: [{ user, interactions: 900 }] },
      findings: [{ subject: { users: [user] }, text: `One user has 80 %: ${user}.` }],
      results: [{ value: 0.1 + 0.2, stdErr: null }],
    });
  const now = withoutUser(['erin', '7']);
  expect(now(line('erin'))).toBe(line('forgotten'));
  expect(now(line('7'))).toBe(line('forgotten'));
  expect(now(line('erin2'))).toBe(line('erin2'));
  const model = JSON.stringify({ heavyUsers: { named: [] }, results: [{ model: 'erin' }] });
  expect(now(model)).toBe(model);
});

it('forget refuses an empty user id', async () => {
  const nothing = {} as never;
  await expect(forget({ config: nothing, user: '' }, nothing)).rejects.toThrow('an empty one');
});
