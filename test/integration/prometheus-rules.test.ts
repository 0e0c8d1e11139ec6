import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { requireCommand } from '../../deploy/services.mjs';
import { ruleFiles, rules } from '../support/rules.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TESTS = `${ROOT}deploy/prometheus/tests`;

const alerts = rules().filter(({ alert }) => alert !== undefined);
const testFiles = readdirSync(TESTS).map((name) => `${TESTS}/${name}`);

function output(command: string, args: readonly string[]): { status: number | null; text: string } {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  expect(error).toBeUndefined();
  return { status, text: `${stdout}${stderr}` };
}

beforeAll(async () => {
  await requireCommand('promtool', 'prometheus', () => {});
  await requireCommand('amtool', 'prometheus-alertmanager', () => {});
});

describe('promtool and amtool accept', () => {
  it('the rules', () => {
    const { status, text } = output('promtool', ['check', 'rules', ...ruleFiles()]);
    expect(status, text).toBe(0);
  });

  it('the tests of the rules', () => {
    const { status, text } = output('promtool', ['test', 'rules', ...testFiles]);
    expect(status, text).toBe(0);
  });

  it('the configurations of Prometheus and Alertmanager', () => {
    const prometheus = [`${ROOT}deploy/prometheus/prometheus.yml`];
    expect(output('promtool', ['check', 'config', ...prometheus]).status).toBe(0);
    const alertmanager = [`${ROOT}deploy/alertmanager/alertmanager.yml`];
    expect(output('amtool', ['check-config', ...alertmanager]).status).toBe(0);
  });
});

describe('each alert', () => {
  it('has its own section in the runbook, and every section has an alert', () => {
    const runbook = readFileSync(`${ROOT}docs/runbook.md`, 'utf8');
    // Beside them stands what is done by hand, such as moving state.
    const sections = [...runbook.matchAll(/^## (Unskew.+)$/gm)].map(([, title]) => title);
    expect(alerts.map(({ alert }) => alert).sort()).toEqual([...sections].sort());
    for (const { alert, annotations } of alerts) {
      expect(annotations?.['runbook_url']).toBe(`docs/runbook.md#${alert?.toLowerCase()}`);
    }
  });

  it('has a summary, a description and labels, and appears in the rules’ tests', () => {
    const tests = testFiles.map((path) => readFileSync(path, 'utf8')).join('\n');
    for (const { alert, annotations, labels } of alerts) {
      expect(annotations?.['summary'], alert).toBeTruthy();
      expect(annotations?.['description'], alert).toBeTruthy();
      expect(['critical', 'warning'], alert).toContain(labels?.['severity']);
      expect(['service', 'numbers'], alert).toContain(labels?.['concerns']);
      expect(tests, alert).toContain(alert);
    }
  });
});

describe('Alertmanager sends', () => {
  const receivers = (labels: readonly string[]) =>
    output('amtool', [
      'config',
      'routes',
      'test',
      `--config.file=${ROOT}deploy/alertmanager/alertmanager.yml`,
      ...labels,
    ]).text.split('\n', 1)[0];

  it.each([
    [
      'an alert that the monitor is down to the on-call receiver',
      ['severity=critical', 'concerns=service'],
      'on-call',
    ],
    [
      'alerts about the numbers to the recommender team',
      ['severity=warning', 'concerns=numbers'],
      'recommender-team',
    ],
    [
      'warnings about the service to the platform team',
      ['severity=warning', 'concerns=service'],
      'platform-team',
    ],
    ['other alerts to nobody', ['alertname=Other'], 'nobody'],
  ])('%s', (_, labels, receiver) => {
    expect(receivers(labels)).toBe(receiver);
  });
});
