import { Interner } from '../state/interner.js';
import { Evaluation } from '../stream/evaluation.js';
import { Outcomes } from '../stream/outcomes.js';
import { runAtOnce } from '../stream/sliced.js';
import { openReader } from './decoding/open-reader.js';
import type { CommandIo } from './io.js';
import { decoderOptions, monitorOptions } from './monitor-options.js';
import type { EvaluateOptions } from './options.js';
import { evaluationTable, toEvaluationJson } from './output/evaluation.js';
import { withReport } from './report-file.js';

/** `unskew evaluate`: one window over everything in the event files. */
export async function evaluate(options: EvaluateOptions, io: CommandIo): Promise<void> {
  const { config, train, events, maxFaults, json } = options;
  const users = new Interner();
  const ids = { items: new Interner(), models: new Interner(), users: () => users };
  const evaluation = new Evaluation(monitorOptions(config), ids);
  const outcomes = new Outcomes();
  const snapshot = await withReport(options.html, outcomes, async () => {
    const reader = await openReader([...train, ...events], {
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
        await reader.read(paths, outcomes, (interactions, exposures) =>
          evaluation.accept(part, interactions, exposures, outcomes),
        );
      }
    } finally {
      await reader.close();
    }
    return runAtOnce(evaluation.result());
  });
  io.stdout(
    json
      ? `${JSON.stringify(toEvaluationJson(snapshot, 0, outcomes))}\n`
      : evaluationTable(snapshot, 0, outcomes),
  );
}
