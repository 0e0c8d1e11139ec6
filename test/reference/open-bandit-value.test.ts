import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { meanWeight } from '../../src/features/values/judge-lists.js';
import type { LoggedLists } from '../../src/features/values/logged/logged-lists.js';
import { valueByPropensities } from '../../src/features/values/logged/value-by-propensities.js';
import { weighLists } from '../../src/features/values/logged/weigh-lists.js';
import { needsData, publishedData } from '../support/published-data.js';

/** Items of the men's campaign. */
const ITEMS = 34;
const FOLDER = publishedData('open-bandit');

/** Impressions of a policy for the target uniform, each its own user. */
function impressions(folder: string, policy: string): LoggedLists {
  const [head, ...lines] = readFileSync(join(folder, policy, 'men.csv'), 'utf8')
    .trim()
    .split('\n');
  const names = head.split(',');
  const column = (name: string) => {
    const at = names.indexOf(name);
    return lines.map((line) => Number(line.split(',')[at]));
  };
  const index = lines.map((_, n) => n);
  return {
    requests: lines.length,
    cluster: index,
    clusters: lines.length,
    places: 1,
    length: lines.length,
    request: index,
    rank: index.map(() => 0),
    reward: column('click'),
    propensity: column('propensity_score'),
    propensityOf: 'slot',
    target: index.map(() => 1 / ITEMS),
  };
}

describe('Open Bandit, men', needsData('open-bandit'), () => {
  it('bts values uniform at .0030, self-normalised .0032, too uncertain to decide', () => {
    const log = impressions(FOLDER!, 'bts');
    const [ips, snips] = valueByPropensities('uniform', log);
    expect(ips.value).toBeCloseTo(0.003008626, 9);
    expect(ips.stdErr).toBeCloseTo(0.000773935, 9);
    expect(ips.ess).toBeCloseTo(15.1, 1);
    expect(snips.value).toBeCloseTo(0.003189423, 9);
    expect(snips.stdErr).toBeCloseTo(0.000827823, 9);
    expect(snips.lower).toBeCloseTo(0.00183, 5);
    expect(snips.upper).toBeCloseTo(0.00556, 5);
    for (const each of [ips, snips]) {
      expect(each).toMatchObject({ isRefused: false, decides: false });
      expect(each.reasons.map(({ code }) => code)).toEqual(['few_rewards']);
    }
    const sums = weighLists({ ...log, target: log.target! }, 'slot', {});
    expect(sums.weightSum ** 2 / sums.weightSquares).toBeCloseTo(655.7, 1);
    expect(sums.largest).toBeCloseTo(178, 0);
    const { mean, z } = meanWeight(sums);
    expect(mean).toBeCloseTo(0.943314, 6);
    expect(z).toBeCloseTo(-1.6, 1);
  });

  it('uniform cannot value bts, whose choices are unknown', () => {
    const { target, ...unknown } = impressions(FOLDER!, 'random');
    expect(target).toBeDefined();
    for (const each of valueByPropensities('bts', unknown)) {
      expect(each).toMatchObject({ isRefused: true, value: Number.NaN });
      expect(each.reasons.map(({ code }) => code)).toEqual(['target_unknown']);
    }
  });
});
