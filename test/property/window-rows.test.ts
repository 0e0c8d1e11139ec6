import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ExposureColumns,
  InteractionColumns,
  NAMES_EXPOSURE,
  POSITIVE,
  SHOWN,
} from '../../src/events/columns.js';
import { groupByUser } from '../../src/state/panes/group-by-user.js';
import { PartitionState } from '../../src/state/panes/partition.js';
import { NOT_IN_LIST, UNRANKED } from '../../src/state/panes/window-part.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import { type PlainExposure, type PlainInteraction, windowRows } from '../oracle/window-rows.js';

const PANE = 10;
const TTL = 25;
const MODELS = ['a', 'b'];
const ITEMS = ['i0', 'i1', 'i2', 'i3'];

const exposure = fc.record({
  ts: fc.integer({ min: 0, max: 79 }),
  user: fc.constantFrom('u0', 'u1', 'u2'),
  model: fc.constantFrom(...MODELS),
  items: fc.shuffledSubarray(ITEMS, { minLength: 1 }),
});
const interaction = fc.record({
  ts: fc.integer({ min: 0, max: 79 }),
  user: fc.constantFrom('u0', 'u1', 'u2'),
  item: fc.constantFrom(...ITEMS),
  positive: fc.boolean(),
  names: fc.option(fc.nat(30), { nil: undefined }),
});

function columnsOf(exposures: PlainExposure[], interactions: PlainInteraction[]) {
  const lists = new ExposureColumns(1, 1);
  for (const e of exposures) {
    lists.reserve(e.items.length);
    const r = lists.length++;
    lists.ts[r] = e.ts;
    lists.user[r] = Number(e.user.slice(1));
    lists.model[r] = MODELS.indexOf(e.model);
    lists.idHigh[r] = 7;
    lists.idLow[r] = Number(e.id);
    lists.flags[r] = SHOWN;
    lists.candidates[r] = -1;
    e.items.forEach((item, k) => {
      lists.items[lists.listStart[r] + k] = ITEMS.indexOf(item);
    });
    lists.listStart[r + 1] = lists.listStart[r] + e.items.length;
  }
  const rows = new InteractionColumns(1);
  for (const i of interactions) {
    rows.reserve();
    const r = rows.length++;
    rows.ts[r] = i.ts;
    rows.user[r] = Number(i.user.slice(1));
    rows.item[r] = ITEMS.indexOf(i.item);
    rows.flags[r] = (i.positive ? POSITIVE : 0) | (i.exposure === undefined ? 0 : NAMES_EXPOSURE);
    rows.exposureHigh[r] = 7;
    rows.exposureLow[r] = Number(i.exposure ?? 0);
  }
  return { lists, rows };
}

describe('the rows of a window', () => {
  it('equal their definition for any order of arrival and any window', () => {
    fc.assert(
      fc.property(
        fc.array(exposure, { maxLength: 30, size: 'max' }),
        fc.array(interaction, { maxLength: 60, size: 'max' }),
        fc.integer({ min: 0, max: 7 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 5 }),
        (someExposures, someInteractions, lastPane, windowPanes, sliceRows) => {
          const exposures = someExposures.map((e, n) => ({ ...e, id: String(n + 1) }));
          const interactions = someInteractions.map(({ names, ...i }, n) => ({
            ...i,
            id: `x${n}`,
            ...(names === undefined ? {} : { exposure: String(names + 1) }),
          }));
          const { lists, rows } = columnsOf(exposures, interactions);
          const state = new PartitionState({
            paneMs: PANE,
            attributionTtlMs: TTL,
            horizonMs: 1000,
            sliceRows,
          });
          for (let r = 0; r < rows.length; r++) {
            state.openPane(Math.floor(rows.ts[r] / PANE)).addInteraction(rows, r, rows.flags[r]);
          }
          for (let r = 0; r < lists.length; r++) {
            state.openPane(Math.floor(lists.ts[r] / PANE)).addExposure(lists, r, lists.flags[r]);
          }
          for (let pane = 0; pane < 8; pane++) runAtOnce(state.close(pane));
          const firstPane = lastPane + 1 - windowPanes;
          const panes = state.closed.rows.filter(
            ({ pane }) => pane >= firstPane && pane <= lastPane,
          );
          const part = groupByUser(panes, [0, 1], state.closed.userCounts.counts);

          const got: unknown[] = [];
          for (let s = 0; s < part.users; s++) {
            for (let r = part.userStart[s]; r < part.userStart[s + 1]; r++) {
              const ranks = part.ranks.map((column) =>
                column[r] === UNRANKED
                  ? undefined
                  : column[r] === NOT_IN_LIST
                    ? Number.POSITIVE_INFINITY
                    : column[r],
              );
              got.push([ITEMS[part.item[r]], part.positive[r] === 1, ...ranks]);
            }
          }
          const want = windowRows(
            exposures,
            interactions,
            MODELS,
            firstPane * PANE,
            (lastPane + 1) * PANE,
            TTL,
          );
          const plain = want.map((row) => [row.item, row.positive, row.ranks['a'], row.ranks['b']]);
          const key = (row: unknown) =>
            JSON.stringify(row, (_, v) => (v === Infinity ? 'inf' : (v ?? 'none')));
          expect(got.map(key).sort()).toEqual(plain.map(key).sort());
          expect(part.users).toBe(new Set(want.map(({ user }) => user)).size);
          expect(got.length).toBe(part.rows);
        },
      ),
      { numRuns: 400 },
    );
  });
});
