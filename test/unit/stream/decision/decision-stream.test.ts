import { describe, expect, it } from 'vitest';
import { pairedDifference } from '../../../../src/features/verdicts/paired-difference.js';
import type { MonitorOptions } from '../../../../src/stream/options.js';
import type { Snapshot } from '../../../../src/stream/snapshot.js';
import { differences } from '../../../support/compare.js';
import { decisionOptions } from '../../../support/decision.js';
import { CYCLE_MS, driftMonitorOptions, driftTraffic } from '../../../support/drift-traffic.js';
import { type Event, feed } from '../../../support/log.js';
import { paneSeries } from '../../../support/pane-series.js';
import { RestartedReader } from '../../../support/restarts.js';
import { SharedWorkers } from '../../../support/workers.js';

const HOW = { partitions: 1, batchSize: 10_000, run: 1 };
const BETA = 1.5;
const START_MS = Date.UTC(2026, 0, 1);

/** Verdicts by recall@10 every 6 cycles, with days of 24; no alarms, so no new starts. */
function options(overrides: Partial<MonitorOptions> = {}): MonitorOptions {
  const { drift: _, ...rest } = driftMonitorOptions();
  const lengths = { lookMs: 6 * CYCLE_MS, dayMs: 24 * CYCLE_MS };
  const metric = { metric: 'recall', k: 10 } as const;
  return { ...rest, decision: decisionOptions({ metric, ...lengths }), ...overrides };
}

/** D since a time from the events, by users, with the counts of each pane's end. */
function byDefinition(log: readonly Event[], since: number, at: number, models: string[]) {
  const counts = new Map<string, number>();
  const lists = new Map<string, readonly string[]>();
  const sums = new Map<string, { weight: number; gain: number[] }>();
  const panes = new Map<number, Event[]>();
  for (const event of log) {
    const pane = Math.floor(Number(event.ts) / CYCLE_MS);
    panes.set(pane, [...(panes.get(pane) ?? []), event]);
  }
  for (const [pane, events] of [...panes].sort(([a], [b]) => a - b)) {
    const positive = events.filter((event) => event.type === 'interaction' && event.value !== 0);
    for (const event of positive) {
      if (event.type !== 'interaction') continue;
      counts.set(event.item, (counts.get(event.item) ?? 0) + 1);
    }
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const seen = new Set<string>();
    const inOrder = [...events].sort(
      (a, b) => Number(a.ts) - Number(b.ts) || a.type.localeCompare(b.type),
    );
    for (const event of inOrder) {
      if (event.type === 'exposure') lists.set(`${event.user} ${event.model}`, event.items);
      else if (positive.includes(event)) {
        const pair = `${event.user} ${event.item}`;
        if (seen.has(pair)) continue;
        seen.add(pair);
        if (pane * CYCLE_MS < since || (pane + 1) * CYCLE_MS > at) continue;
        const gains = models.map((model) => {
          const rank = lists.get(`${event.user} ${model}`)?.indexOf(event.item) ?? -1;
          return rank >= 0 && rank < 10 ? 1 : 0;
        });
        const weight = (counts.get(event.item)! / total) ** -BETA;
        const own = sums.get(event.user) ?? { weight: 0, gain: models.map(() => 0) };
        own.weight += weight;
        gains.forEach((gain, m) => {
          own.gain[m]! += weight * gain;
        });
        sums.set(event.user, own);
      }
    }
  }
  const users = [...sums.values()];
  const of = (m: number) => ({
    weight: users.map(({ weight }) => weight),
    gain: users.map(({ gain }) => gain[m]!),
  });
  return pairedDifference(of(0), of(1));
}

/**
 * One model lists the item that most find, the other those that few do: uncorrected the one is ahead,
 * and where rare items weigh as γ = 2 has it the other is.
 */
function* turningTraffic(cycles: number): Generator<Event> {
  const rare = Array.from({ length: 40 }, (_, n) => `rare${n}`);
  const lists = { head: ['everybody'], tail: rare };
  for (let cycle = 0; cycle < cycles; cycle++) {
    for (let n = 0; n < 60; n++) {
      const [user, ts] = [`u${n}`, START_MS + cycle * CYCLE_MS + 100 * n];
      // Repeated pairs would be seen only once.
      const item = n % 5 === 0 ? rare[(cycle + n) % 40]! : 'everybody';
      const own = { user: `${user}-${cycle}`, ts };
      for (const [model, items] of Object.entries(lists)) {
        yield { ...own, type: 'exposure', id: `${model} ${user} ${ts}`, model, items };
      }
      yield { ...own, type: 'interaction', id: `i ${user} ${ts}`, item, ts: ts + 1 };
    }
  }
}

describe('verdicts where γ decides who is better', () => {
  const log = [...turningTraffic(60)];
  const newest = (use: number) => {
    const { gamma } = options();
    const { snapshots } = feed(log, options({ gamma: { ...gamma, use } }), HOW);
    return snapshots.at(-1)!.verdicts!.find(({ model }) => model === 'tail')!;
  };

  it('are none where γ is only assumed, on whatever side of the turn', () => {
    for (const use of [2, -0.9]) {
      const { state, better, flip, value } = newest(use);
      expect({ state, better }).toEqual({ state: 'undecided', better: null });
      expect(Math.sign(value)).toBe(use > 0 ? 1 : -1);
      expect(flip!.winsBelow).toBe('head');
      expect(flip!.gamma).toBeGreaterThan(-1);
      expect(flip!.gamma).toBeLessThan(2);
    }
  });
});

