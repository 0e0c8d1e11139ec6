import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig, readConfig } from '../../../src/config.js';
import { knownHost } from '../../../src/outputs/http/guard.js';

const DEPLOY = new URL('../../../deploy/', import.meta.url);
const FOLDER = fileURLToPath(new URL('kubernetes/', DEPLOY));

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has a shape of its own.
  [field: string]: any;
}

const manifests = new Map(
  readdirSync(FOLDER)
    .flatMap((name) => [...parseAllDocuments(readFileSync(FOLDER + name, 'utf8'))])
    .map((document) => {
      expect(document.errors).toEqual([]);
      const manifest = document.toJS() as Manifest;
      return [`${manifest.kind}/${manifest.metadata.name}`, manifest];
    }),
);
const named = (name: string) => manifests.get(name)!;
const deployments = ['read', 'tick'].map((role) => named(`Deployment/unskew-${role}`));
const [pod, ticker] = deployments.map(({ spec }) => spec.template.spec);
const [container] = pod.containers;
const TOKEN = 'correct-horse-battery-staple';
const settings = named('ConfigMap/unskew')['data'] as Record<string, string>;

describe('the Kubernetes manifests', () => {
  it('contain readers, tickers, their settings and the nightly export', () => {
    expect([...manifests.keys()].sort()).toEqual([
      'ConfigMap/unskew',
      'CronJob/unskew-export',
      'Deployment/unskew-read',
      'Deployment/unskew-tick',
      'HorizontalPodAutoscaler/unskew-read',
      'NetworkPolicy/unskew',
      'PersistentVolumeClaim/unskew-sets',
      'PodDisruptionBudget/unskew-read',
      'PodDisruptionBudget/unskew-tick',
      'PodMonitor/unskew',
      'Service/unskew',
    ]);
  });

  it('give readers and tickers pods that differ only in their role', () => {
    const [reading, ticking] = [pod, ticker].map((of) => JSON.stringify(of));
    expect(container.args).toEqual(['serve', '--role', 'read']);
    expect(ticking).toBe(
      reading!
        .replace('"--role","read"', '"--role","tick"')
        .replace('/component":"read"', '/component":"tick"'),
    );
  });

  it('select their pods by labels', () => {
    const name = { 'app.kubernetes.io/name': 'unskew' };
    for (const role of ['read', 'tick']) {
      const labels = { ...name, 'app.kubernetes.io/component': role };
      const { selector, template } = named(`Deployment/unskew-${role}`)['spec'];
      expect(selector.matchLabels).toEqual(labels);
      expect(template.metadata.labels).toEqual(labels);
      const budget = named(`PodDisruptionBudget/unskew-${role}`)['spec'];
      expect(budget.selector.matchLabels).toEqual(labels);
    }
    expect(named('Service/unskew')['spec'].selector).toEqual({
      ...name,
      'app.kubernetes.io/component': 'tick',
    });
    expect(named('PodMonitor/unskew')['spec'].selector.matchLabels).toEqual(name);
    expect(named('NetworkPolicy/unskew')['spec'].podSelector.matchLabels).toEqual(name);
    const { scaleTargetRef } = named('HorizontalPodAutoscaler/unskew-read')['spec'];
    expect(scaleTargetRef.name).toBe('unskew-read');
  });

  it('contain settings that the program accepts together with the secret', () => {
    const env = {
      ...settings,
      UNSKEW_HTTP_TOKEN: TOKEN,
      UNSKEW_STATE_REDIS_URL: 'rediss://unskew:secret@redis:6379',
      UNSKEW_KAFKA_SASL_MECHANISM: 'scram-sha-512',
      UNSKEW_KAFKA_SASL_USERNAME: 'unskew',
      UNSKEW_KAFKA_SASL_PASSWORD: 'secret',
    };
    const config = loadConfig({ env, overrides: {} });
    expect(config.panes.topic).toBe('unskew.panes');
    expect(config.http).toMatchObject({ host: '0.0.0.0', auth: 'token' });
    expect(container.ports[0].containerPort).toBe(config.http.port);
  });

  it('require the token, and give it to Prometheus', () => {
    const more = { UNSKEW_STATE_REDIS_URL: 'redis://redis:6379' };
    expect(() => loadConfig({ env: { ...settings, ...more } })).toThrow(
      'http.token: required, because http.auth is token',
    );
    const [endpoint] = named('PodMonitor/unskew')['spec'].podMetricsEndpoints;
    expect(endpoint).toMatchObject({ port: container.ports[0].name, path: '/metrics' });
    const secrets = container.envFrom.flatMap(
      (from: { secretRef?: object }) => from.secretRef ?? [],
    );
    expect(endpoint.authorization.credentials).toEqual({
      ...secrets[0],
      key: 'UNSKEW_HTTP_TOKEN',
    });
  });

  it('leave the number of readers to the autoscaler, and run two tickers', () => {
    const [reading, ticking] = deployments.map(({ spec }) => spec);
    expect(reading).not.toHaveProperty('replicas');
    expect(named('HorizontalPodAutoscaler/unskew-read')['spec'].minReplicas).toBe(2);
    expect(ticking.replicas).toBe(2);
  });

  it('run as non-root on a read-only file system', () => {
    expect(pod.securityContext.runAsNonRoot).toBe(true);
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('grant enough time to stop, limit memory and probe health', () => {
    const secrets = { UNSKEW_STATE_REDIS_URL: 'redis://redis:6379', UNSKEW_HTTP_TOKEN: TOKEN };
    const { stopTimeoutMs } = loadConfig({ env: { ...settings, ...secrets } });
    // Node itself needs some too, on a machine that is busy.
    const seconds = stopTimeoutMs / 1000 + 10;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(seconds);
    const chart = readFileSync(new URL('helm/unskew/templates/deployment.yaml', DEPLOY), 'utf8');
    expect(chart).toContain(`terminationGracePeriodSeconds: ${pod.terminationGracePeriodSeconds}`);
    expect(container.resources.limits.memory).toBe('4Gi');
    expect(container.livenessProbe.httpGet.path).toBe('/healthz');
    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
  });
});

it('a worker that exits is restarted in every deployment', () => {
  // Of a Deployment there is no other policy.
  expect(deployments.map(({ apiVersion }) => apiVersion)).toEqual(['apps/v1', 'apps/v1']);
  expect(pod.restartPolicy ?? 'Always').toBe('Always');
  const compose = parse(readFileSync(new URL('compose.yaml', DEPLOY), 'utf8'));
  expect(compose.services.monitor.restart).toBe('unless-stopped');
});

describe('the deployment on one machine', () => {
  const read = (name: string) => parse(readFileSync(new URL(name, DEPLOY), 'utf8'));
  const compose = read('compose.yaml');

  it('needs no token, and accepts the host name that Prometheus uses', () => {
    const { environment, ports } = compose.services.monitor;
    const { http } = loadConfig({ env: environment });
    expect(http).toMatchObject({ host: '0.0.0.0', auth: 'none' });
    expect(ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)]);
    const [{ static_configs: targets }] = read('prometheus/prometheus.yml').scrape_configs;
    const isKnown = knownHost(http.hosts);
    for (const target of targets.flatMap((group: { targets: string[] }) => group.targets)) {
      expect(isKnown(target), target).toBe(true);
    }
  });

  it('uses an image that serves without a token only if that is configured', () => {
    const image = readFileSync(new URL('../Dockerfile', DEPLOY), 'utf8');
    const pairs = [...image.matchAll(/\b(UNSKEW_\w+)=(\S+)/g)].filter(
      ([, , value]) => value !== 'none',
    );
    const env = Object.fromEntries(pairs.map(([, name, value]) => [name, value]));
    expect(env['UNSKEW_HTTP_HOST']).toBe('0.0.0.0');
    expect(() => readConfig({ env, command: 'serve' })).toThrow('set http.token, or set http.auth');
    expect(readConfig({ env, command: 'evaluate' }).config.http.port).toBe(9464);
  });

  it('uses an image with the same numeric user as the manifests', () => {
    const image = readFileSync(new URL('../Dockerfile', DEPLOY), 'utf8');
    const { runAsUser, runAsGroup } = pod.securityContext;
    expect([...image.matchAll(/^USER (.*)$/gm)].at(-1)![1]).toBe(`${runAsUser}:${runAsGroup}`);
    const night = named('CronJob/unskew-export')['spec'].jobTemplate.spec.template.spec;
    expect(night.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser });
  });
});
