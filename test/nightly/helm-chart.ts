import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/config.js';

/** Renders the Helm chart by Helm, and holds what comes out against the manifests beside it. */
const HELM = 'helm.sh/helm/v3/cmd/helm@v3.22.0';
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = join(ROOT, '.cache', 'helm-v3.22.0');
const CHART = join(ROOT, 'deploy/helm/unskew');
const program = join(FOLDER, 'helm');
const DIGEST = `sha256:${'0'.repeat(64)}`;

// biome-ignore lint/suspicious/noExplicitAny: each kind has a shape of its own.
type Manifests = ReadonlyMap<string, any>;

function byKind(text: string): Manifests {
  const documents = [...parseAllDocuments(text)].map((document) => document.toJS());
  return new Map(documents.filter(Boolean).map((manifest) => [manifest.kind, manifest]));
}

function rendered(...values: string[]): Manifests {
  const flags = values.flatMap((value) => ['--set', value]);
  return byKind(
    execFileSync(program, ['template', 'unskew', CHART, ...flags], { encoding: 'utf8' }),
  );
}

function plain(file: string): Manifests {
  return byKind(readFileSync(join(ROOT, 'deploy/kubernetes', file), 'utf8'));
}

if (!existsSync(program)) {
  execFileSync('go', ['install', HELM], {
    env: { ...process.env, GOBIN: FOLDER },
    stdio: 'inherit',
  });
}
execFileSync(program, ['lint', '--strict', CHART], { stdio: 'inherit' });

const byDefault = rendered();
const scaled = rendered('autoscaling.enabled=true', `image.digest=${DIGEST}`);
const open = rendered(
  'http.auth=none',
  'http.hosts={unskew.example.com}',
  'networkPolicy.enabled=false',
);

/** The pod's one container, as far as the manifests have it. */
const containerOf = (manifests: Manifests) =>
  manifests.get('Deployment').spec.template.spec.containers[0];
const pod = byDefault.get('Deployment').spec.template.spec;
const own = plain('deployment.yaml').get('Deployment').spec.template.spec;
const { resources, ...container } = containerOf(byDefault);
const { resources: ownResources, ...ownContainer } = own.containers[0];
assert.deepEqual(container, ownContainer);
assert.deepEqual(resources.limits, ownResources.limits);
assert.deepEqual(pod.securityContext, own.securityContext);
assert.equal(pod.terminationGracePeriodSeconds, own.terminationGracePeriodSeconds);

assert.equal(byDefault.get('Deployment').spec.replicas, 2);
assert.equal(byDefault.has('HorizontalPodAutoscaler'), false);
assert.equal('replicas' in scaled.get('Deployment').spec, false);
assert.deepEqual(
  scaled.get('HorizontalPodAutoscaler').spec,
  plain('scaling.yaml').get('HorizontalPodAutoscaler').spec,
);
assert.equal(containerOf(scaled).image, `unskew@${DIGEST}`);

assert.deepEqual(
  byDefault.get('PodMonitor').spec.podMetricsEndpoints,
  plain('pod-monitor.yaml').get('PodMonitor').spec.podMetricsEndpoints,
);
assert.deepEqual(
  byDefault.get('NetworkPolicy').spec.ingress,
  plain('network-policy.yaml').get('NetworkPolicy').spec.ingress,
);
assert.equal(open.has('NetworkPolicy'), false);
assert.equal('authorization' in open.get('PodMonitor').spec.podMetricsEndpoints[0], false);

const redis = { UNSKEW_STATE_REDIS_URL: 'redis://redis:6379' };
const token = { UNSKEW_HTTP_TOKEN: 'correct-horse-battery-staple' };
const guarded = loadConfig({ env: { ...byDefault.get('ConfigMap').data, ...redis, ...token } });
assert.equal(guarded.http.auth, 'token');
assert.ok(guarded.http.hosts.includes('unskew.default.svc'));
const all = loadConfig({ env: { ...open.get('ConfigMap').data, ...redis } });
assert.equal(all.http.auth, 'none');
assert.ok(all.http.hosts.includes('unskew.example.com'));
for (const manifests of [byDefault, scaled, open]) {
  const { selector, template } = manifests.get('Deployment').spec;
  assert.deepEqual(selector.matchLabels, template.metadata.labels);
  for (const kind of ['Service', 'PodDisruptionBudget']) {
    const { selector: chosen } = manifests.get(kind).spec;
    assert.deepEqual(chosen.matchLabels ?? chosen, template.metadata.labels);
  }
}
process.stdout.write('the chart gives what the manifests hold\n');
