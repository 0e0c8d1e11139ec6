import { expect, it } from 'vitest';
import type { ServedLog } from '../../../../../src/features/values/arms/served-log.js';
import { valueByArms, valuesOfLog } from '../../../../../src/features/values/arms/value-by-arms.js';
import { examinationByArms } from '../../../../../src/features/values/examination-by-arms.js';
import { keptExamination } from '../../../../../src/features/values/kept-examination.js';
import { shownPlaces } from '../../../../../src/features/values/shown-places.js';
import type { WindowLog } from '../../../../../src/features/values/window-log.js';
import { NOT_IN_LIST } from '../../../../../src/state/panes/window-part.js';
import { ValueWorld, WORLD_THETA } from '../../../../support/value-world.js';

const REQUESTS = 8_000;
const DEEP = 50;
const SHALLOW = WORLD_THETA.length;

/** A world in which some requests of arm A have extra items that no other list has. */
function deepWorld(deepRequests: number, requests = REQUESTS): ServedLog {
  const { log } = new ValueWorld({ seed: 5, requests }).draw();
  const own = Array.from(log.requests.arm).flatMap((arm, q) => (arm === 0 ? [q] : []));
  const more = own
    .slice(0, deepRequests)
    .flatMap((request) =>
      Array.from({ length: DEEP - SHALLOW }, (_, n) => ({ request, rank: SHALLOW + n })),
    );
  const { length, ranks, request, reward } = log.items;
  const added = <T extends { readonly rank: number; readonly request: number }>(
    column: ArrayLike<number>,
    of: (each: T) => number,
  ) => [...Array.from(column).slice(0, length), ...(more as unknown as T[]).map(of)];
  return {
    ...log,
    items: {
      length: length + more.length,
      request: added(request, (each) => each.request),
      reward: added(reward, ({ rank }) => (rank === 9 ? 1 : 0)),
      ranks: ranks.map((column, m) => added(column, ({ rank }) => (m === 0 ? rank : NOT_IN_LIST))),
    },
  };
}

const fitted = (log: ServedLog) =>
  keptExamination({
    log,
    requests: { places: DEEP, usable: log.requests.length },
  } as WindowLog)!;

it('ignores the extra positions of one deep request among many', () => {
  const deep = deepWorld(1);
  const { theta, covariance } = fitted(deep);
  const alone = examinationByArms(deepWorld(0), SHALLOW);
  expect([...theta]).toEqual([...alone.theta]);
  expect([...covariance.values]).toEqual([...alone.covariance.values]);
  const { values } = valuesOfLog(deep, { theta, covariance });
  expect(values).toEqual(valueByArms(deepWorld(0), { theta, covariance }));
  expect(values.flatMap(({ reasons }) => reasons.map(({ code }) => code))).not.toContain(
    'examination_uncertain',
  );
});

it('counts positions shown by 1 % of requests, and reports no value without clicks', () => {
  expect(shownPlaces(deepWorld(79), DEEP)).toBe(SHALLOW);
  const deep = deepWorld(80);
  expect(shownPlaces(deep, DEEP)).toBe(DEEP);
  const { theta, covariance } = fitted(deep);
  const { values } = valuesOfLog(deep, { theta, covariance });
  const refused = values.filter(({ estimator }) => estimator === 'arms_ips');
  for (const { reasons } of refused) {
    expect(reasons.map(({ code }) => code)).toContain('examination_uncertain');
  }
});

it('counts only requests of the sample whose items are listed', () => {
  const log = deepWorld(100, 1000);
  // The deep requests are the first of their arm: none of them lies in the sample.
  const isListed = Array.from(log.requests.arm, (_, q) => (q >= 500 ? 1 : 0));
  const sampled = { ...log, requests: { ...log.requests, isListed } };
  expect(shownPlaces(log, DEEP)).toBe(DEEP);
  expect(shownPlaces(sampled, DEEP)).toBe(SHALLOW);
  const none = { ...log, requests: { ...log.requests, isListed: isListed.map(() => 0) } };
  expect(shownPlaces(none, DEEP)).toBe(DEEP);
});
