import { describe, expect, it } from 'vitest';
import { findingLines } from '../../../src/outputs/text/finding-lines.js';
import { wrapped } from '../../../src/outputs/text/terminal.js';
import { rankingFindings } from '../../../src/rows/findings/rankings.js';
import { refusedFindings } from '../../../src/rows/findings/refused.js';
import { sampleFindings } from '../../../src/rows/findings/sample.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';

const window = { ...makeSnapshot().windows[0]!, interventions: [] };

describe('findings on a terminal', () => {
  it('names unavailable estimators with the reason', () => {
    const refusals = [{ estimator: 'ure' as const, reason: 'needs more' }];
    expect(findingLines(refusedFindings({ ...window, refusals }))).toEqual([
      'Note: ure is not available: it needs more.',
    ]);
  });

  it('gives the two estimators that disagree most on the order of models', () => {
    const agreement = (tau: number, flips: [string, string][]) => ({
      metric: 'recall' as const,
      k: 5,
      aggregation: 'pooled' as const,
      estimators: ['naive', 'snips'] as const,
      tau,
      flips,
    });
    const agreements = [
      agreement(1, []),
      agreement(0.2, [['a', 'b']]),
      agreement(-0.4, [['a', 'b']]),
    ];
    const found = rankingFindings({ ...window, results: [], agreements });
    expect(findingLines(found)).toEqual([
      'Note: Two estimators order the models differently in 2 of 3 comparisons. The largest disagreement is between naive and snips on recall@5, over all events (Kendall’s τ = −0.40).',
    ]);
  });

  it('says that margins cannot be uniform, and keeps to 100 columns', () => {
    const [wtdH] = makeSnapshot().windows[0]!.interventions;
    const interventions = [{ ...wtdH, raking: { components: 3, isDamped: true } }];
    const found = sampleFindings({ ...window, interventions });
    const damped = findingLines(found.filter(({ code }) => code === 'margins_out_of_reach'));
    expect(damped).toHaveLength(1);
    expect(damped[0]).toContain('because the rows fall into 3 unconnected parts');
    for (const line of damped.flatMap(wrapped)) expect(line.length).toBeLessThanOrEqual(100);
  });
});
