import { expect, it } from 'vitest';
import { readingFindings, serviceFindings } from '../../../src/rows/findings/reading.js';
import { textOf } from '../../../src/rows/findings/words.js';

const said = (...failing: string[]) => {
  const names = ['broker', 'assigned', 'caught_up', 'clock', 'state_store', 'panes_topic'];
  return serviceFindings({
    checks: names.map((name) => ({ name, ok: !failing.includes(name) })),
  }).map(textOf);
};

it('finds nothing about a healthy service', () => {
  expect(said()).toEqual([]);
});

it('says that a service is still reading the backlog', () => {
  expect(said('caught_up')).toEqual(['The service is still reading the backlog.']);
  expect(said('assigned', 'caught_up')).toHaveLength(1);
});

it('says why a service is unhealthy, and not that it is reading the backlog', () => {
  expect(said('broker', 'caught_up')).toEqual([
    'The service is not healthy: the broker does not answer.',
  ]);
  expect(said('clock', 'state_store')).toEqual([
    'The service is not healthy: its clock is wrong and the state store does not answer.',
  ]);
});

it('reports lists served without a request only where requests are valued', () => {
  const requestFaults = new Map([['served_without_request', 7]]);
  const counts = { accepted: 10, duplicate: 0, late: 0, faults: [0], requestFaults };
  expect(readingFindings(counts, {})).toEqual([]);
  expect(readingFindings(counts, { values: [] }).map(textOf)).toEqual([
    expect.stringContaining(
      'Invalid requests, lists and rewards were left out, by reason: served_without_request 7.',
    ),
  ]);
  const worse = { ...counts, requestFaults: new Map([...requestFaults, ['two_served', 2]]) };
  expect(readingFindings(worse, {}).map(({ figures }) => figures)).toEqual([{ count: 2 }]);
});
