import {
  BYTES_EACH,
  EVENT_ID,
  memoryBudget,
  THREADS,
  total,
} from '../src/commands/service/budget.js';
import { SERVICE_LIMITS } from '../src/config/keys/state.js';
import { loadConfig } from '../src/config.js';

/** Traffic that the page works through, evenly spread over time and partitions. */
export const EXAMPLE = {
  interactions: 1500,
  lists: 500,
  listLength: 10,
  models: 3,
  users: 1_000_000,
} as const;

const RATES = [230, 1000, 2000];
const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3600;
const ROW = BYTES_EACH.row + EXAMPLE.models * BYTES_EACH.rowModel + BYTES_EACH.rowCopy;

/** The least level at which one in 2^level of so much is within the limit. */
export function levelFor(amount: number, limit: number): number {
  return Math.max(0, Math.ceil(Math.log2(amount / limit)));
}

/** `docs/sizing.md` with what follows from the code, and from the figures on the page itself. */
export function sizingPage(page: string): string {
  return block(block(block(page, 'rates', rates()), 'example', example(page)), 'bytes', bytes());
}

function block(page: string, name: string, text: string): string {
  const start = `<!-- ${name}, by npm run docs -->`;
  const end = `<!-- end of ${name} -->`;
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/sizing.md has no block ${name}`);
  return `${page.slice(0, from + start.length)}\n\n${text}\n\n${page.slice(to)}`;
}

function rates(): string {
  const rows = RATES.map((rate) => {
    const inWindow = rate * DAY_SECONDS;
    const level = levelFor(inWindow, SERVICE_LIMITS.rows);
    return `| ${whole(rate)} | ${millions(inWindow)} | ${gib(inWindow * ROW)} | ${share(level)} |`;
  });
  return [
    `| interactions a second | rows in a window of a day | memory to keep them all | users kept by \`limits.rows\` (${millions(SERVICE_LIMITS.rows)}) |`,
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    `(${ROW} bytes a row: ${EXAMPLE.models} models, with a tick's copy.)`,
  ].join('\n');
}

interface ExpectedUse {
  readonly day: { readonly rows: number; readonly items: number };
  /** By rows, list items and users. */
  readonly levels: readonly [rows: number, items: number, users: number];
  /** One user in so many. */
  readonly oneIn: number;
  readonly bytes: Readonly<Record<'rows' | 'lists' | 'users' | 'ids', number>>;
  /** With what takes memory whatever the traffic is. */
  readonly totalBytes: number;
}

/** What the example comes to with the defaults. */
export function expectedUse(): ExpectedUse {
  const { interactions, lists, listLength, users } = EXAMPLE;
  const day = { rows: interactions * DAY_SECONDS, items: lists * listLength * DAY_SECONDS };
  const levels = [
    levelFor(day.rows, SERVICE_LIMITS.rows),
    levelFor(day.items, SERVICE_LIMITS.listEntries),
    levelFor(users, SERVICE_LIMITS.users),
  ] as const;
  const oneIn = 2 ** Math.max(...levels);
  const ids = (interactions + lists) * HOUR_SECONDS;
  const bytes = {
    rows: (day.rows / oneIn) * ROW,
    lists: (day.items / oneIn) * BYTES_EACH.listEntry,
    users: THREADS * users * BYTES_EACH.user,
    ids: ids * EVENT_ID.most * EVENT_ID.ttls[1],
  };
  const none = { rows: 0, listEntries: 0, users: 0 };
  const config = loadConfig({ env: {} });
  const rest = memoryBudget(
    { ...config, limits: { ...config.limits, ...none } },
    { brokers: 1, partitions: 4 },
  );
  const totalBytes = Object.values(bytes).reduce((sum, each) => sum + each, total(rest));
  return { day, levels, oneIn, bytes, totalBytes };
}

