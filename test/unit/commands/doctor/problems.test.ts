import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { problemsOf } from '../../../../src/commands/doctor/problems.js';
import { suggestedFile, suggestionsOf } from '../../../../src/commands/doctor/suggestion.js';
import { findingsText, roughly } from '../../../../src/commands/doctor/text.js';
import { reportOf } from '../../../../src/commands/doctor/topic-report.js';
import { readConfig } from '../../../../src/config.js';
import { SchemaTable } from '../../../../src/events/formats/schema.js';
import { avroOf, framed } from '../../../support/formats/writers.js';

const T = 1_767_225_600_000;
const DAY = 86_400_000;
const LIMITS = { latenessMs: 60_000, maxFutureMs: 60_000, horizonMs: 10 * DAY, hasRegistry: false };

/** A topic of JSON or framed values; partition and key of record n as given. */
function topic(
  name: string,
  values: readonly (object | Uint8Array)[],
  at: (n: number) => { partition?: number; key?: string; ts?: number } = () => ({}),
  retentionMs = 30 * DAY,
) {
  const sample = values.map((value, n) => {
    const { partition = 0, key = null, ts = 0 } = at(n);
    const from = { topic: name, partition, offset: `${n}`, key, headers: {} };
    const bytes = value instanceof Uint8Array ? value : Buffer.from(JSON.stringify(value));
    return { from, value: bytes, ts };
  });
  return { name, partitions: 4, records: sample.length, retentionMs, sample };
}

function looked(
  ...given: readonly [ReturnType<typeof topic>, ...ReturnType<typeof topic>[]]
): string[] {
  const reports = given.map((each) => reportOf(each, undefined));
  return [...problemsOf(reports, suggestionsOf(reports), LIMITS)];
}

const list = (n: number) => ({
  id: `e${n}`,
  ts: T + n,
  user: `u${n % 4}`,
  model: 'm',
  items: ['a', 'b'],
});
const click = (n: number) => ({
  event_id: `c${n}`,
  ts: T + n,
  user: `u${n % 4}`,
  item: 'a',
  request: `e${n}`,
});
const many = <V>(make: (n: number) => V) => Array.from({ length: 40 }, (_, n) => make(n));
const lists = topic('lists', many(list), (n) => ({ key: `u${n % 4}`, partition: n % 4, ts: T }));
const clicks = topic('clicks', many(click), (n) => ({ key: `u${n % 4}`, partition: n % 4, ts: T }));

describe('the problems that doctor finds in topics', () => {
  it('are none where the topics fit together', () => {
    expect(looked(lists, clicks)).toEqual([]);
    const reports = [lists, clicks].map((each) => reportOf(each, undefined));
    expect(reports.map(({ keyedBy }) => keyedBy)).toEqual(['/user', '/user']);
    expect(findingsText(reports, suggestionsOf(reports), [])).not.toContain('What to look at');
  });

  it('include users spread over partitions and too short a retention', () => {
    const split = topic('lists', many(list), (n) => ({ partition: n % 3 }), DAY);
    const [users, kept] = looked(split, clicks);
    expect(users).toMatch(/^lists: 100 % of the users are in several partitions/);
    expect(kept).toMatch(
      /^lists: Kafka retains records for 1d, but popularity is counted over 10d/,
    );
  });

  it('include lists without a model, missing fields, and clicks without a list id', () => {
    const bare = many((n) => ({ id: `e${n}`, ts: T + n, items: ['a', 'b'] }));
    const other = many((n) => ({ ...click(n), request: `x${n}` }));
    expect(looked(topic('lists', bare), topic('clicks', other))).toEqual([
      'lists: no field looks like exposure’s user: add its field to the mapping',
      expect.stringMatching(/^lists: lists have no model/),
      'clicks: interactions do not give the id of the list that led to them, so the newest list of each model is used',
    ]);
    const orders = topic(
      'orders',
      many((n) => ({ order: `o${n}`, at: T + n, user: `u${n % 4}`, lines: [{ sku: 'a' }] })),
      (n) => ({ key: `u${n % 4}`, ts: T }),
    );
    expect(looked(lists, clicks, orders)).toEqual([
      expect.stringMatching(
        /^orders: .*, although others do\. Interactions without one give no list a reward, and count as organic half an hour/,
      ),
    ]);
  });

  it('include clock offsets, late events, unknown schemas, and topics without events', () => {
    const early = topic('clicks', many(click), () => ({ ts: T - DAY }));
    const late = topic(
      'lists',
      many((n) => list(n % 2 ? 0 : 600_000)),
    );
    const [first, second] = looked(early, late);
    expect(first).toMatch(/^clicks: event times are 1d ahead/);
    expect(second).toMatch(/^lists: events arrive up to 10m after newer events/);
    expect(looked(topic('framed', [framed(7, Buffer.of(2))]))[0]).toBe(
      'framed: the schemas of 1 of 1 records are unknown: pass their registry with --registry',
    );
    const unknown = [reportOf(topic('framed', [framed(7, Buffer.of(2))]), new SchemaTable())];
    expect(problemsOf(unknown, [], { ...LIMITS, hasRegistry: true })[0]).toBe(
      'framed: the schemas of 1 of 1 records are not in the registry',
    );
    const others = looked(topic('logs', [{ level: 'x' }]), topic('bytes', [Buffer.of(1, 2)]));
    expect(others.slice(0, 2)).toEqual([
      'logs: no field looks like a field of an event, so it is left out',
      'bytes: 1 of 1 records are neither JSON nor framed for a schema registry',
    ]);
    expect(others).toContain('no topic seems to hold interactions');
    expect(looked(topic('none', []))[0]).toBe('none: it holds no records');
  });
});

