import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/config.js';
import { goProgram, ROOT, validateBuiltIn, validatePodMonitor } from './manifest-checks.js';

/**
 * Renders the Helm chart by Helm, holds what comes out against the manifests beside it, and both
 * against Kubernetes' and the Prometheus operator's schemas.
 */
const CHART = join(ROOT, 'deploy/helm/unskew');
const PLAIN = join(ROOT, 'deploy/kubernetes');
const DIGEST = `sha256:${'0'.repeat(64)}`;
const helm = goProgram('helm.sh/helm/v3/cmd/helm@v3.22.0');

// biome-ignore lint/suspicious/noExplicitAny: each kind has a shape of its own.
type Manifests = ReadonlyMap<string, any>;

/** By kind, and by role where there is one for readers and one for tickers. */
function byKind(text: string): Manifests {
  const documents = [...parseAllDocuments(text)].map((document) => document.toJS());
  const nameOf = ({ kind, metadata }: { kind: string; metadata: { labels?: object } }) =>
    [kind, Object.entries(metadata.labels ?? {}).find(([key]) => /component/.test(key))?.[1]]
      .filter(Boolean)
      .join('/');
  return new Map(documents.filter(Boolean).map((manifest) => [nameOf(manifest), manifest]));
}

const template = (values: readonly string[]) => [
  'template',
  'unskew',
  CHART,
  ...values.flatMap((value) => ['--set', value]),
];

function rendered(...values: string[]): Manifests {
  return byKind(execFileSync(helm, template(values), { encoding: 'utf8' }));
}

/** What Helm says to a value that cannot be meant. */
function refusal(...values: string[]): string {
  const { status, stderr } = spawnSync(helm, template(values), { encoding: 'utf8' });
  assert.notEqual(status, 0, `${values} was taken`);
  return stderr;
}

const plain = (file: string) => byKind(readFileSync(join(PLAIN, file), 'utf8'));

