import { expect, it } from 'vitest';
import { sectionMarkup } from '../../../src/outputs/report/section.js';
import { HOSTILE_SECTION, LONG_NAME } from '../../support/hostile-section.js';

const { text } = sectionMarkup(HOSTILE_SECTION);
const CLEAN = '<bdi class="name">a&lt;b&gt;\ufffd[2J\u202e&amp;&quot;</bdi>';

it('a section isolates names and escapes them', () => {
  expect(text).toContain(`<p class="lead">Of ${CLEAN}, and <b>loud</b>.</p>`);
  expect(text).toContain(`<th scope="row">${CLEAN}</th>`);
  expect(text).toContain(`<th scope="col">${CLEAN}</th>`);
  expect(text).toContain(`<bdi class="name">${LONG_NAME}</bdi>`);
  expect(text).not.toMatch(/<b>\ufffd|NaN|undefined/);
});

it('a section has a value under each head, with details below it', () => {
  expect(text).toContain('<th scope="col">naive<small>over users</small></th>');
  expect(text).toContain('<td>0.5000<small>± 0.0100</small><small>0 to 1</small></td>');
  expect(text).toContain('<td>–<small>0 to 1</small></td>');
  expect(text).toContain('<td>–</td>');
});

it('a section marks notable values and labels tables for screen readers', () => {
  expect(text).toContain('<td><span class="low">0.1</span><small>± 9</small></td>');
  expect(text).toContain('<span class="changed">0.2</span>');
  expect(text).toContain('aria-label="Numbers of ours"');
  expect(text).toContain('<h3>Aside</h3>');
});
