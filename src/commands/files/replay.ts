import { setImmediate as nextTurn } from 'node:timers/promises';
import { ExposureColumns, InteractionColumns } from '../../events/columns.js';
import {
  evaluationSummary,
  evaluationTable,
  toEvaluationJson,
} from '../../outputs/text/evaluation.js';
import { paintFor } from '../../outputs/text/paint.js';
import { Interner } from '../../state/ids/interner.js';
import { Outcomes } from '../../stream/outcomes.js';
import { Monitor } from '../../stream/panes/monitor.js';
import { runAtOnce } from '../../stream/sliced.js';
import { dueWindows, type Snapshot } from '../../stream/tick/snapshot.js';
import type { CommandIo } from '../cli/io.js';
import type { ReplayOptions } from '../cli/options.js';
import { propensitiesOf } from '../propensities/used-file.js';
import { decoderOptions, monitorOptions, segmentTable } from '../service/monitor-options.js';
import { checkReference, faultyOf, isMapped, namesOf, noEvents } from './no-events.js';
import { EventReader } from './read-events.js';

/** Events of a chunk whose users are in one partition. */
interface Share {
  readonly interactions: InteractionColumns;
  readonly exposures: ExposureColumns;
}

/** Splits chunks of events into partitions by user; events of a partition stay in order. */
class SplitByUser {
  readonly #shares: readonly Share[];

  constructor(partitions: number) {
    this.#shares = Array.from({ length: partitions }, () => ({
      interactions: new InteractionColumns(),
      exposures: new ExposureColumns(),
    }));
  }

  /** Split a chunk. @returns events by partition, valid until the next call */
  split(interactions: InteractionColumns, exposures: ExposureColumns): readonly Share[] {
    const shares = this.#shares;
    if (shares.length === 1) return [{ interactions, exposures }];
    shares.forEach((share, s) => {
      share.interactions.clear();
      share.exposures.clear();
      share.interactions.addRows(interactions, rowsOf(s, shares.length, interactions));
      share.exposures.addRows(exposures, rowsOf(s, shares.length, exposures));
    });
    return shares;
  }
}

function longestWindow({ windows }: Snapshot): number {
  const lengths = windows.map(({ from, to }) => to - from);
  return lengths.indexOf(Math.max(...lengths));
}

/** Indices of the events in columns whose users are in a partition. */
function rowsOf(
  partition: number,
  partitions: number,
  {
    user,
    length,
  }: {
    readonly user: Int32Array;
    readonly length: number;
  },
): Int32Array {
  const rows = new Int32Array(length);
  let size = 0;
  for (let r = 0; r < length; r++) {
    if (user[r] % partitions === partition) {
      rows[size++] = r;
    }
  }
  return rows.subarray(0, size);
}

/**
 * `unskew replay`: run the streaming pipeline over files. Panes close as they would in `serve`; at
 * the end of the files, the open panes close too.
 */
export async function replay(options: ReplayOptions, io: CommandIo): Promise<void> {
  const { config, events, partitions, json, maxFaults } = options;
  const users = new Interner();
  const items = new Interner();
  const models = new Interner();
  const modelNames = new Interner();
  const segments = segmentTable(config);
  const ids = {
    items,
    models,
    modelNames,
    segments,
    users: () => users,
  };
  const propensities = await propensitiesOf(config);
  const monitor = new Monitor(monitorOptions(config, propensities), ids, partitions);
  for (let partition = 0; partition < partitions; partition++) {
    monitor.watermarks.expect('exposures', partition);
    monitor.watermarks.expect('interactions', partition);
  }
  const outcomes = new Outcomes();
  // The summary is of the last snapshot; `--all` and JSON print each closed window.
  let last: Snapshot | undefined;
  const close = (flush: boolean) => {
    for (let pane = monitor.closable(flush); pane !== undefined; pane = monitor.closable(flush)) {
      const closed = runAtOnce(monitor.close(pane));
      const snapshot = closed?.snapshot;
      outcomes.addRequests(closed?.requests);
      if (snapshot === undefined) continue;
      last = snapshot;
      if (!json && !options.all) continue;
      for (const window of dueWindows(snapshot)) {
        const w = snapshot.windows.indexOf(window);
        io.stdout(
          json
            ? `${JSON.stringify(toEvaluationJson(snapshot, w, outcomes))}\n`
            : evaluationTable(snapshot, w, outcomes, paintFor(io)),
        );
      }
    }
  };
  const split = new SplitByUser(partitions);
  const reader = new EventReader({
    decoder: decoderOptions(config),
    maxEventBytes: config.events.maxBytes,
    ids: {
      items,
      models: modelNames,
      segments,
    },
    users,
    maxFaults,
    lists: config.intake.lists,
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
    // Let output and interrupts proceed between two chunks.
    await nextTurn();
  });
  if (sound === 0) {
    const { ignored } = outcomes;
    const unread = {
      faulty: faultyOf(outcomes),
      ignored,
      first: reader.faults.first,
    };
    throw noEvents(events, unread, isMapped(config));
  }
  close(true);
  if (last !== undefined && !json && !options.all) {
    io.stdout(evaluationSummary(last, longestWindow(last), outcomes, paintFor(io)));
  }
  checkReference(config, namesOf(modelNames));
}
