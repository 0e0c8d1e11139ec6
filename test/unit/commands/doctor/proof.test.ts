import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { problemsOf } from '../../../../src/commands/doctor/problems.js';
import { proofOf, proofText } from '../../../../src/commands/doctor/proof.js';
import { suggestedFile, suggestionsOf } from '../../../../src/commands/doctor/suggestion.js';
import { reportOf, type Sampled } from '../../../../src/commands/doctor/topic-report.js';
import type { Mapping } from '../../../../src/events/mapping/mapping.js';

const T = 1_767_225_600_000;
const LIMITS = { latenessMs: 60_000, maxFutureMs: 60_000, horizonMs: 1, hasRegistry: false };
const many = (count: number, make: (n: number) => object) =>
  Array.from({ length: count }, (_, n) => make(n));

function topic(name: string, values: readonly object[]): Sampled {
  const sample = values.map((value, n) => ({
    from: { topic: name, partition: 0, offset: `${n}`, key: null, headers: {} },
    value: Buffer.from(JSON.stringify(value)),
    ts: 0,
  }));
  return { name, partitions: 1, records: sample.length, retentionMs: undefined, sample };
}

/** The configuration that doctor writes for these topics, and its proof on them. */
function looked(sampled: readonly Sampled[]) {
  const reports = sampled.map((each) => reportOf(each, undefined));
  const suggestions = suggestionsOf(reports);
  const how = { isOfFiles: false, brokers: ['k:1'], registryUrl: undefined, latenessMs: 60_000 };
  const file = suggestedFile(suggestions, problemsOf(reports, suggestions, LIMITS), how);
  const proof = proofOf(file, sampled, undefined);
  const written = parse(file) as { intake?: { sources: { topic: string; mapping: Mapping }[] } };
  const mappings = Object.fromEntries(
    (written.intake?.sources ?? []).map((source) => [source.topic, source.mapping]),
  );
  return { file, proof, mappings, text: proofText(proof, suggestions) };
}

const SKUS = ['a', 'b', 'c', 'd'];
const served = (n: number) => ({
  event_id: `s${n}`,
  time: T + 1000 * n,
  user_id: `u${n % 5}`,
  reco_request_id: `r${n}`,
  experiments: { home_ranking: n % 2 ? 'als' : 'popular', button: 'red' },
  products: SKUS.map((sku) => ({ sku })),
});
const views = (slotOf: (n: number) => string) =>
  Array.from({ length: 30 }).flatMap((_, n) =>
    SKUS.map((sku, place) => ({
      at: T + 1000 * n + place,
      user_id: `u${n % 5}`,
      request_id: `r${n}`,
      sku,
      position: place + 1,
      ranker: 'm',
      slot: slotOf(place),
    })),
  );
const click = (n: number) => ({
  at: T + 1000 * n + 500,
  user_id: `u${n % 5}`,
  request_id: `r${n}`,
  sku: 'b',
});

