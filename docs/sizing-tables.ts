import {
  BYTES_EACH,
  EVENT_ID,
  memoryBudget,
  THREADS,
  total,
} from '../src/commands/service/budget.js';
import { SERVICE_LIMITS } from '../src/config/keys/state.js';
import { loadConfig } from '../src/config.js';
import { memoryTable } from './memory-table.js';

/** Traffic that the page works through, evenly spread over time and partitions. */
export const EXAMPLE = {
  interactions: 1500,
  lists: 500,
  listLength: 10,
  models: 3,
  users: 1_000_000,
} as const;

const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3600;
const ROW = BYTES_EACH.row + EXAMPLE.models * BYTES_EACH.rowModel + BYTES_EACH.rowCopy;

/** The least level at which one in 2^level of so much is within the limit. */
export function levelFor(amount: number, limit: number): number {
  return Math.max(0, Math.ceil(Math.log2(amount / limit)));
}

/** `docs/sizing.md` with what follows from the code, and from the figures on the page itself. */
export function sizingPage(page: string): string {
  const blocks = {
    example: example(page),
    memory: memoryTable(),
  };
  return Object.entries(blocks).reduce((text, [name, table]) => block(text, name, table), page);
}

function block(page: string, name: string, text: string): string {
  const start = `<!-- ${name}, by npm run docs -->`;
  const end = `<!-- end of ${name} -->`;
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/sizing.md has no block ${name}`);
  return `${page.slice(0, from + start.length)}\n\n${text}\n\n${page.slice(to)}`;
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
    '| | needed | limit | users kept |',
    '| --- | --- | --- | --- |',
    line('rows in the window of a day', day.rows, rows, 'rows', levels[0]),
    line('items of lists in a day', day.items, listEntries, 'listEntries', levels[1]),
    line('users in ten days', EXAMPLE.users, users, 'users', levels[2]),
    '',
    `- **Users**: estimates come from one user in ${oneIn}, which is ${whole(EXAMPLE.users / oneIn)}.`,
    `- **Memory**: rows ${mib(of.rows)}, lists ${mib(of.lists)}, users ${mib(of.users)}, event ids up to ${mib(of.ids)}, and ${mib(totalBytes)} in total. With \`models.max: 3\`, a container of 5 GiB has room.`,
    ticks(page, (day.rows + EXAMPLE.interactions * HOUR_SECONDS) / oneIn),
  ].join('\n');
}

/** By the figures of a million rows, which stand on the page. */
function ticks(page: string, rows: number): string {
  const seconds = ((rows / 1e6) * figure(page, 'a tick of a million rows')) / 1000;
  const dearer = figure(page, 'a tick with the default settings', 1);
  const every = loadConfig({ env: {} }).time.tickMs / 1000;
  return `- **Processor**: a tick over ${millions(rows)} rows of both windows takes about ${whole(seconds)} s of a core in each ${every} s, or ${whole(seconds * dearer)} s if interactions name lists, because estimates are then computed twice. [UnskewTickSlow](runbook.md#unskewtickslow) fires above 5 s. Ingestion goes on meanwhile.`;
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
