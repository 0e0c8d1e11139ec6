import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import {
  type BudgetLine,
  BYTES_EACH,
  EVENT_ID,
  memoryBudget,
  type Surroundings,
  total,
} from '../src/commands/service/budget.js';
import { type Config, loadConfig } from '../src/config.js';
import { MOST_MODEL_NAMES } from '../src/stream/id-tables.js';

const ROOT = new URL('../', import.meta.url);
const PARTITIONS = 4;

/** `docs/memory.md`: everything that a service holds, with its bound. */
export function memoryPage(): string {
  const byDefault = loadConfig({ env: {}, overrides: {} });
  const deployed = deployedConfig();
  return [
    HEAD,
    '## With the defaults, one broker\n',
    table(byDefault, { brokers: 1, partitions: PARTITIONS }),
    `## As deployed, three brokers\n\n${DEPLOYED}\n`,
    table(deployed, { brokers: 3, partitions: PARTITIONS }),
    FOOT,
  ].join('\n');
}

function deployedConfig(): Config {
  const text = readFileSync(new URL('deploy/helm/unskew/values.yaml', ROOT), 'utf8');
  const { settings } = parse(text) as { settings: Record<string, string> };
  const secret = { UNSKEW_STATE_REDIS_URL: 'redis://redis:6379' };
  return loadConfig({ env: { ...settings, ...secret } });
}

function table(config: Config, around: Surroundings): string {
  const lines = memoryBudget(config, around).filter(({ bytes }) => bytes > 0);
  return [
    '| what | at most | bounded by | what happens there |',
    '| --- | --- | --- | --- |',
    ...lines.map(rowOf),
    `| **together** | **${mib(total(lines))}** | | |`,
    '',
  ].join('\n');
}

function rowOf({ what, bytes, keys, atBound }: BudgetLine): string {
  const names = keys.length === 0 ? 'fixed' : keys.map((key) => `\`${key}\``).join(', ');
  return `| ${what} | ${mib(bytes)} | ${names} | ${atBound} |`;
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

Written by \`npm run docs\` from \`src/commands/service/memory\`; tests hold its figures against what is measured.

Everything that a service holds has a bound, and this is the sum if all of them are met at once, with as many models as \`models.max\` allows. Traffic that is well below its limits takes far less.

A row takes ${BYTES_EACH.row} bytes and ${BYTES_EACH.rowModel} for each model, and ${BYTES_EACH.rowCopy} while a tick has a copy of it; an item of a list ${BYTES_EACH.listEntry}, a user ${BYTES_EACH.user}, an item ${BYTES_EACH.item}, with ids of 12 bytes. A topic is taken to have ${PARTITIONS} partitions of equal size.

At its start the service logs this sum, the container's limit and the heap. If the sum is more than the limit it warns, and names what to lower.
`;

const DEPLOYED =
  'The settings of `deploy/helm` and `deploy/kubernetes`. With `workers.exchange: redis` the worker that evaluates has the rows and users of all partitions beside its own.';

const FOOT = `## What has no bound of its own

- **Ids of events** for \`dedupe.ttl\`: ${EVENT_ID.least} to ${EVENT_ID.most} bytes each, kept two to three times as long. ${IDS_RATE} events a second and an hour take ${idMegabytes(EVENT_ID.least, EVENT_ID.ttls[0])} to ${idMegabytes(EVENT_ID.most, EVENT_ID.ttls[1])} MB.
- **Ids longer than 12 bytes** take the difference more, up to the 512 that are accepted. Tables of ids hold up to twice what is in use.
- **Names of models that come once**, of which ${MOST_MODEL_NAMES.toLocaleString('en')} are known at a time, take half a kilobyte where users are sampled, and 10 to 20 bytes for each item of their lists: more than the kilobyte above where lists have more than 20 items, and once for each partition and open pane that names them.
- **Records far shorter than 100 bytes**, which no event is: the client makes about 500 bytes of each.

## The heap

Node takes half of the container's limit for its heap at most, and about 2 GiB, by itself (from the limit of the control group). Columns, buffers and answers lie outside of it. So nothing is to be set; \`--max-old-space-size\` in \`NODE_OPTIONS\` overrides it. Without a limit it is 2 to 4 GiB by the machine's memory.
`;
