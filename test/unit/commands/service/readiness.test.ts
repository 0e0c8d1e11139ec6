import { Subject } from 'rxjs';
import { expect, it } from 'vitest';
import { Readiness } from '../../../../src/commands/service/readiness.js';
import type { Flow } from '../../../../src/stream/flow.js';

it('a service is alive until its pipeline fails, and ready while Kafka is reachable', () => {
  const assigned$ = new Subject<readonly number[]>();
  const panes$ = new Subject<never>();
  const contact = { isThere: true };
  const pipeline = { assigned$, panes$, contact, caughtUp: true, clockSkewMs: 0 };
  const readiness = new Readiness(pipeline as unknown as Flow);
  const isAlive = () => readiness.health().every(({ ok }) => ok);
  assigned$.next([0]);
  expect([isAlive(), readiness.isReady]).toEqual([true, true]);
  contact.isThere = false;
  expect([isAlive(), readiness.isReady]).toEqual([true, false]);
  panes$.error(new Error('the source has given up'));
  expect(isAlive()).toBe(false);
});
