import {
  decoderOptions,
  monitorOptions,
  segmentTable,
} from '../../src/commands/service/monitor-options.js';
import { readConfig } from '../../src/config.js';
import { ExposureColumns, InteractionColumns } from '../../src/events/columns.js';
import { Decoder } from '../../src/events/decode.js';
import type { ExposureEvent, InteractionEvent } from '../../src/events/encode.js';
import { Interner } from '../../src/state/ids/interner.js';
import { Evaluation } from '../../src/stream/files/evaluation.js';
import { Outcomes } from '../../src/stream/outcomes.js';

export type Encoded = ExposureEvent | InteractionEvent;

/** As little as can be computed beside. */
const LITTLE = {
  'estimates.metrics': 'recall',
  'estimates.ks': '10',
  'estimates.estimators': 'naive,snips',
  baseline: 'none',
};

/** What a test says of a log, as `evaluate` has it. */
export function answerOf(
  events: Iterable<Encoded>,
  settings: Readonly<Record<string, string>> = {},
) {
  const { config } = readConfig({ env: {}, overrides: { ...LITTLE, ...settings } });
  const users = new Interner();
  const segments = segmentTable(config);
  const ids = { items: new Interner(), models: new Interner(), segments, users: () => users };
  const evaluation = new Evaluation(monitorOptions(config), ids, new Outcomes());
  const decoder = new Decoder(decoderOptions(config));
  const into = { interactions: new InteractionColumns(), exposures: new ExposureColumns() };
  for (const event of events) {
    const bytes = Buffer.from(JSON.stringify(event));
    const code = decoder.decode(
      bytes,
      0,
      bytes.length,
      'mixed',
      1e15,
      { ...ids, users, segments: segments?.values },
      into,
    );
    if (code !== 0) throw new Error(`an event is refused: ${decoder.detail}`);
  }
  evaluation.accept('events', into.interactions, into.exposures);
  return evaluation.result();
}
