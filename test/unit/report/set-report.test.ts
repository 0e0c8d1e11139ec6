import { describe, expect, it } from 'vitest';
import { type DraftManifest, MANIFEST_SCHEMA, summarised } from '../../../src/export/manifest.js';
import { setReportHtml } from '../../../src/outputs/report/set-report.js';
import { setFindings } from '../../../src/rows/findings/set.js';
import { textOf } from '../../../src/rows/findings/words.js';
import { drawn, PLAN } from '../../support/sets.js';

async function reported(path = 'events.ndjson', items = 40) {
  const events = Array.from({ length: 900 }, (_, n) => ({
    type: 'interaction' as const,
    id: `e${n}`,
    ts: n,
    user: `u${n % 37}`,
    item: `i${Math.floor(items * ((n * 0.618) % 1) ** 3)}`,
  }));
  const { summary } = await drawn(events, {});
  const read = {
    events: 900,
    exposures: 0,
    ignored: 0,
    faults: { not_json: 3 },
    outsideRange: 7,
    interactions: 900,
  };
  const set: DraftManifest = {
    schema: MANIFEST_SCHEMA,
    version: '1.2.3',
    plan: PLAN,
    events: { maxBytes: 1, maxFutureMs: 0 },
    sources: [{ kind: 'file', role: 'events', path, bytes: 1, sha256: '' }],
    ...summarised(read, summary),
  };
  return { set, lorenz: summary.lorenz };
}

const texts = (set: DraftManifest) => setFindings(set).map(textOf);

describe('the report of a set', () => {
  it('shows users and items before and after, and the counts of every step', async () => {
    const { set, lorenz } = await reported();
    const page = setReportHtml(set, lorenz);
    expect(page.match(/class="series s[01]"/g)!.length).toBeGreaterThanOrEqual(4);
    const { items, counts } = set;
    for (const figure of [items.before.gini.toFixed(3), items.after.gini.toFixed(3)]) {
      expect(page).toContain(figure);
    }
    for (const count of [counts.drawn, counts.pairs.train, counts.outsideRange, 3]) {
      expect(page).toContain(`<td>${count}</td>`);
    }
  });

  it('escapes names and loads nothing from elsewhere', async () => {
    const { set, lorenz } = await reported('<img src=x onerror=alert(1)>.ndjson');
    const page = setReportHtml(set, lorenz);
    expect(page).not.toContain('<img');
    expect(page).toContain('&lt;img src=x');
    expect(page).not.toMatch(/https?:\/\/|<script/);
  });

  it('lists the problems of a set, and none for a sound one', async () => {
    const { set } = await reported();
    const sound: DraftManifest = {
      ...set,
      counts: { ...set.counts, drawn: 5000, leftOut: { ...set.counts.leftOut, repeated: 0 } },
      weights: { ...set.weights, largestShare: 0.001, distance: 0.05 },
      items: { ...set.items, expected: { ...set.items.expected, gini: 0 } },
    };
    expect(texts(sound)).toEqual([]);
    expect(texts({ ...sound, counts: { ...sound.counts, drawn: 50 } })[0]).toContain('50 rows');
    const heavy = { ...sound, weights: { ...sound.weights, largestShare: 0.2 } };
    expect(texts(heavy)[0]).toContain('20.0\u00a0% of the weight');
    const damped = { ...sound, raking: { components: 4, isDamped: true } };
    expect(texts(damped)[0]).toContain('4 unconnected parts');
    const cut: DraftManifest = {
      ...sound,
      sources: [
        {
          kind: 'kafka',
          topic: 't',
          partitions: [],
          missing: [{ partition: 0, low: 5, lowTs: 1 }],
        },
      ],
    };
    expect(texts(cut)[0]).toContain('so the set lacks those events');
    const far = { ...sound, weights: { ...sound.weights, distance: 0.34 } };
    expect(texts(far)[0]).toContain('distance 0.34');
  });
});
