import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { quickOptions, threeModels } from '../../support/log.js';
import { PanesGroup, ToldLeadership } from '../../support/panes-group.js';
import { eventually } from '../../support/program.js';

it('a ticker that has lost the lead stores no state of ticks that it has not written', async () => {
  const group = new PanesGroup(1, quickOptions());
  onTestFinished(() => group.stop());
  const leadership = new ToldLeadership(true);
  const { flow, snapshots } = await group.addTicker(leadership);
  await group.addReader();
  const events = threeModels(60);
  const storedThrough = () => flow.checkpointer!.keptThrough([0]);
  await group.produce(events.slice(0, 30));
  await eventually('a first state', storedThrough, (pane) => Number.isFinite(pane));

  // A round of saving has begun when the lead is lost, and goes on afterwards.
  const store = group.tickStore;
  const isWhole = store.isWhole.bind(store);
  let release = () => {};
  const begun = new Promise<void>((begin) => {
    store.isWhole = async (partition) => {
      begin();
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return isWhole(partition);
    };
  });
  await begun;
  leadership.lead(false);
  const stored = await storedThrough();
  const ticks = snapshots.length;
  await group.produce(events.slice(30));
  await eventually(
    'more ticks',
    async () => snapshots.length,
    (length) => length > ticks + 2,
  );
  store.isWhole = isWhole;
  release();
  await sleep(300);
  expect(await storedThrough()).toBe(stored);
});
