import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

const FILE = new URL('../../../deploy/kubernetes/export-cronjob.yaml', import.meta.url);
const [job] = parseAllDocuments(readFileSync(FILE, 'utf8')).map((document) => document.toJS());
const [container] = job.spec.jobTemplate.spec.template.spec.containers;
const folder = mkdtempSync(join(tmpdir(), 'unskew-cronjob-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the job's script with a `node` that says what it was called with. */
function run(): { status: number | null; stdout: string } {
  const node = join(folder, 'node');
  writeFileSync(node, '#!/bin/sh\necho "$@"\n');
  chmodSync(node, 0o755);
  const env = { PATH: `${folder}:${process.env['PATH']}`, SETS: folder };
  const [shell, ...flags] = container.command as string[];
  return spawnSync(shell, [...flags, ...container.args], { env, encoding: 'utf8' });
}

describe('the CronJob', () => {
  it('exports the day before today, in a folder of that name', () => {
    const { status, stdout } = run();
    expect(status).toBe(0);
    const words = stdout.trim().split(' ');
    const flagged = (flag: string) => words[words.indexOf(flag) + 1];
    const from = Number(flagged('--from'));
    const to = Number(flagged('--to'));
    expect(words.slice(0, 2)).toEqual(['dist/main.js', 'export']);
    expect(to - from).toBe(86_400_000);
    expect(new Date(from).toISOString()).toMatch(/T00:00:00\.000Z$/);
    expect(flagged('--out')).toBe(join(folder, new Date(from).toISOString().slice(0, 10)));
  });

  it('skips a set that already exists', () => {
    const set = run().stdout.trim().split(' ').at(-1)!;
    mkdirSync(set);
    writeFileSync(join(set, 'manifest.json'), '{}');
    expect(run()).toMatchObject({ status: 0, stdout: '' });
  });

  it('runs one job at a time, as non-root, with bounded memory', () => {
    expect(job.spec.concurrencyPolicy).toBe('Forbid');
    expect(job.spec.jobTemplate.spec.template.spec.securityContext.runAsNonRoot).toBe(true);
    expect(container.resources.limits.memory).toBe('1Gi');
  });
});
