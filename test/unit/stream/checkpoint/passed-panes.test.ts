import { describe, expect, it } from 'vitest';
import { differences } from '../../../support/compare.js';
import { feed, quickOptions, threeModels } from '../../../support/log.js';
import { RestartedReader } from '../../../support/restarts.js';

const OPTIONS = quickOptions();
const log = threeModels(40);
const PARTITIONS = 2;
/** The last pane before the first event. */
const PANE = 98;
const wanted = feed(log, OPTIONS, { partitions: PARTITIONS, batchSize: 1000, run: 1 }).snapshots;

/** A worker that continues alone from the checkpoints of several that closed the pane together. */
function goesOn(kept: readonly number[], ticked: number): RestartedReader {
  const reader = new RestartedReader(log, OPTIONS, PARTITIONS);
  const { partitions } = reader.ingest.monitor;
  for (const p of kept) partitions.of(p).closedThrough = PANE;
  partitions.learned.ticked = ticked;
  for (const p of kept) reader.checkpoint(p);
  reader.restart();
  reader.finish();
  return reader;
}

describe('a pane that a checkpoint has closed', () => {
  it.each([
    ['one partition', [0]],
    ['all partitions', [0, 1]],
  ])('is not emitted if it never ticked: %s', (_, kept) => {
    const { snapshots } = goesOn(kept, Number.NEGATIVE_INFINITY);
    expect(differences(snapshots, wanted, 1e-9)).toEqual([]);
  });

  it.each([
    ['one partition', [0]],
    ['all partitions', [0, 1]],
  ])('is emitted again if it was the last tick: %s', (_, kept) => {
    const ends = goesOn(kept, PANE).snapshots.map(({ paneEnd }) => paneEnd);
    expect(ends).toEqual([(PANE + 1) * OPTIONS.tickMs, ...wanted.map(({ paneEnd }) => paneEnd)]);
  });

  it('is not emitted if later panes ticked and its windows are empty', () => {
    const { snapshots } = goesOn([0, 1], PANE + 3);
    expect(differences(snapshots, wanted, 1e-9)).toEqual([]);
  });
});
