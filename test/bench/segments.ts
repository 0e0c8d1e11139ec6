import { estimateWindow } from '../../src/estimators/lanes/estimate-window.js';
import type { EstimateOptions } from '../../src/estimators/options.js';
import { withSegmentAxes } from '../../src/estimators/segments/segment-axes.js';
import type { ItemCounts, WindowPart } from '../../src/state/panes/window-part.js';
import { cpuMs } from './cpu-time.js';
import { DEFAULTS } from './default-options.js';
import type { BenchResult } from './result.js';
import { makeCounts, makePart, mulberry32 } from './tick.js';

const VALUES = 50;
const MODELS = ['a', 'b', 'c'];
const ROUNDS = 4;
/** Two dimensions that users have, and two that change from row to row. */
const DIMENSIONS = ['country', 'tenure', 'device', 'surface'];
const SEGMENTS = { values: VALUES, minUsers: 30 };

/** What four dimensions of fifty values add to a tick of a million rows and three models. */
export async function benchSegments(): Promise<BenchResult[]> {
  const random = mulberry32(11);
  const counts = makeCounts(random);
  const part = makePart(random, counts);
  const divided = withSegments(part, random);
  const options: EstimateOptions = {
    ...DEFAULTS.estimates,
    gamma: 2,
    gammaStdErr: 0,
    catalogueSize: counts.items,
    feedback: 'ignore',
  };
  let best = Number.POSITIVE_INFINITY;
  let without = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    without = Math.min(without, timed(part, counts, options));
    best = Math.min(best, timed(divided, counts, options));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const value = best / without;
  return [
    {
      id: 'tick.segments',
      value,
      unit: 'x without',
      target: '<= 1.6',
      ok: value <= 1.6,
      detail: `${part.rows} rows, ${MODELS.length} models, ${DIMENSIONS.length} dimensions of ${VALUES} values: ${best.toFixed(0)} ms, without ${without.toFixed(0)} ms; 2 bytes a row and dimension`,
    },
  ];
}

function timed(part: WindowPart, counts: ItemCounts, options: EstimateOptions): number {
  return cpuMs(() => {
    const found = withSegmentAxes(part, SEGMENTS);
    const asked = found === null ? options : { ...options, segments: found.axes };
    estimateWindow({ part: found?.part ?? part, counts, models: MODELS, options: asked });
  });
}

function withSegments(part: WindowPart, random: () => number): WindowPart {
  const names = ['', '', ...Array.from({ length: VALUES }, (_, n) => `v${n}`)];
  const code = () => 2 + Math.floor(VALUES * random() ** 2);
  const codes = DIMENSIONS.map((_, d) => {
    const column = new Uint16Array(part.rows);
    for (let s = 0; s < part.users; s++) {
      const usual = code();
      for (let r = part.userStart[s]!; r < part.userStart[s + 1]!; r++) {
        column[r] = d < 2 || random() < 0.7 ? usual : code();
      }
    }
    return column;
  });
  return {
    ...part,
    segments: { dimensions: DIMENSIONS, names: DIMENSIONS.map(() => names), codes },
  };
}
