import { expect, it } from 'vitest';
import { type ChaosPlan, runChaos } from '../support/chaos.js';
import { differences } from '../support/compare.js';

const PLAN: ChaosPlan = {
  partitions: 6,
  users: 2_000,
  cycles: 20,
  kills: 20,
  outages: 2,
  seed: 7,
  log: (message) => process.stderr.write(`${message}\n`),
};

it('readers and tickers under kills, outages and rebalances give the numbers of one undisturbed process', async () => {
  const start = Date.now();
  const outcome = await runChaos(PLAN);
  const { events, wanted, found, accounts, wantedAccounts } = outcome;
  PLAN.log(`${outcome.linesTwice} lines came twice; ${(Date.now() - start) / 1000} s in all`);
  PLAN.log(JSON.stringify(accounts));
  expect(events).toBeGreaterThanOrEqual(500_000);
  expect(wanted.length).toBeGreaterThan(1_000);
  expect(differences(found, wanted, 1e-9)).toEqual([]);
  // Every record is accounted for once, by what became of it.
  expect(accounts).toEqual(wantedAccounts);
  expect(Object.values(accounts).reduce((sum, count) => sum + count, 0)).toBe(events);
  for (const outcomeOfSome of ['accepted', 'duplicate', 'late', 'not_json']) {
    expect(accounts[`interactions ${outcomeOfSome}`]).toBeGreaterThan(0);
  }
}, 1_800_000);
