import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Registry } from 'prom-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { requireCommand } from '../../deploy/services.mjs';
import { ExportSeries } from '../../src/outputs/prometheus/export-series.js';

const at = (path: string) =>
  fileURLToPath(new URL(`../../deploy/prometheus/${path}`, import.meta.url));
const promtool = (...args: string[]) => spawnSync('promtool', args, { encoding: 'utf8' });

beforeAll(() => requireCommand('promtool', 'prometheus', () => {}));

describe('the alerts of the nightly sets', () => {
  it('pass promtool’s tests for missing and failed sets', () => {
    const { status, stdout, stderr } = promtool('test', 'rules', at('tests/export.yml'));
    expect(`${stdout}${stderr}`).toContain('SUCCESS');
    expect(status).toBe(0);
  });

  it('use metrics that the service exports in valid form', async () => {
    const registry = new Registry();
    const status = { running: null, next: 0, overdue: 5000, lastMade: null, lastError: null };
    const series = new ExportSeries(
      registry,
      () => status,
      () => 8000,
    );
    series.ended('failed', 4, 0);
    const text = await registry.metrics();
    expect(text).toContain('unskew_export_overdue_seconds 3\n');
    expect(text).toContain('unskew_export_runs_total{outcome="failed"} 1');
    const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    expect(`${checked.stdout}${checked.stderr}`).toBe('');
  });
});
