import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { KEY_INDEX, loadConfig } from '../../../src/config.js';

const ROOT = new URL('../../../', import.meta.url);
const CHART = 'deploy/helm/unskew';
const text = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
const values = parse(text(`${CHART}/values.yaml`));
const isValid = new Ajv2020({ allowUnionTypes: true }).compile(
  JSON.parse(text(`${CHART}/values.schema.json`)),
);

describe('the values of the chart', () => {
  it('match their schema', () => {
    expect(isValid(values), JSON.stringify(isValid.errors)).toBe(true);
  });

  it.each([
    ['a tag where a digest belongs', { image: { repository: 'unskew', digest: 'latest' } }],
    ['an unknown name', { replica: 3 }],
    ['one replica count for readers and tickers', { replicas: 2 }],
    ['a number in words', { replicas: { read: 'two', tick: 2 } }],
    ['memory without a unit', { memory: '2' }],
    ['a setting that is not a variable', { settings: { ...values.settings, kafka: 'x' } }],
    ['an empty list of allowed clients', { networkPolicy: { ...values.networkPolicy, from: [] } }],
  ])('are rejected with %s', (_what, given) => {
    expect(isValid({ ...values, ...given })).toBe(false);
  });

  it('keep every secret out of the settings', () => {
    const [, list = ''] = /\$secret := list(.*)\}\}/.exec(
      text(`${CHART}/templates/configmap.yaml`),
    )!;
    const kept = [...list.matchAll(/"(\w+)"/g)].map(([, variable]) => variable);
    const { byPath, leaves } = KEY_INDEX;
    const secret = [...new Map([...leaves, ...byPath]).values()].filter(
      ({ secret, fields = {} }) => secret || Object.values(fields).some((field) => field.secret),
    );
    expect(kept.sort()).toEqual(secret.map(({ variable }) => variable).sort());
  });
});

describe('the network policy', () => {
  const { spec } = parse(text('deploy/kubernetes/network-policy.yaml'));
  const data = parse(text('deploy/kubernetes/configmap.yaml')).data;

  it('allows ingress from Prometheus only', () => {
    expect(spec.policyTypes).toEqual(['Ingress', 'Egress']);
    // An empty list of peers, or an empty selector, would mean everyone.
    expect(spec.ingress).toEqual([
      {
        from: [
          {
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } },
            podSelector: { matchLabels: { 'app.kubernetes.io/name': 'prometheus' } },
          },
        ],
        ports: [{ protocol: 'TCP', port: 'http' }],
      },
    ]);
    expect(values.networkPolicy.from).toEqual(spec.ingress[0].from);
  });

  it('allows egress to DNS, brokers, Redis, Sentinels and buckets on the configured ports', () => {
    const ports = spec.egress.flatMap((rule: { ports: { port: number }[] }) => rule.ports);
    const open = ports.map(({ port }: { port: number }) => port);
    expect(new Set(open)).toEqual(new Set([53, 9092, 9093, 6379, 26379, 443]));
    const env = { ...data, UNSKEW_HTTP_AUTH: 'none', UNSKEW_STATE_REDIS_URL: 'redis://redis:6379' };
    const { kafka, state } = loadConfig({ env });
    for (const broker of kafka.brokers) expect(open).toContain(Number(broker.split(':').at(-1)));
    expect(open).toContain(Number(new URL(state.redisUrl!).port));
  });
});

it('no deployment sets the heap size, which Node derives from the memory limit', () => {
  const paths = ['Dockerfile', 'deploy/kubernetes/readers.yaml', 'deploy/compose.yaml'];
  for (const path of [...paths, `${CHART}/templates/deployment.yaml`]) {
    expect(text(path), path).not.toMatch(/max-old-space-size|NODE_OPTIONS/);
  }
  // Without a limit there would be nothing to know.
  const [container] = parse(text('deploy/kubernetes/readers.yaml')).spec.template.spec.containers;
  expect(container.resources.limits).toEqual({ memory: values.memory });
});
