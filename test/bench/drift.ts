import { type DetectorOptions, LEVEL_DETECTORS } from '../../src/features/drift/drift-options.js';
import { type WatchState, watch } from '../../src/features/drift/watch.js';
import type { LevelReading } from '../../src/features/reading.js';
import { cpuMs, medianOf } from './cpu-time.js';
import type { BenchResult } from './result.js';
import { millionRows } from './tick.js';

const HOUR = 3_600_000;
const WEEK = 168;
const SERIES = 200;
/** Until as many panes are kept as ever are. */
const LEARNED = 520;
const ROUNDS = 7;
const STEPS = 20;

/**
 * A step of all level detectors by ranks over 200 series that have kept all they may, with a season
 * of a week, against a tick of a million rows. Both by the processor's time, in turns.
 */
export async function benchDrift(): Promise<BenchResult[]> {
  const step = detectors();
  for (let pane = 0; pane < LEARNED; pane++) step();
  const tick = millionRows();
  const steps: number[] = [];
  const ticks: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    ticks.push(cpuMs(tick));
    for (let pane = 0; pane < STEPS; pane++) steps.push(cpuMs(step));
  }
  const ofStep = medianOf(steps);
  const ofTick = medianOf(ticks);
  const value = (100 * ofStep) / ofTick;
  const detail = `${SERIES} series × ${LEVEL_DETECTORS.join(', ')}: ${ofStep.toFixed(1)} ms of the processor, ${((1000 * ofStep) / SERIES).toFixed(0)} µs a series; the tick ${ofTick.toFixed(0)} ms; medians`;
  return [
    { id: 'drift.of_tick', value, unit: '% of tick', target: '<= 2', ok: value <= 2, detail },
  ];
}

/** @returns what takes the next pane of all series in */
function detectors(): () => void {
  const state: WatchState = {};
  const options: DetectorOptions = {
    detectors: LEVEL_DETECTORS,
    standardisation: 'ranks' as const,
    seasonMs: WEEK * HOUR,
    allowance: 0.5,
    threshold: 5,
    guarantee: 500,
    learn: 24,
  };
  let random = 7;
  const uniform = () => {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    return random / 2 ** 32;
  };
  let pane = -1;
  return () => {
    pane++;
    const readings = Array.from({ length: SERIES }, (_, s): LevelReading => {
      const users = 300 + Math.floor(100 * uniform());
      const hits = Math.floor(users * (0.1 + 0.02 * (uniform() + uniform() + uniform())));
      const series = `estimate/snips/recall@10/m${s}`;
      const of = { series, model: `m${s}`, reason: null, dependsOnVolume: false } as const;
      return { kind: 'level', ...of, value: hits / users, weight: users };
    });
    const slot = pane % WEEK;
    watch(state, readings, { from: pane * HOUR, to: (pane + 1) * HOUR, slot }, options);
  };
}
