import { basename } from 'node:path';
import { openLineWriter } from '../../adapters/files/line-writer.js';
import { UnskewError } from '../../errors.js';
import { isRatingMetric } from '../../estimators/metrics/rating-metrics.js';
import { QUESTIONS } from '../../features/text.js';
import {
  evaluationSummary,
  evaluationTable,
  toEvaluationJson,
} from '../../outputs/text/evaluation.js';
import { paintFor } from '../../outputs/text/paint.js';
import { sectionText } from '../../outputs/text/section-lines.js';
import type { Section } from '../../rows/table.js';
import { Interner } from '../../state/ids/interner.js';
import { Evaluation } from '../../stream/files/evaluation.js';
import type { RowEvaluation } from '../../stream/files/row-evaluation.js';
import { Outcomes } from '../../stream/outcomes.js';
import type { Snapshot } from '../../stream/tick/snapshot.js';
import type { CommandIo } from '../cli/io.js';
import type { EvaluateOptions } from '../cli/options.js';
import { packageVersion } from '../cli/version.js';
import { propensitiesOf } from '../propensities/used-file.js';
import { decoderOptions, monitorOptions, segmentTable } from '../service/monitor-options.js';
import { NO_SHARED_ITEM } from './kind-watch.js';
import { optimizeLater } from './later-optimization.js';
import { MemoryRoom } from './memory-room.js';
import {
  checkReference,
  faultyOf,
  isMapped,
  namesOf,
  noEvents,
  onlyRepetitions,
} from './no-events.js';
import { EventReader } from './read-events.js';

/** `unskew evaluate`: compute one window over all events of the files. */
export async function evaluate(options: EvaluateOptions, io: CommandIo): Promise<void> {
  optimizeLater();
  const { config, train, events, isOfRows = false, json } = options;
  const users = new Interner();
  const segments = segmentTable(config);
  const ids = {
    items: new Interner(),
    models: new Interner(),
    segments,
    users: () => users,
  };
  const outcomes = new Outcomes();
  const propensities = await propensitiesOf(config);
  const asked = monitorOptions(config, propensities);
  const questions = QUESTIONS.filter(({ name }) => options.questions?.includes(name));
  const keeping = {
    ...asked,
    keepsRows: questions.length > 0,
  };
  const report = async ({ snapshot, answers }: Evaluated) => {
    const { reportHtml } = await import('../../outputs/report/report.js');
    const sections = answers.map(({ section }) => section);
    const inputs = [...train, ...events].map((path) => basename(path));
    const made = {
      inputs,
      version: packageVersion(),
      at: Date.now(),
    };
    const { environment } = config.page;
    return reportHtml(snapshot, 0, outcomes, {
      environment,
      answers: sections,
      made,
    });
  };
  const { snapshot, answers } = await withFile(options.html, report, () =>
    withFile(options.out, tableOf(options.out), async () => {
      let evaluation: Evaluation | RowEvaluation;
      if (isOfRows) {
        const { RowEvaluation } = await import('../../stream/files/row-evaluation.js');
        const known = {
          ...ids,
          users,
        };
        evaluation = new RowEvaluation(keeping, known, outcomes);
        await readTables(options, evaluation, io);
      } else {
        evaluation = new Evaluation(keeping, ids, outcomes);
        const reader = new EventReader({
          decoder: decoderOptions(config),
          maxEventBytes: config.events.maxBytes,
          maxFaults: options.maxFaults,
          lists: config.intake.lists,
          ids,
          users,
          io,
        });
        await readParts(options, reader, evaluation, outcomes, io);
      }
      checkReference(config, namesOf(ids.models));
      const snapshot = evaluation.result();
      if (isEmpty(snapshot)) throw onlyRepetitions(events, train);
      const answers = questions.map(({ name, answer, section }) => {
        const found = answer(
          {
            ...ids,
            rows: evaluation.rows,
          },
          snapshot,
          asked,
        );
        return {
          name,
          found,
          section: section(found),
        };
      });
      return { snapshot, answers };
    }),
  );
  if (json) {
    const written = toEvaluationJson(snapshot, 0, outcomes);
    const more = Object.fromEntries(answers.map(({ name, found }) => [name, found]));
    io.stdout(
      `${JSON.stringify({
        ...written,
        ...more,
      })}\n`,
    );
    return;
  }
  const written = options.all ? evaluationTable : evaluationSummary;
  io.stdout(written(snapshot, 0, outcomes, paintFor(io)));
  for (const { section } of answers) {
    io.stdout(sectionText(section));
  }
}

