import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileError } from '../../adapters/files/file-error.js';
import { openLineWriter } from '../../adapters/files/line-writer.js';
import { UnskewError } from '../../errors.js';
import { LOGGING_MODEL, type SimulationOptions, UNIFORM_MODEL } from '../../simulation/options.js';
import { Simulation } from '../../simulation/simulation.js';
import { EventFiles, type Part } from './event-files.js';

export interface SimulateOptions {
  /** Options of the simulation that differ from its defaults; `cycles` sets the duration. */
  readonly simulation: Partial<Omit<SimulationOptions, 'durationMs'>>;
  /** Total number of cycles. In each cycle, each user has one session. */
  readonly cycles: number;
  /**
   * Number of cycles in the train part, which is the start of the log. The rest is for evaluation.
   * By default only the last cycle is for evaluation, since the truth is valid for windows of about
   * one cycle.
   */
  readonly trainCycles?: number;
  /** Whether to write `.ndjson.gz` instead of `.ndjson`. */
  readonly gzip: boolean;
}

export interface SimulateSummary {
  readonly train: {
    readonly path: string;
    readonly events: number;
  };
  readonly events: {
    readonly path: string;
    readonly events: number;
  };
  readonly truth: string;
}

/**
 * Write a simulated log and its truth to a folder. `train.ndjson` has the earlier cycles, and
 * `events.ndjson` has the rest. `truth.json` has the true value of every metric per ranker, the
 * interval in which these values are valid, and the parameters. The same options give the same
 * bytes.
 *
 * @param onProgress receives simulated and total event time, ms
 * @throws UnskewError USAGE for options out of range, FILE if the folder cannot be written
 */
export async function simulate(
  options: SimulateOptions,
  folder: string,
  onProgress: (doneMs: number, totalMs: number) => void = () => {},
): Promise<SimulateSummary> {
  const { cycles, trainCycles = cycles - 1, gzip } = options;
  if (!Number.isInteger(cycles) || cycles < 1) {
    throw new UnskewError('USAGE', `cycles is ${cycles}, expected a whole number from 1`);
  }
  if (!Number.isInteger(trainCycles) || trainCycles < 0 || trainCycles >= cycles) {
    throw new UnskewError(
      'USAGE',
      `trainCycles is ${trainCycles}, expected a whole number from 0 to ${cycles - 1}`,
    );
  }
  const cycleMs = new Simulation({
    ...options.simulation,
    users: 1,
  }).options.cycleMs;
  const simulation = new Simulation({
    ...options.simulation,
    durationMs: cycles * cycleMs,
  });
  const { startMs } = simulation.options;
  const splitMs = startMs + trainCycles * cycleMs;
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw fileError('write', folder, error);
  });
  const ending = gzip ? '.ndjson.gz' : '.ndjson';
  const trainPath = join(folder, `train${ending}`);
  const eventsPath = join(folder, `events${ending}`);
  const truthPath = join(folder, 'truth.json');
  const counts = await EventFiles.fill(eventsPath, trainPath, async (files) => {
    for (const event of simulation.events()) {
      const part: Part = event.ts < splitMs ? 'train' : 'events';
      const written = files.write(part, event);
      // Only a full buffer returns a promise, which is rare enough to report progress then.
      if (written === undefined) continue;
      await written;
      onProgress(event.ts - startMs, cycles * cycleMs);
    }
    return files.counts;
  });
  const truth = await openLineWriter(truthPath);
  await truth.write(JSON.stringify(describeTruth(simulation, splitMs), null, 2));
  await truth.close();
  onProgress(cycles * cycleMs, cycles * cycleMs);
  return {
    train: {
      path: trainPath,
      events: counts.train,
    },
    events: {
      path: eventsPath,
      events: counts.events,
    },
    truth: truthPath,
  };
}

function describeTruth(simulation: Simulation, splitMs: number) {
  const { options } = simulation;
  const endMs = options.startMs + (options.durationMs ?? 0);
  const changes = simulation.truthChanges().filter((ms) => ms < endMs);
  return {
    schema: 'unskew/truth@1',
    gamma: options.gamma,
    beta: (options.gamma + 1) / 2,
    seed: options.seed,
    loggingModel: LOGGING_MODEL,
    uniformModel: isUniformShown(options) ? UNIFORM_MODEL : null,
    catalogueSize: options.items,
    drift: options.drift ?? null,
    splitMs,
    parameters: options,
    intervals: changes.map((from, i) => ({
      from,
      to: changes[i + 1] ?? endMs,
      values: simulation.truth(from),
      ...rewardsOf(simulation, from),
    })),
  };
}

function isUniformShown({ randomizedShare, randomArm = 0 }: SimulationOptions): boolean {
  return randomizedShare > 0 || randomArm > 0;
}

/** True rewards per request for `truth.json`; empty unless lists drive interactions. */
function rewardsOf(simulation: Simulation, atMs: number) {
  const rewards = simulation.rewards(atMs);
  return rewards.length === 0 ? {} : { rewards };
}