describe('the configuration that doctor writes', () => {
  it('reads the model from one experiment in a list of experiments', () => {
    const tested = many(30, (n) => ({
      ...served(n),
      experiments: [
        { name: 'button', variant: 'red' },
        ...(n % 3 === 0 ? [] : [{ name: 'home_ranking', variant: n % 2 ? 'als' : 'popular' }]),
      ],
    }));
    const { mappings, proof, file } = looked([topic('shop.served', tested)]);
    expect(mappings['shop.served']!.exposure?.model).toEqual({
      path: '/experiments',
      where: { '/name': 'home_ranking' },
      at: '/variant',
      default: 'unknown',
    });
    expect(Object.fromEntries(proof.models)).toEqual({ als: 10, popular: 10, unknown: 10 });
    expect(file).toContain('model: the variant of the experiment home_ranking, or of button');
  });

  it('maps order lines to baskets, models from a map, and prefixed list ids', () => {
    const orders = many(20, (n) => ({
      order_id: `o${n}`,
      time: T + 1000 * n + 900,
      user_id: `u${n % 5}`,
      lines: [{ sku: 'a', reco_request_id: `r${n}` }, { sku: 'z' }, { sku: 'y' }].slice(
        0,
        1 + (n % 3),
      ),
    }));
    const { mappings, proof, text } = looked([
      topic('shop.lists', many(40, served)),
      topic('shop.orders', orders),
    ]);
    expect(mappings['shop.lists']).toEqual({
      exposure: {
        id: '/reco_request_id',
        ts: '/time',
        user: '/user_id',
        model: '/experiments/home_ranking',
        items: { path: '/products', each: '/sku' },
      },
    });
    expect(mappings['shop.orders']).toEqual({
      interaction: {
        ts: '/time',
        user: '/user_id',
        item: { path: '/lines', each: '/sku' },
        action: { constant: 'purchase' },
        exposure: { path: '/lines', each: '/reco_request_id' },
      },
    });
    expect(text).toContain('shop.orders: no field gives the action, so the items of a basket');
    expect(Object.fromEntries(proof.models)).toEqual({ als: 20, popular: 20 });
    expect(proof).toMatchObject({
      lists: 40,
      length: 4,
      users: 5,
      interactions: 39,
      named: 20,
      found: 20,
      wrong: [],
    });
  });

  it('maps list ids of clicks only where they match those of the lists', () => {
    const one = topic(
      'shop.impressions',
      views(() => 'HOME'),
    );
    const two = topic(
      'shop.impressions',
      views((place) => (place < 2 ? 'HOME' : 'CART')),
    );
    const bare = topic('shop.clicks', many(30, click));
    const told = topic(
      'shop.clicks',
      many(30, (n) => ({ ...click(n), slot: 'HOME' })),
    );
    const joined = looked([two, told]);
    expect(joined.mappings['shop.clicks']!.interaction!.exposure).toEqual({
      join: ['/request_id', '/slot'],
    });
    expect(joined.proof).toMatchObject({ lists: 60, named: 30, found: 30, wrong: [] });
    const alone = looked([one, bare]);
    expect(alone.mappings['shop.impressions']!.impression).not.toHaveProperty('surface');
    expect(alone.proof).toMatchObject({ lists: 30, named: 30, found: 30, wrong: [] });
    expect(alone.text).toContain(
      'the field /slot is not mapped to surface, because no request has lists of several surfaces',
    );
    const none = looked([two, bare]);
    expect(none.mappings['shop.impressions']!.impression).toHaveProperty('surface', '/slot');
    expect(none.proof).toMatchObject({ lists: 60, named: 0 });
    expect(none.file).toContain('interactions do not give the id of the list');
  });

  it('falls back to the device id for missing users, or ignores anonymous events', () => {
    const lists = topic('shop.lists', many(40, served));
    const nobodys = (n: number) => ({ ...click(n), ...(n % 3 === 0 && { user_id: null }) });
    const apart = looked([lists, topic('shop.clicks', many(30, nobodys))]);
    expect(apart.mappings['shop.clicks']).toMatchObject({
      anonymous: 'ignored',
      interaction: { user: '/user_id' },
    });
    expect(apart.file).toContain('34 % of the events have no /user_id: they count as anonymous');
    expect(apart.text).toMatch(/ignored +anonymous \(10\)/);
    const device = (n: number) => ({ ...nobodys(n), anonymous_id: `d${n}` });
    const fallen = looked([lists, topic('shop.clicks', many(30, device))]);
    expect(fallen.mappings['shop.clicks']!.interaction!.user).toEqual([
      '/user_id',
      '/anonymous_id',
    ]);
    expect(fallen.proof).toMatchObject({ interactions: 30, wrong: [] });
  });

  it('is unaffected by three malformed records in a hundred', () => {
    const sound = many(97, click);
    const [clicks, spoiled] = [
      [],
      [{ at: 'never' }, { sku: {}, user_id: ['u'] }, { at: T + 9e11 }],
    ].map((more) => [...more.map((other) => ({ ...click(50), ...other })), ...sound]);
    const lists = topic('shop.lists', many(100, served));
    const [before, after] = [clicks!, spoiled!].map((records) => {
      const sampled = topic('shop.clicks', records);
      const sample = sampled.sample.map((record) => ({ ...record, ts: T + 200_000 }));
      return looked([lists, { ...sampled, sample }]);
    });
    expect(after!.mappings).toEqual(before!.mappings);
    expect(after!.file).not.toContain('lateness');
    expect(after!.proof).toMatchObject({ interactions: 97, wrong: [] });
  });

  it('ignores actions whose names are not feedback', () => {
    const events = many(60, (n) => ({
      ...click(n),
      event_name: ['page_view', 'add_to_cart', 'purchase'][n % 3],
    }));
    const { mappings, text } = looked([
      topic('shop.lists', many(40, served)),
      topic('shop.events', events),
    ]);
    expect(mappings['shop.events']).toMatchObject({
      kind: {
        values: { page_view: 'ignored', add_to_cart: 'interaction', purchase: 'interaction' },
      },
      interaction: { action: '/event_name' },
    });
    expect(text).toMatch(/ignored +ignored \(20\)/);
    expect(text).toContain(
      'these kinds are ignored, because their names do not look like feedback: page_view',
    );
    expect(text).toMatch(/feedback +40: (add_to_cart|purchase) \(20\)/);
  });
});

describe('the proof of a configuration', () => {
  it('reports rejected records, unknown list ids, missing events and an invalid configuration', () => {
    const config = (exposure: string) => `intake:
  sources:
    - topic: lists
      mapping: { exposure: { id: /event_id, ts: /time, user: /user_id, model: { constant: m }, items: { path: /products, each: /sku } } }
    - topic: clicks
      mapping: { interaction: { ts: /at, user: /user_id, item: /sku, exposure: ${exposure} } }`;
    const broken = many(10, () => ({ at: 'never' }));
    const sampled = [
      topic('lists', many(40, served)),
      topic('clicks', [...many(30, click), ...broken]),
    ];
    const { wrong, others } = proofOf(config('/request_id'), sampled, undefined);
    expect(wrong).toEqual([
      expect.stringMatching(/^10 records are invalid: bad_timestamp 10 \(/),
      'only 0 of the 30 list ids in interactions are in the sample, so most clicks could not be attributed to their list',
    ]);
    expect(others.get('bad_timestamp')).toBe(10);
    const [first, second] = proofOf(config('/sku'), [], undefined).wrong;
    expect([first, second]).toEqual([
      'the sample contains no lists, and nothing can be evaluated without them',
      'the sample contains no interactions',
    ]);
    const unfit = proofOf(
      'intake: { sources: [{ topic: x, mapping: { tsUnit: days } }] }',
      [],
      undefined,
    );
    expect(unfit.wrong[0]).toContain('intake.sources');
  });
});
