import { Interner } from '../../state/ids/interner.js';
import { Evaluation } from '../../stream/evaluate/evaluation.js';
import { Outcomes } from '../../stream/ingest/outcomes.js';
import type { CommandIo } from '../cli/io.js';
import type { EvaluateOptions } from '../cli/options.js';
import { openReader } from '../decoding/open-reader.js';
import { startCrew } from '../evaluating/crew.js';
import { evaluationTable, toEvaluationJson } from '../output/evaluation.js';
import { decoderOptions, monitorOptions } from '../service/monitor-options.js';
import { threadsFor } from '../threads/thread-count.js';
import { withReport } from './report-file.js';

/** `unskew evaluate`: one window over everything in the event files. */
export async function evaluate(options: EvaluateOptions, io: CommandIo): Promise<void> {
  const { config, train, events, maxFaults, json } = options;
  const users = new Interner();
  const ids = { items: new Interner(), models: new Interner(), users: () => users };
  const outcomes = new Outcomes();
  const evaluation = new Evaluation(monitorOptions(config), ids, outcomes);
  const snapshot = await withReport(options.html, outcomes, async () => {
    const threads = await threadsFor([...train, ...events]);
    const reader = openReader(threads, {
      decoder: decoderOptions(config),
      maxEventBytes: config.events.maxBytes,
      ids,
      users,
      maxFaults,
      io,
    });
    try {
      for (const [part, paths] of [
        ['train', train],
        ['events', events],
      ] as const) {
        await reader.read(paths, outcomes, (interactions, exposures, share) =>
          evaluation.accept(part, interactions, exposures, share),
        );
      }
    } finally {
      await reader.close();
    }
    const crew = startCrew(threads);
    try {
      return await evaluation.result(crew);
    } finally {
      await crew.end();
    }
  });
  io.stdout(
    json
      ? `${JSON.stringify(toEvaluationJson(snapshot, 0, outcomes))}\n`
      : evaluationTable(snapshot, 0, outcomes),
  );
}
