import { stringify } from 'yaml';
import { formatDuration } from '../../config/units.js';
import type { Suggestion } from './suggestion.js';

export interface FileOptions {
  readonly isOfFiles: boolean;
  readonly brokers: readonly string[];
  readonly registryUrl: string | undefined;
  readonly latenessMs: number;
}

const SECOND_MS = 1000;
const ROLE = {
  exposure: 'exposures',
  impression: 'exposures',
  interaction: 'interactions',
} as const;

/** A configuration that reads what was found, with what was not sure above it. */
export function suggestedFile(
  suggestions: readonly Suggestion[],
  problems: readonly string[],
  options: FileOptions,
): string {
  const notes = [
    'What unskew doctor found in a sample. Names were guessed: look at each mapping.',
    ...problems,
    ...suggestions.flatMap(({ report, others }) =>
      others.map((other) => `${report.name}: ${other}`),
    ),
  ];
  const head = notes.map((note) => `# ${note}\n`).join('');
  const body = options.isOfFiles ? ofFiles(suggestions) : ofTopics(suggestions, options);
  return head + stringify({ ...body, ...timeOf(suggestions, options) }, { lineWidth: 0 });
}

function ofTopics(
  suggestions: readonly Suggestion[],
  { brokers, registryUrl }: FileOptions,
): object {
  const sources = suggestions.map(({ report, kinds, mapping }) => {
    const roles = new Set(kinds.map((kind) => ROLE[kind]));
    const [only] = roles;
    return {
      topic: report.name,
      ...(roles.size === 1 && mapping.kind === undefined ? { events: only } : {}),
      ...(report.format === 'json' ? {} : { format: report.format }),
      mapping,
    };
  });
  return {
    kafka: {
      brokers: [...brokers],
      topics: { exposures: 'unskew.exposures', interactions: 'unskew.interactions' },
    },
    ...(registryUrl === undefined ? {} : { registry: { url: registryUrl } }),
    intake: { sources },
  };
}

/** Files share one mapping: what several of them say of one kind is that of the first. */
function ofFiles(suggestions: readonly Suggestion[]): object {
  const merged = [...suggestions].reverse().map(({ mapping }) => mapping);
  return { events: { mapping: Object.assign({}, ...merged) as object } };
}

function timeOf(suggestions: readonly Suggestion[], { latenessMs }: FileOptions): object {
  const disorder = Math.max(0, ...suggestions.map(({ report }) => report.clock?.disorderMs ?? 0));
  if (disorder <= latenessMs) return {};
  const seconds = Math.ceil((disorder * 1.2) / SECOND_MS);
  return { time: { lateness: formatDuration(seconds * SECOND_MS) } };
}
