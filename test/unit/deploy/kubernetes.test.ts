import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../../../src/config.js';

const FOLDER = fileURLToPath(new URL('../../../deploy/kubernetes/', import.meta.url));

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
      return [manifest.kind, manifest];
    }),
);
const pod = manifests.get('Deployment')!['spec'].template.spec;
const [container] = pod.containers;
const labels = manifests.get('Deployment')!['spec'].template.metadata.labels;

describe('the Kubernetes manifests', () => {
  it('hold the workers with their settings, service, budget and scaling, and the nightly export', () => {
    expect([...manifests.keys()].sort()).toEqual([
      'ConfigMap',
      'CronJob',
      'Deployment',
      'HorizontalPodAutoscaler',
      'PersistentVolumeClaim',
      'PodDisruptionBudget',
      'Service',
    ]);
  });

  it('all mean the same workers', () => {
    expect(manifests.get('Service')!['spec'].selector).toEqual(labels);
    expect(manifests.get('PodDisruptionBudget')!['spec'].selector.matchLabels).toEqual(labels);
    expect(manifests.get('Deployment')!['spec'].selector.matchLabels).toEqual(labels);
    const { name } = manifests.get('Deployment')!.metadata;
    expect(manifests.get('HorizontalPodAutoscaler')!['spec'].scaleTargetRef.name).toBe(name);
  });

  it('give settings that the program takes, together with the secret', () => {
    const env = {
      ...(manifests.get('ConfigMap')!['data'] as Record<string, string>),
      UNSKEW_STATE_REDIS_URL: 'rediss://unskew:secret@redis:6379',
      UNSKEW_KAFKA_SASL_MECHANISM: 'scram-sha-512',
      UNSKEW_KAFKA_SASL_USERNAME: 'unskew',
      UNSKEW_KAFKA_SASL_PASSWORD: 'secret',
    };
    const config = loadConfig({ env, overrides: {} });
    expect(config.workers.exchange).toBe('redis');
    expect(config.http.host).toBe('0.0.0.0');
    expect(container.ports[0].containerPort).toBe(config.http.port);
  });

  it('run as nobody in particular, on a file system that is read-only', () => {
    expect(pod.securityContext.runAsNonRoot).toBe(true);
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('grant more time to end than the service takes, and a bound to the memory', () => {
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(20);
    expect(container.resources.limits.memory).toBe('2Gi');
    expect(container.livenessProbe.httpGet.path).toBe('/healthz');
    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
  });
});