/**
 * Read the train files, then the files to evaluate.
 *
 * @throws UnskewError EVENTS if there is nothing to evaluate; USAGE if lists and interactions have
 * no item in common
 */
async function readParts(
  { train, events, config }: EvaluateOptions,
  reader: EventReader,
  evaluation: Evaluation,
  outcomes: Outcomes,
  io: CommandIo,
): Promise<void> {
  const room = new MemoryRoom(io.stderr);
  await reader.read(train, outcomes, (interactions, exposures, share) => {
    evaluation.accept('train', interactions, exposures, share);
    room.check(share);
  });
  const before = {
    faulty: faultyOf(outcomes),
    ignored: outcomes.ignored,
  };
  let sound = 0;
  await reader.read(events, outcomes, (interactions, exposures, share) => {
    sound += interactions.length + exposures.length;
    evaluation.accept('events', interactions, exposures, share);
    room.check(share);
  });
  const { hasLists, lackItems } = reader.watch;
  if (sound > 0 && !hasLists) {
    throw new UnskewError('EVENTS', 'no list was read, so there is nothing to compare');
  }
  if (lackItems) throw new UnskewError('USAGE', NO_SHARED_ITEM);
  for (const warning of reader.watch.warnings()) {
    io.stderr(`warning: ${warning}\n`);
  }
  if (sound > 0) return;
  const faulty = faultyOf(outcomes) - before.faulty;
  const ignored = outcomes.ignored - before.ignored;
  throw noEvents(
    events,
    {
      faulty,
      ignored,
      first: reader.faults.first,
    },
    isMapped(config),
  );
}

/**
 * Read tables of `unskew/rows@1` instead of events.
 *
 * @throws UnskewError USAGE for rating metrics, since rows contain no ratings
 */
async function readTables(
  { events, config }: EvaluateOptions,
  evaluation: RowEvaluation,
  io: CommandIo,
): Promise<void> {
  const rated = config.estimates.metrics.filter(isRatingMetric);
  if (rated.length > 0) {
    throw new UnskewError('USAGE', `rows contain no ratings, which ${rated.join(', ')} need`);
  }
  const { readRows } = await import('./read-rows.js');
  const lists = await readRows(events, evaluation, io);
  const cut = segmentTable(config) === undefined ? [] : ['segments'];
  const left = ['requests', ...cut, ...lists].join(', ');
  io.stderr(`note: not reported, because rows do not contain them: ${left}\n`);
}

/** Whether the evaluated files have no events. */
function isEmpty({ windows: [window] }: Snapshot): boolean {
  return window.from === window.to;
}

/** Results of `evaluate`: the snapshot, and answers to additional questions. */
export interface Evaluated {
  readonly snapshot: Snapshot;
  /** Answers to the additional questions, by name. */
  readonly answers: readonly {
    readonly name: string;
    readonly found: object;
    readonly section: Section;
  }[];
}

/** Format of a table of results by its file's extension: Parquet, otherwise CSV. */
function tableOf(path = ''): (made: Evaluated) => Promise<string | Uint8Array> {
  return async ({ snapshot }) => {
    const { resultCsv, resultTable } = await import('../../outputs/history/result-table.js');
    const table = resultTable(snapshot);
    if (!path.endsWith('.parquet')) return resultCsv(table);
    const { resultFile } = await import('../../adapters/parquet/parquet.js');
    return resultFile(table, packageVersion());
  };
}

/**
 * Make a value, write its contents to a file, and return the value. The file appears complete or
 * not at all. A path that cannot be written is reported before the work, not after it.
 *
 * @param path undefined to write no file
 * @throws UnskewError FILE, and errors of `make`.
 */
export async function withFile<T>(
  path: string | undefined,
  contents: (made: T) => Promise<string | Uint8Array>,
  make: () => Promise<T>,
): Promise<T> {
  if (path === undefined) return make();
  const file = await openLineWriter(path);
  try {
    const made = await make();
    const whole = await contents(made);
    await file.append(typeof whole === 'string' ? Buffer.from(whole) : whole);
    await file.close();
    return made;
  } catch (error) {
    await file.abort();
    throw error;
  }
}