async function validate(manifests: Iterable<{ readonly kind: string }>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'unskew-chart-'));
  try {
    for (const [n, manifest] of [...manifests].entries()) {
      if (manifest.kind === 'PodMonitor') await validatePodMonitor(manifest);
      else writeFileSync(join(folder, `${n}.yaml`), JSON.stringify(manifest));
    }
    validateBuiltIn(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

execFileSync(helm, ['lint', '--strict', CHART], { stdio: 'inherit' });
const byDefault = rendered();
const scaled = rendered('autoscaling.enabled=true', `image.digest=${DIGEST}`);
const open = rendered(
  'http.auth=none',
  'http.hosts={unskew.example.com}',
  'networkPolicy.enabled=false',
);
const narrow = rendered(
  'networkPolicy.egress[0].ports={9092}',
  'networkPolicy.egress[0].to[0].ipBlock.cidr=10.0.0.0/8',
);

for (const manifests of [byDefault, scaled, open, narrow]) await validate(manifests.values());
for (const file of readdirSync(PLAIN)) await validate(plain(file).values());
// A check that passes whatever it is given would say nothing.
const monitor = byDefault.get('PodMonitor');
const noPort = { ...monitor, spec: { ...monitor.spec, podMetricsEndpoints: [{ port: 7 }] } };
await assert.rejects(validate([noPort]));
const policy = byDefault.get('NetworkPolicy');
await assert.rejects(validate([{ ...policy, spec: { ...policy.spec, ingress: 'prometheus' } }]));

const ROLES = ['read', 'tick'] as const;
const PLAIN_FILES = { read: 'readers.yaml', tick: 'tickers.yaml' };

/** The pod's one container, as far as the manifests have it. */
const containerOf = (manifests: Manifests, role: (typeof ROLES)[number]) =>
  manifests.get(`Deployment/${role}`).spec.template.spec.containers[0];
for (const role of ROLES) {
  const pod = byDefault.get(`Deployment/${role}`).spec.template.spec;
  const own = plain(PLAIN_FILES[role]).get(`Deployment/${role}`).spec.template.spec;
  const { resources, ...container } = containerOf(byDefault, role);
  const { resources: ownResources, ...ownContainer } = own.containers[0];
  assert.deepEqual(container, ownContainer);
  assert.deepEqual(resources.limits, ownResources.limits);
  assert.deepEqual(pod.securityContext, own.securityContext);
  assert.equal(pod.terminationGracePeriodSeconds, own.terminationGracePeriodSeconds);
  assert.equal(byDefault.get(`Deployment/${role}`).spec.replicas, 2);
  assert.equal(containerOf(scaled, role).image, `unskew@${DIGEST}`);
}

const SCALING = 'HorizontalPodAutoscaler/read';
assert.equal(byDefault.has(SCALING), false);
assert.equal('replicas' in scaled.get('Deployment/read').spec, false);
assert.equal(scaled.get('Deployment/tick').spec.replicas, 2);
assert.deepEqual(scaled.get(SCALING).spec, plain('scaling.yaml').get(SCALING).spec);

assert.deepEqual(
  byDefault.get('PodMonitor').spec.podMetricsEndpoints,
  plain('pod-monitor.yaml').get('PodMonitor').spec.podMetricsEndpoints,
);
const ownPolicy = plain('network-policy.yaml').get('NetworkPolicy').spec;
assert.deepEqual(policy.spec.ingress, ownPolicy.ingress);
assert.deepEqual(policy.spec.egress, ownPolicy.egress);
assert.deepEqual(narrow.get('NetworkPolicy').spec.egress[1].to, [
  { ipBlock: { cidr: '10.0.0.0/8' } },
]);
assert.equal(open.has('NetworkPolicy'), false);
assert.equal('authorization' in open.get('PodMonitor').spec.podMetricsEndpoints[0], false);

for (const [value, told] of [
  ['image.digest=latest', "'/image/digest': 'latest' does not match"],
  ['replicas.read=two', "'/replicas/read': got string, want integer"],
  ['replicas=2', "'/replicas': got number, want object"],
  ['replica=3', "additional properties 'replica' not allowed"],
  ['http.auth=open', "'/http/auth': value must be one of 'token', 'none'"],
  ['memory=lots', "'/memory': 'lots' does not match"],
  ['networkPolicy.from=null', "'/networkPolicy': missing property 'from'"],
  ['settings.kafka=x', "'/settings': additional properties 'kafka' not allowed"],
  ['settings.UNSKEW_KAFKA_BROKERS=k:9094', 'lets nothing out to port 9094; add it to'],
  ['settings.UNSKEW_HTTP_TOKEN=secret', 'put it into the Secret that secretName names'],
  ['settings.UNSKEW_HTTP_PORT=80', 'follows from the values of http; leave it out'],
  ['autoscaling.enabled=true,autoscaling.minReplicas=9', '9 is more than autoscaling.maxRep'],
] as const) {
  assert.ok(refusal(value).includes(told), `${value}: ${refusal(value)}`);
}

const redis = { UNSKEW_STATE_REDIS_URL: 'redis://redis:6379' };
const token = { UNSKEW_HTTP_TOKEN: 'correct-horse-battery-staple' };
const guarded = loadConfig({ env: { ...byDefault.get('ConfigMap').data, ...redis, ...token } });
assert.equal(guarded.http.auth, 'token');
assert.ok(guarded.http.hosts.includes('unskew.default.svc'));
const all = loadConfig({ env: { ...open.get('ConfigMap').data, ...redis } });
assert.equal(all.http.auth, 'none');
assert.ok(all.http.hosts.includes('unskew.example.com'));
for (const manifests of [byDefault, scaled, open]) {
  for (const role of ROLES) {
    const { selector, template: made } = manifests.get(`Deployment/${role}`).spec;
    assert.deepEqual(selector.matchLabels, made.metadata.labels);
    const budget = manifests.get(`PodDisruptionBudget/${role}`).spec;
    assert.deepEqual(budget.selector.matchLabels, made.metadata.labels);
  }
  const { metadata } = manifests.get('Deployment/tick').spec.template;
  assert.deepEqual(manifests.get('Service').spec.selector, metadata.labels);
}
process.stdout.write('the chart gives what the manifests hold, and their schemas take both\n');
