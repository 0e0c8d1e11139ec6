import { expect, it } from 'vitest';
import { recordTime } from '../../../../src/adapters/kafka/record-time.js';

it.each([
  ['milliseconds', '1795940675094', 1_795_940_675_094],
  ['seconds', '1795940675', 1_795_940_675_000],
  ['none', '-1', -1],
  ['a small number', '5000', 5000],
])('reads the time of a record: %s', (_, timestamp, ms) => {
  expect(recordTime(timestamp)).toBe(ms);
});