function example(page: string): string {
  const { day, levels, oneIn, bytes: of, totalBytes } = expectedUse();
  const { rows, listEntries, users } = SERVICE_LIMITS;
  const line = (what: string, amount: number, limit: number, key: string, level: number) =>
    `| ${what} | ${millions(amount)} | \`limits.${key}\` ${millions(limit)} | ${share(level)} |`;
  return [
    '| | at the rate | limit | users kept |',
    '| --- | --- | --- | --- |',
    line('rows in the window of a day', day.rows, rows, 'rows', levels[0]),
    line('items of lists in a day', day.items, listEntries, 'listEntries', levels[1]),
    line('users in ten days', EXAMPLE.users, users, 'users', levels[2]),
    '',
    `- **Users**: estimates are of one in ${oneIn}, ${whole(EXAMPLE.users / oneIn)} of them. Popularity, γ and concentration are of all.`,
    `- **Memory**: rows ${mib(of.rows)}, lists ${mib(of.lists)}, users ${mib(of.users)}, ids of events up to ${mib(of.ids)}; ${mib(totalBytes)} with all that does not depend on the rate. With \`models.max: 3\` a container of 5 GiB has room; the sum that the service logs at its start is of \`models.max\` models.`,
    ticks(page, (day.rows + EXAMPLE.interactions * HOUR_SECONDS) / oneIn),
  ].join('\n');
}

/** By the figures of a million rows, which stand on the page. */
function ticks(page: string, rows: number): string {
  const seconds = ((rows / 1e6) * figure(page, 'the same with closing the pane')) / 1000;
  const dearer = figure(page, 'a tick with the default settings', 1);
  const every = loadConfig({ env: {} }).time.tickMs / 1000;
  return `- **Processor**: a tick goes through ${millions(rows)} rows of both windows. That is about ${whole(seconds)} s of a core in each ${every} s; ${whole(seconds * dearer)} s if lists are named, because every estimate is then computed a second time, and [UnskewTickSlow](runbook.md#unskewtickslow) fires above 5 s. The tick has a thread of its own; ingestion goes on beside it, at a tenth of the rate that one process has taken.`;
}

function bytes(): string {
  const { listEntries, rows, users } = SERVICE_LIMITS;
  const { row, rowModel, rowCopy, listEntry, user } = BYTES_EACH;
  const line = (what: string, each: string, all: number) => `| ${what} | ${each} | ${mib(all)} |`;
  const models = loadConfig({ env: {} }).models.max;
  return [
    '| | bytes, at most | with the service’s limits |',
    '| --- | --- | --- |',
    line(
      `a row of ${EXAMPLE.models} models, and its copy while a tick lasts`,
      `${row + EXAMPLE.models * rowModel} + ${rowCopy}`,
      rows * ROW,
    ),
    line('an item of a list', `${listEntry}`, listEntries * listEntry),
    line('a user', `${user}`, users * user),
    '',
    `Together ${gib(rows * ROW + listEntries * listEntry + users * user)}. A row takes ${rowModel} more for each further model; the sum at start counts \`models.max\`, ${models}.`,
  ].join('\n');
}

/** The first number of the cell of that figure, or the one at `place`. */
function figure(page: string, what: string, place = 0): number {
  const row = page.split('\n').find((line) => line.startsWith(`| ${what}`));
  const numbers = row?.split('|')[2]?.match(/\d+(\.\d+)?/g) ?? [];
  if (numbers[place] === undefined) throw new Error(`docs/sizing.md has no figure of: ${what}`);
  return Number(numbers[place]);
}

const share = (level: number) => (level === 0 ? 'all' : `1 in ${2 ** level}`);
const whole = (value: number) => Math.round(value).toLocaleString('en');
const millions = (value: number) => `${Number((value / 1e6).toPrecision(3))} million`;
const mib = (value: number) => `${whole(value / 2 ** 20)} MiB`;
const gib = (value: number) => `${(value / 2 ** 30).toFixed(1)} GiB`;