describe('the configuration that doctor suggests', () => {
  it('is valid and reads the topics found, framed Avro or plain JSON', () => {
    const { schema, write } = avroOf({
      type: 'record',
      name: 'List',
      fields: [
        ...['id', 'user', 'ranker'].map((name) => ({ name, type: 'string' })),
        { name: 'at', type: 'long' },
        { name: 'products', type: { type: 'array', items: 'string' } },
      ],
    });
    const schemas = new SchemaTable();
    schemas.add('id 7', schema);
    const shown = many((n) => {
      const { id, user, ts, items } = list(n);
      return framed(7, write({ id, user, ranker: 'm', at: ts, products: items }));
    });
    // One foreign record does not make doctor suggest a format that is detected per record.
    const given = [topic('lists', [...shown, { level: 'info' }]), clicks];
    const reports = given.map((each) => reportOf(each, schemas));
    const options = { isOfFiles: false, brokers: ['kafka:9092'], latenessMs: 60_000 };
    const text = suggestedFile(suggestionsOf(reports), ['a problem'], {
      ...options,
      registryUrl: 'http://registry',
    });
    expect(text).toContain('# a problem\n');
    const { config } = readConfig({ file: undefined, env: {}, overrides: parsed(text) });
    expect(config.intake.sources).toMatchObject([
      {
        topics: ['lists'],
        events: 'exposures',
        format: 'avro',
        mapping: {
          exposure: { id: '/id', ts: '/at', user: '/user', model: '/ranker', items: '/products' },
        },
      },
      {
        topics: ['clicks'],
        events: 'interactions',
        format: 'json',
        mapping: { interaction: { user: '/user', item: '/item', exposure: '/request' } },
      },
    ]);
  });

  it('allows enough lateness for late events, and rounds durations', () => {
    const late = topic(
      'lists',
      many((n) => list(n % 2 ? 0 : 600_000)),
    );
    const suggestions = suggestionsOf([reportOf(late, undefined)]);
    const options = { brokers: ['k:1'], registryUrl: undefined, latenessMs: 60_000 };
    const text = suggestedFile(suggestions, [], { ...options, isOfFiles: true });
    expect(text).toContain('lateness: 12m');
    expect([5, 1500, 73_159_867, 3 * DAY].map(roughly)).toEqual(['5ms', '1.5s', '20.3h', '3d']);
  });
});

function parsed(text: string): Record<string, unknown> {
  const { intake, kafka, registry } = parse(text) as Record<string, Record<string, unknown>>;
  return {
    'intake.sources': intake!['sources'],
    'kafka.brokers': kafka!['brokers'],
    'registry.url': registry!['url'],
  };
}
