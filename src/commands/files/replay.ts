import { setImmediate as nextTurn } from 'node:timers/promises';
import { Interner } from '../../state/ids/interner.js';
import { Outcomes } from '../../stream/ingest/outcomes.js';
import { Monitor } from '../../stream/monitor.js';
import { runAtOnce } from '../../stream/sliced.js';
import { dueWindows } from '../../stream/snapshot.js';
import type { CommandIo } from '../cli/io.js';
import type { ReplayOptions } from '../cli/options.js';
import { evaluationSummary, evaluationTable, toEvaluationJson } from '../output/evaluation.js';
import { paintFor } from '../output/summary/paint.js';
import { propensitiesOf } from '../propensities/file/used-file.js';
import { decoderOptions, monitorOptions, segmentTable } from '../service/monitor-options.js';
import { checkReference, namesOf } from './known-reference.js';
import { faultyOf, noEvents } from './no-events.js';
import { EventReader } from './read-events.js';
import { SplitByUser } from './split-by-user.js';

/**
 * `unskew replay`: the streaming pipeline over files. Panes close as they would in `serve`, and at
 * the end of the files what is still open closes too.
 */
export async function replay(options: ReplayOptions, io: CommandIo): Promise<void> {
  const { config, events, partitions, json, maxFaults } = options;
  const users = new Interner();
  const [items, models, modelNames] = [new Interner(), new Interner(), new Interner()];
  const segments = segmentTable(config);
  const ids = { items, models, modelNames, segments, users: () => users };
  const propensities = await propensitiesOf(config);
  const monitor = new Monitor(monitorOptions(config, propensities), ids, partitions);
  for (let partition = 0; partition < partitions; partition++) {
    monitor.watermarks.expect('exposures', partition);
    monitor.watermarks.expect('interactions', partition);
  }
  const outcomes = new Outcomes();
  const written = options.all ? evaluationTable : evaluationSummary;
  const close = (flush: boolean) => {
    for (let pane = monitor.closable(flush); pane !== undefined; pane = monitor.closable(flush)) {
      const closed = runAtOnce(monitor.close(pane));
      const snapshot = closed?.snapshot;
      outcomes.addRequests(closed?.requests);
      if (snapshot === undefined) continue;
      for (const window of dueWindows(snapshot)) {
        const w = snapshot.windows.indexOf(window);
        io.stdout(
          json
            ? `${JSON.stringify(toEvaluationJson(snapshot, w, outcomes))}\n`
            : written(snapshot, w, outcomes, paintFor(io)),
        );
      }
    }
  };
  const split = new SplitByUser(partitions);
  const reader = new EventReader({
    decoder: decoderOptions(config),
    maxEventBytes: config.events.maxBytes,
    ids: { items, models: modelNames, segments },
    users,
    maxFaults,
    io,
  });
  let sound = 0;
  await reader.read(events, outcomes, async (interactions, exposures) => {
    sound += interactions.length + exposures.length;
    split.split(interactions, exposures).forEach((share, partition) => {
      monitor.intake.acceptExposures(partition, share.exposures, outcomes);
      monitor.intake.acceptInteractions(partition, share.interactions, outcomes);
    });
    close(false);
    // Output and interrupts get their turn between two chunks.
    await nextTurn();
  });
  if (sound === 0) {
    const { ignored } = outcomes;
    throw noEvents(events, { faulty: faultyOf(outcomes), ignored, first: reader.faults.first });
  }
  close(true);
  checkReference(config, namesOf(modelNames));
}
