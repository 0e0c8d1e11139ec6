import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import {
  BYTES_EACH,
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

/** `docs/memory.md`: everything that a service holds, with its bound. */
export function memoryPage(): string {
  const byDefault = loadConfig({ env: {}, overrides: {} });
  const one = { brokers: 1, partitions: PARTITIONS };
  const three = { brokers: 3, partitions: PARTITIONS };
  return [HEAD, table(linesOf(byDefault, one), linesOf(deployedConfig(), three)), FOOT].join('\n');
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
    '| what | by default | as deployed | bounded by | what happens there |',
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

const HEAD = `# Memory

Written by \`npm run docs\` from \`src/commands/service/budget.ts\`; tests hold its figures against what is measured.

Everything that a service holds has a bound, and this is the sum if all of them are met at once, with as many models as \`models.max\` allows. Traffic that is well below its limits takes far less.

A row takes ${BYTES_EACH.row} bytes and ${BYTES_EACH.rowModel} for each model, and ${BYTES_EACH.rowCopy} while a tick has a copy of it; an item of a list ${BYTES_EACH.listEntry}, a user ${BYTES_EACH.user}, an item ${BYTES_EACH.item}, with ids of 12 bytes. A topic is taken to have ${PARTITIONS} partitions of equal size.

At its start the service logs this sum, the container's limit and the heap. If the sum is more than the limit it warns, and names what to lower.

By default is with one broker, as deployed with three and the settings of \`deploy/helm\` and \`deploy/kubernetes\`: of [readers and tickers](workers.md), readers have lists and no rows, tickers rows and no lists.
`;

const FOOT = `## What has no bound of its own

- **Ids of events** for \`dedupe.ttl\`: ${EVENT_ID.least} to ${EVENT_ID.most} bytes each, kept two to three times as long. ${IDS_RATE} events a second and an hour take ${idMegabytes(EVENT_ID.least, EVENT_ID.ttls[0])} to ${idMegabytes(EVENT_ID.most, EVENT_ID.ttls[1])} MB.
- **Ids longer than 12 bytes** take the difference more, up to the 512 that are accepted. Tables of ids hold up to twice what is in use.
- **Names of models that come once**, of which ${MOST_MODEL_NAMES.toLocaleString('en')} are known at a time, take half a kilobyte if users are sampled, and 10 to 20 bytes for each item of their lists, once for each partition and open pane that names them: more than above if lists have more than 20 items.
- **Records far shorter than 100 bytes**, which no event is: the client makes about 500 bytes of each.

## The heap

Node takes at most half of the container's limit for its heap, and about 2 GiB (without a limit 2 to 4 GiB). Columns, buffers and answers lie outside of it. So nothing is to be set; \`--max-old-space-size\` in \`NODE_OPTIONS\` overrides it.
`;
