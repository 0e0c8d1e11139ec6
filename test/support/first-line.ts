import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evaluate } from '../../src/commands/files/evaluate.js';
import { readConfig } from '../../src/config.js';
import type { ExposureEvent, InteractionEvent } from '../../src/events/encode.js';
import type { SimulationOptions } from '../../src/simulation/options.js';
import { Simulation } from '../../src/simulation/simulation.js';
import { quietIo } from './quiet-io.js';

type Encoded = ExposureEvent | InteractionEvent;

interface Difference {
  readonly model: string;
  readonly reference: string;
  readonly estimator: string;
  readonly aggregation: string;
  readonly value: number;
}

/** Sentences about some events in the JSON of `unskew evaluate`. */
export interface Said {
  /** The sentences of the verdicts, the first one first. */
  readonly verdicts: readonly string[];
  /** The tables' differences, whatever is said of them. */
  readonly differences: readonly Difference[];
}

/** Evaluates a log as `unskew evaluate --json` does. */
export async function saidOf(
  events: Iterable<Encoded>,
  settings: Readonly<Record<string, string>> = {},
  train: Iterable<Encoded> = [],
): Promise<Said> {
  const { verdict = [], differences } = JSON.parse(
    await printedOf({ events, settings, train, json: true }),
  ) as {
    verdict?: { text: string }[];
    differences: Difference[];
  };
  return { verdicts: verdict.map((own) => own.text), differences };
}

/** What `unskew evaluate` prints of a log; with `--all` unless `all` is false. */
export async function printedOf({
  events,
  settings = {},
  train = [],
  json = false,
  all = true,
}: {
  readonly events: Iterable<Encoded>;
  readonly settings?: Readonly<Record<string, string>>;
  readonly train?: Iterable<Encoded>;
  readonly json?: boolean;
  readonly all?: boolean;
}): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'unskew-first-line-'));
  try {
    const written = (name: string, of: Iterable<Encoded>) => {
      const lines = Array.from(of, (event) => JSON.stringify(event));
      if (lines.length === 0) return [];
      writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
      return [join(folder, name)];
    };
    const { config } = readConfig({
      env: {},
      overrides: { 'estimates.metrics': 'recall', 'estimates.ks': '10', ...settings },
    });
    let text = '';
    const stdout = (part: string) => (text += part);
    await evaluate(
      {
        events: written('events.ndjson', events),
        train: written('train.ndjson', train),
        config,
        json,
        all,
        maxFaults: 0,
      },
      { ...quietIo, stdout },
    );
    return text;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Without the names of every second click, or every click, that a model's lists led to. */
export function withoutNames<Of extends Encoded>(
  events: readonly Of[],
  models: readonly string[],
  every = 2,
): Of[] {
  const shown = new Map<string, string>();
  for (const event of events) if (event.type === 'exposure') shown.set(event.id, event.model);
  let clicks = 0;
  return events.map((event) => {
    if (event.type !== 'interaction' || event.exposure === undefined) return event;
    if (!models.includes(shown.get(event.exposure) ?? '') || clicks++ % every > 0) return event;
    const { exposure: _, ...unnamed } = event;
    return unnamed as Of;
  });
}

/** Events of a simulation, all but the last cycle as what is known before. */
export function simulated(options: Partial<SimulationOptions>, cycles = 3) {
  const cycleMs = 3_600_000;
  const simulation = new Simulation({ durationMs: cycles * cycleMs, ...options });
  const split = simulation.options.startMs + (cycles - 1) * cycleMs;
  const all = [...simulation.events()];
  return {
    simulation,
    train: all.filter(({ ts }) => ts < split),
    events: all.filter(({ ts }) => ts >= split),
  };
}
