import { expect, it } from 'vitest';
import { plainText, say } from '../../../src/rows/findings/sentence.js';

const said = (name: string) => plainText(say`Prefer ${{ name }} over b.`);

it('a name stays as it is, except for characters that would change the text direction', () => {
  expect(said('blend v2')).toBe('Prefer blend v2 over b.');
  expect(said('日本 <b>')).toBe('Prefer 日本 <b> over b.');
  expect(said('a\u202egnol\u2067')).toBe('Prefer a\ufffdgnol\ufffd over b.');
});

it('a right-to-left name is isolated from the words around it', () => {
  expect(said('מודל 1')).toBe('Prefer \u2068מודל 1\u2069 over b.');
  expect(said('نموذج')).toBe('Prefer \u2068نموذج\u2069 over b.');
});
