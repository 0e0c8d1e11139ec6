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

describe('promtool and amtool find nothing wrong', () => {
  it('with the rules', () => {
    const { status, text } = output('promtool', ['check', 'rules', ...ruleFiles()]);
    expect(status, text).toBe(0);
  });

  it('with what the rules do', () => {
    const { status, text } = output('promtool', ['test', 'rules', ...testFiles]);
    expect(status, text).toBe(0);
  });

  it('with the configurations of Prometheus and Alertmanager', () => {
    const prometheus = [`${ROOT}deploy/prometheus/prometheus.yml`];
    expect(output('promtool', ['check', 'config', ...prometheus]).status).toBe(0);
    const alertmanager = [`${ROOT}deploy/alertmanager/alertmanager.yml`];
    expect(output('amtool', ['check-config', ...alertmanager]).status).toBe(0);
  });
});

describe('each alert', () => {
  it('has a section of its own in the runbook, and no section is left over', () => {
    const runbook = readFileSync(`${ROOT}docs/runbook.md`, 'utf8');
    // Beside them stands what is done by hand, such as moving state.
    const sections = [...runbook.matchAll(/^## (Unskew.+)$/gm)].map(([, title]) => title);
    expect(alerts.map(({ alert }) => alert).sort()).toEqual([...sections].sort());
    for (const { alert, annotations } of alerts) {
      expect(annotations?.['runbook_url']).toBe(`docs/runbook.md#${alert?.toLowerCase()}`);
    }
  });

  it('says what it is and what to do with it, and is seen to fire in the rules’ tests', () => {
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
      'a monitor that is down to who is on call',
      ['severity=critical', 'concerns=service'],
      'on-call',
    ],
    [
      'what the numbers say to who owns the models',
      ['severity=warning', 'concerns=numbers'],
      'recommender-team',
    ],
    [
      'what ails the service to who runs it',
      ['severity=warning', 'concerns=service'],
      'platform-team',
    ],
    ['what is not ours to nobody', ['alertname=Other'], 'nobody'],
  ])('%s', (_, labels, receiver) => {
    expect(receivers(labels)).toBe(receiver);
  });
});
