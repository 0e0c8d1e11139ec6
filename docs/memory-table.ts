import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import {
  EVENT_ID,
  memoryBudget,
  type Surroundings,
  total,
} from '../src/commands/service/budget.js';
import { type Config, loadConfig } from '../src/config.js';
import type { BudgetLine } from '../src/features/resources.js';
import { MOST_MODEL_NAMES } from '../src/stream/id-tables.js';

const ROOT = new URL('../', import.meta.url);
const PARTITIONS = 4;

/** Everything that a service holds with its bound, and what has no bound of its own. */
export function memoryTable(): string {
  const byDefault = loadConfig({ env: {}, overrides: {} });
  const one = { brokers: 1, partitions: PARTITIONS };
  const three = { brokers: 3, partitions: PARTITIONS };
  return `${table(linesOf(byDefault, one), linesOf(deployedConfig(), three))}\n${UNBOUNDED}`;
}

function deployedConfig(): Config {
  const text = readFileSync(new URL('deploy/helm/unskew/values.yaml', ROOT), 'utf8');
  const { settings } = parse(text) as { settings: Record<string, string> };
  const secret = { UNSKEW_STATE_REDIS_URL: 'redis://redis:6379' };
  return loadConfig({ env: { ...settings, ...secret } });
}

function linesOf(config: Config, around: Surroundings): readonly BudgetLine[] {
  return memoryBudget(config, around).filter(({ bytes }) => bytes > 0);
}

/** What is kept in either, in the order of what is deployed, which keeps more kinds of things. */
function table(byDefault: readonly BudgetLine[], deployed: readonly BudgetLine[]): string {
  const isDeployed = new Set(deployed.map(({ what }) => what));
  const lines = [...deployed, ...byDefault.filter(({ what }) => !isDeployed.has(what))];
  return [
    '| what | default | deployed | bounded by | at the bound |',
    '| --- | --- | --- | --- | --- |',
    ...lines.map(({ what, keys, atBound }) => {
      const names = keys.length === 0 ? 'fixed' : keys.map((key) => `\`${key}\``).join(', ');
      const cells = [what, amount(byDefault, what), amount(deployed, what), names, atBound];
      return `| ${cells.join(' | ')} |`;
    }),
    `| **together** | **${mib(total(byDefault))}** | **${mib(total(deployed))}** | | |`,
    '',
  ].join('\n');
}

function amount(lines: readonly BudgetLine[], name: string): string {
  const line = lines.find(({ what }) => what === name);
  return line === undefined ? '–' : mib(line.bytes);
}

const IDS_RATE = 100;
const HOUR_SECONDS = 3600;

function idMegabytes(bytes: number, ttls: number): number {
  return Math.round((IDS_RATE * HOUR_SECONDS * bytes * ttls) / 1e6);
}

function mib(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20).toLocaleString('en')} MiB`;
}

const UNBOUNDED = `These have no bound of their own:

- Event ids within \`dedupe.ttl\`: ${EVENT_ID.least} to ${EVENT_ID.most} bytes each, kept two to three times as long. An hour of ${IDS_RATE} events a second takes ${idMegabytes(EVENT_ID.least, EVENT_ID.ttls[0])} to ${idMegabytes(EVENT_ID.most, EVENT_ID.ttls[1])} MB.
- Ids longer than 12 bytes, up to the accepted 512. Tables of ids hold up to twice the ids in use.
- Model names that occur once (up to ${MOST_MODEL_NAMES.toLocaleString('en')} at a time): half a kilobyte each, plus 10 to 20 bytes for each item of their lists while users are sampled.`;