describe('verdicts on simulated traffic', () => {
  const log = driftTraffic({ seed: 5, cycles: 60, rankers: ['personal', 'popular'] });
  const { snapshots } = feed(log, options(), HOW);
  const ofPair = (snapshot: Snapshot) =>
    snapshot.verdicts!.find(({ model }) => model === 'popular' || model === 'production')!;

  it('rest on what every event says, since the first look', () => {
    const last = snapshots.at(-1)!;
    const verdict = last.verdicts!.find(
      ({ model, reference }) => model === 'popular' && reference === 'personal',
    )!;
    const { since, at } = verdict;
    expect(since % (6 * CYCLE_MS)).toBe(0);
    expect(at - since).toBeGreaterThan(40 * CYCLE_MS);
    const expected = byDefinition(log, since, at, ['popular', 'personal']);
    expect(verdict.value).toBeCloseTo(expected.value, 9);
    // 80 users in 1,024 groups: some share theirs.
    expect(verdict.stdErr / expected.stdErr).toBeGreaterThan(0.8);
    expect(verdict.stdErr / expected.stdErr).toBeLessThan(1.25);
    expect(verdict).toMatchObject({ state: 'prefer', better: 'personal', reason: null });
  });

  it('come with the first whole day, and not before', () => {
    const spans = snapshots.map((snapshot) => {
      const { at, since, state, reason } = ofPair(snapshot) ?? {};
      return { days: (at! - since!) / (24 * CYCLE_MS), state, reason };
    });
    const known = spans.filter(({ state }) => state !== undefined);
    for (const { days, reason } of known) {
      if (days < 1) expect(reason).toBe('young');
      else expect(reason).toBeNull();
    }
    expect(known.at(-1)!.days).toBeGreaterThan(1);
  });

  it('are the same whatever the partitions and batches', () => {
    const other = feed(log, options(), { partitions: 3, batchSize: 700, run: 2 });
    const verdicts = (found: readonly Snapshot[]) => found.map(({ verdicts }) => verdicts);
    expect(differences(verdicts(other.snapshots), verdicts(snapshots), 1e-7)).toEqual([]);
  });

  it('are the same to the last bit after a restart in the middle of everything', () => {
    const reader = new RestartedReader(log, options(), 3);
    for (let round = 0; round < 400; round++) {
      for (let p = 0; p < 3; p++) {
        reader.read('exposures', p, 40);
        reader.read('interactions', p, 40);
        if (round % 7 === 3 * p) reader.checkpoint(p);
      }
      if (round % 50 === 20) reader.restart(round % 100 === 20);
    }
    reader.finish();
    const undisturbed = new RestartedReader(log, options(), 3);
    undisturbed.finish();
    const verdicts = (found: readonly Snapshot[]) =>
      paneSeries(found).map(({ verdicts: all }) => JSON.stringify(all));
    expect(verdicts(reader.snapshots)).toEqual(verdicts(undisturbed.snapshots));
  });

  it('begin again for a model that a mark names, whatever is restarted and shared', async () => {
    const at = START_MS + 20 * CYCLE_MS;
    const marked = options({ modelMarks: () => [{ model: 'popular', time: at }] });
    const verdictsOf = (found: readonly Snapshot[]) =>
      paneSeries(found).map(({ verdicts: all = [] }) => all);
    const alone = new RestartedReader(log, marked, 3);
    for (let round = 0; round < 400; round++) {
      for (let p = 0; p < 3; p++) {
        alone.read('exposures', p, 40);
        alone.read('interactions', p, 40);
        if (round % 7 === 3 * p) alone.checkpoint(p);
      }
      if (round % 50 === 20) alone.restart(round % 100 === 20);
    }
    alone.finish();
    const verdicts = verdictsOf(alone.snapshots);
    const sinces = verdicts.at(-1)!.map(({ model, reference, since }) => {
      return [[model, reference].includes('popular'), since > at] as const;
    });
    expect(sinces.length).toBeGreaterThan(1);
    for (const [isMarked, isLater] of sinces) expect(isLater).toBe(isMarked);
    const group = new SharedWorkers(log, marked, 3);
    await group.share(2);
    await group.finish();
    expect(verdictsOf(group.snapshots)).toEqual(verdicts);
  });

  it('judge the pairs with a control alone, where there is one', () => {
    const control = { ...options().decision!, control: 'popular' };
    const judged = feed(log.slice(0, 4000), options({ decision: control }), HOW).snapshots;
    const pairs = judged.at(-1)!.verdicts!.map(({ model, reference, comparisons }) => ({
      ...{ model, reference, comparisons },
    }));
    const others = judged.at(-1)!.models.filter((model) => model !== 'popular');
    expect(pairs).toEqual(
      others.map((model) => ({ model, reference: 'popular', comparisons: others.length })),
    );
  });
});
