import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluatedAt } from '../oracle/evaluated-models.js';
import { differences } from '../support/compare.js';
import { feed } from '../support/log.js';
import { aFeed, aTurnoverOf, TURNOVER, withNamesThatComeOnce } from '../support/model-turnover.js';
import { paneSeries } from '../support/pane-series.js';
import { repetitions } from '../support/repetitions.js';
import { RestartedReader } from '../support/restarts.js';
import { throughRecords } from '../support/through-records.js';

const one = { partitions: 1, batchSize: 1000, run: 1 };
/** One run compares dozens of panes: what is missed by one is missed by few. */
const RUNS = { numRuns: repetitions(2, 60), endOnFailure: true };

describe('models that come and go', () => {
  it('are evaluated by the definition for any batches and partitions', () => {
    let waited = 0;
    fc.assert(
      fc.property(aTurnoverOf(2), aFeed, (log, how) => {
        const whole = feed(log, TURNOVER, one);
        const divided = feed(log, TURNOVER, how);
        expect(differences(divided.snapshots, whole.snapshots, 1e-9)).toEqual([]);
        expect(divided.listsLeftOut).toBe(whole.listsLeftOut);
        waited += whole.listsLeftOut;
        const of = { tickMs: 10, longestMs: 60, ttlMs: 15, horizonMs: 240, most: 2 };
        for (const { paneEnd, models } of whole.snapshots) {
          expect(models).toEqual(evaluatedAt(log, paneEnd, of));
        }
      }),
      RUNS,
    );
    expect(waited).toBeGreaterThan(0);
  });

  it('are the same across restarts, also with names that occur only once', () => {
    let unplaced = 0;
    fc.assert(
      fc.property(
        aTurnoverOf(4),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.nat(30), { minLength: 10, maxLength: 30 }),
        (short, partitions, script) => {
          const log = withNamesThatComeOnce(short, 2);
          const undisturbed = new RestartedReader(log, TURNOVER, partitions);
          undisturbed.finish();
          const reader = new RestartedReader(log, TURNOVER, partitions);
          for (const [n, step] of script.entries()) {
            const partition = step % partitions;
            reader.read(n % 2 === 0 ? 'exposures' : 'interactions', partition, step);
            if (step % 3 === 0) reader.checkpoint(partition);
            if (step % 7 === 0) reader.restart(step % 2 === 0);
          }
          reader.finish();
          const wanted = paneSeries(undisturbed.snapshots);
          expect(differences(paneSeries(reader.snapshots), wanted, 1e-9)).toEqual([]);
          for (const { modelsLeftOut } of wanted) unplaced += modelsLeftOut?.models ?? 0;
        },
      ),
      RUNS,
    );
    expect(unplaced).toBeGreaterThan(0);
  });

  it('are the same if other processes close the panes, also with rare names', () => {
    fc.assert(
      fc.property(aTurnoverOf(4), fc.integer({ min: 1, max: 4 }), (short, readers) => {
        const log = withNamesThatComeOnce(short, 2);
        const alone = new RestartedReader(log, TURNOVER, 4);
        alone.finish();
        const found = throughRecords(log, TURNOVER, 4, readers).snapshots;
        expect(differences(found, paneSeries(alone.snapshots), 1e-9)).toEqual([]);
      }),
      { ...RUNS, numRuns: repetitions(1, 60) },
    );
  });
});
