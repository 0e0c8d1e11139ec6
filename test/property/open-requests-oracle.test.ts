import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ActionWorths } from '../../src/events/action-worths.js';
import {
  ExposureColumns,
  HAS_REQUEST,
  InteractionColumns,
  NAMES_EXPOSURE,
  POSITIVE,
  SHOWN,
} from '../../src/events/columns.js';
import { PendingInteractions } from '../../src/state/panes/open-pane.js';
import { PendingExposures } from '../../src/state/panes/pending-exposures.js';
import { OpenRequests } from '../../src/state/requests/open-requests.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import { type ComingClick, type ComingList, SlowOpenRequests } from '../oracle/open-requests.js';

const PANE_MS = 10;
const HORIZON_MS = 25;
/** Ids that lie at depths from 0 to 4, and few enough to come again. */
const ids = fc.nat(11).map((n) => Math.imul(n + 1, 0x9e3779b1) >> (n % 5));
const user = fc.integer({ min: 0, max: 6 }).map((n) => (n === 0 ? 1 : 0));
const items = fc.uniqueArray(fc.nat(5), { minLength: 3, maxLength: 5 });

const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('list' as const),
      request: ids,
      user,
      model: fc.nat(3),
      items,
      isServed: fc.boolean(),
      share: fc.constantFrom(Number.NaN, 0, 1e-10, 0.5, 1),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('click' as const),
      back: fc.nat(7),
      user,
      item: fc.nat(5),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(12) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), model: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);

function exposed(list: ComingList): PendingExposures {
  const columns = new ExposureColumns(1);
  columns.user[0] = list.user;
  columns.model[0] = list.model;
  columns.ts[0] = list.ts;
  columns.idHigh[0] = list.id;
  columns.idLow[0] = list.id;
  columns.items.set(list.items);
  columns.listStart[1] = list.items.length;
  columns.reserveRequest();
  columns.requests.requestHigh[0] = list.request;
  columns.requests.requestLow[0] = list.request;
  columns.requests.share[0] = list.share;
  const pending = new PendingExposures();
  pending.add(columns, 0, HAS_REQUEST | (list.isServed ? SHOWN : 0));
  return pending;
}

function clicked(click: ComingClick): PendingInteractions {
  const columns = new InteractionColumns(1);
  columns.user[0] = click.user;
  columns.item[0] = click.item;
  columns.ts[0] = click.ts;
  columns.action[0] = -1;
  columns.exposureHigh[0] = click.list;
  columns.exposureLow[0] = click.list;
  const pending = new PendingInteractions();
  pending.add(columns, 0, POSITIVE | NAMES_EXPOSURE);
  return pending;
}

/** All that is open, in the oracle's words. */
const seen = (open: OpenRequests) =>
  [...open.groups].flatMap(([closing, { requests }]) =>
    Array.from(requests, ({ high, user, ts, lists, served, fault }) => ({
      closing,
      id: high,
      user,
      ts,
      fault,
      lists: lists.map((list) => ({
        model: list.model,
        share: list.share,
        items: [...list.items],
      })),
      served: served && {
        id: served.idHigh,
        model: served.model,
        rewards: [...served.rewards],
      },
    })),
  );

it('open requests equal those of a plain array across drops, closings and restarts', () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 40, maxLength: 160 }),
      fc.constantFrom(2, 5, Number.POSITIVE_INFINITY),
      (steps, limit) => {
        const worths = new ActionWorths({ click: 1 });
        const options = { horizonMs: HORIZON_MS, paneMs: PANE_MS, worths, limit };
        const slow = new SlowOpenRequests(HORIZON_MS, PANE_MS, limit);
        let fast = new OpenRequests(options);
        let ts = 0;
        let lists = 0;
        for (const each of steps) {
          if (each.kind === 'list') {
            const coming = { ...each, ts, id: lists++ };
            slow.list(coming);
            const pending = exposed(coming);
            fast.begin(pending);
            fast.expose(pending, 0, 0);
          } else if (each.kind === 'click') {
            const coming = { ...each, ts, list: lists - each.back };
            slow.click(coming);
            fast.credit(clicked(coming), 0);
          } else if (each.kind === 'drop') {
            slow.dropModel(each.model);
            fast.dropModels([each.model]);
          } else if (each.kind === 'wait') {
            ts += each.ms;
            const pane = Math.floor(ts / PANE_MS) - 1;
            const sampledOut = [...slow.sampledOut].filter(([closing]) => closing <= pane);
            const { tally } = runAtOnce(fast.close(pane));
            slow.close(pane);
            const lost = sampledOut.reduce((sum, [, count]) => sum + count, 0);
            expect(tally?.sampledOut ?? 0).toBe(lost);
            for (const [closing] of sampledOut) slow.sampledOut.delete(closing);
          } else {
            const restarted = new OpenRequests(options);
            for (const [closing, group] of fast.groups) restarted.adopt(closing, group);
            fast = restarted;
          }
          const byClosing = [...slow.requests].sort((a, b) => a.closing - b.closing);
          expect(seen(fast).sort((a, b) => a.closing - b.closing)).toEqual(byClosing);
          expect(fast.size).toBe(slow.requests.length);
        }
      },
    ),
  );
});
