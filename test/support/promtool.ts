import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseExposition } from '../unit/prometheus/exposition.js';
import { ruleFiles } from './rules.js';

const JOB = 'unskew';

/** What a Prometheus would hold that asked a process once a minute from its start on. */
export class Scrapes {
  readonly #series = new Map<string, (number | undefined)[]>();
  #count = 0;

  add(instance: string, text: string): void {
    this.#count++;
    for (const { name, labels, value } of parseExposition(text)) {
      if (!name.startsWith('unskew_')) continue;
      const all = { ...labels, job: JOB, instance };
      const listed = Object.entries(all).map(([label, is]) => `${label}=${JSON.stringify(is)}`);
      const key = `${name}{${listed.join(',')}}`;
      const values = this.#series.get(key) ?? [];
      while (values.length < this.#count - 1) values.push(undefined);
      this.#series.set(key, [...values, value]);
    }
  }

  get minutes(): number {
    return this.#count;
  }

  /** As promtool takes them. */
  get input(): { series: string; values: string }[] {
    return [...this.#series].map(([series, values]) => {
      return { series, values: values.map((value) => value ?? '_').join(' ') };
    });
  }
}

/** The alerts that fire at a minute, by the rules as they are deployed. */
export async function firing(scrapes: Scrapes, minute: number, names: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'unskew-rules-'));
  const found: string[] = [];
  try {
    for (const alertname of names) {
      const path = join(folder, `${alertname}.yml`);
      const test = {
        interval: '1m',
        input_series: scrapes.input,
        alert_rule_test: [{ eval_time: `${minute}m`, alertname, exp_alerts: [] }],
      };
      const suite = { rule_files: ruleFiles(), evaluation_interval: '1m', tests: [test] };
      await writeFile(path, JSON.stringify(suite));
      const run = spawnSync('promtool', ['test', 'rules', path], { encoding: 'utf8' });
      if (run.error) throw run.error;
      const output = `${run.stdout}${run.stderr}`;
      if (run.status === 0) continue;
      // What is wrong with it is that the alert is there, and nothing else.
      if (
        !output.includes(`alertname=${alertname}`) &&
        !output.includes(`alertname="${alertname}"`)
      ) {
        throw new Error(output);
      }
      found.push(alertname);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return found;
}
