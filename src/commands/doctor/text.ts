import { formatDuration } from '../../config/units.js';
import type { SeenField } from '../../events/survey-guess.js';
import type { Suggestion } from './suggestion.js';
import type { TopicReport } from './topic-report.js';

const KINDS = {
  exposure: 'lists',
  impression: 'single impressions',
  interaction: 'interactions',
};
const ROLES = ['user', 'item', 'time', 'model', 'list', 'surface', 'place', 'action'] as const;

/** Format the findings about topics or files, and their problems, as text. */
export function findingsText(
  reports: readonly TopicReport[],
  suggestions: readonly Suggestion[],
  problems: readonly string[],
): string {
  const topics = reports.map((report) => topicText(report, suggestions)).join('\n');
  const lines = problems.map((problem) => `  - ${problem}`);
  const head = problems.length === 0 ? [] : ['What to check:'];
  return `${topics}\n${[...head, ...lines].map((line) => `${line}\n`).join('')}`;
}

/** Row with the kinds of events; left out for a built-in mapping, whose result is shown below. */
function holdsRow({ ready }: TopicReport, kinds: Suggestion['kinds'] = []): [string, string][] {
  if (ready?.is === 'mapping' && kinds.length === 0) return [];
  const named = kinds.map((kind) => KINDS[kind]).join(' and ');
  return [['holds', named === '' ? 'no known events' : named]];
}

function topicText(report: TopicReport, suggestions: readonly Suggestion[]): string {
  const { name, partitions, records, sample, users, clock, framing, retentionMs } = report;
  const own = suggestions.find((each) => each.report === report);
  const kept = retentionMs === undefined ? '' : `, kept ${keptFor(retentionMs)}`;
  const keys = report.keyedBy ?? (report.hasKeys ? 'no field of the record' : 'nothing');
  const rows: [string, string][] = [
    ['partitions', `${partitions}, ${records} records${kept}; ${sample.length} read`],
    ['written as', [...framing].map(([key, count]) => `${key} (${count})`).join(', ')],
    ['keyed by', keys],
    ...readyRow(report),
    ...holdsRow(report, own?.kinds),
    ...fieldRows(report),
  ];
  if (users.several > 0) {
    rows.push([
      'users',
      `${users.split} of ${users.several} users with several events are in several partitions`,
    ]);
  }
  if (clock !== undefined) {
    const lag = roughly(Math.abs(clock.lagMs));
    rows.push([
      'clock',
      `records are ${lag} ${clock.lagMs < 0 ? 'older' : 'newer'} than their events`,
    ]);
  }
  return [name, ...rows.map(([what, text]) => `  ${what.padEnd(11)} ${text}`), ''].join('\n');
}

function readyRow({ ready }: TopicReport): [string, string][] {
  if (ready === undefined) return [];
  const by =
    ready.is === 'canonical'
      ? 'no mapping: the events have unskew’s own format'
      : `the built-in mapping ${ready.name}`;
  return [['needs', by]];
}

function fieldRows({ survey }: TopicReport): [string, string][] {
  const guesses = [...survey.kinds.values()];
  const rows = ROLES.map((role): [string, string] => {
    const fields = guesses.flatMap((guess) => guess.fields[role]);
    return [role, pathsOf(fields)];
  });
  const lists = guesses.flatMap(({ items }) => items ?? []);
  rows.splice(2, 0, ['items', pathsOf(lists)]);
  return rows.filter(([, text]) => text !== '');
}

function pathsOf(fields: readonly SeenField[]): string {
  const all = fields.map(({ path, each }) => (each === undefined ? path : `${path} with ${each}`));
  return [...new Set(all)].slice(0, 3).join(', or ');
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** Format a duration in its largest unit, to one decimal. */
export function roughly(ms: number): string {
  const [name, length] = UNITS.find(([, unit]) => ms >= unit) ?? ['ms', 1];
  return `${Math.round((10 * ms) / length) / 10}${name}`;
}

function keptFor(ms: number): string {
  return Number.isFinite(ms) ? formatDuration(ms) : 'without limit';
}
