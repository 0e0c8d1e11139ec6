import { decimal, percent, whole } from '../../rows/figures.js';
import type { SnapshotFacts, StateSettings } from '../../rows/findings/facts.js';
import { plainText, say } from '../../rows/findings/sentence.js';
import { type State, type StateWords, stateOf } from '../../rows/findings/state.js';
import { clock, duration } from '../../rows/times.js';
import type { Alarm } from '../alarm.js';
import { learningSeries } from './findings.js';
import { seriesWords, shiftWords } from './series-words.js';

/**
 * Largest fraction of the series that may be in training without a status line about it. Above this
 * fraction, the absence of alarms means nothing.
 */
const MOST_LEARNING = 0.5;

/** Status lines of the service for alarms, and for series still in training. */
export function driftStates(snapshot: SnapshotFacts, { drift }: StateSettings): State[] {
  const alarms = alarmStates(snapshot.alarms);
  return drift === undefined ? alarms : [...alarms, ...learningStates(snapshot, drift)];
}

/**
 * Build one status line for all alarms that name the same models, and one for alarms that name
 * none. The lines are sorted by the start of the change, the latest first.
 */
export function alarmStates(alarms: readonly Alarm[]): State[] {
  const loud = alarms.filter(({ suppressed }) => suppressed === null);
  const keyOf = ({ models }: Alarm) => JSON.stringify(models);
  const groups = [...new Set(loud.map(keyOf))].map((key) =>
    loud.filter((alarm) => keyOf(alarm) === key).sort(clearestFirst),
  );
  return groups
    .map((group) => {
      const [{ models }] = group;
      const series = [...new Set(group.map((alarm) => alarm.series))];
      const { level } = group.find((alarm) => alarm.series === series[0] && alarm.level) ?? {};
      const figures = {
        before: level?.before ?? null,
        now: level?.now ?? null,
        size: group[0].size,
        firedAt: Math.max(...group.map(({ at }) => at)),
        more: series.length - 1,
      };
      const since = Math.min(...group.map((alarm) => alarm.since));
      const reason = behind(group);
      const more = reason === undefined ? {} : { reason };
      return stateOf('alarm', figures, {
        since,
        subject: { models, series },
        ...more,
      });
    })
    .sort((a, b) => (b.since ?? 0) - (a.since ?? 0));
}

/** Number of items named in a status line. */
const MOST_ITEMS = 2;

/**
 * The items whose share of interactions changed most, with the shares before and after; undefined
 * if unknown.
 */
function behind(group: readonly Alarm[]): string | undefined {
  const { topItems } = group.find((alarm) => alarm.topItems.length > 0) ?? { topItems: [] };
  if (topItems.length === 0) return undefined;
  return topItems
    .slice(0, MOST_ITEMS)
    .map(({ item, before, share }) => {
      const name = plainText([{ name: item }]);
      return `${name} ${percent(before, 1)} → ${percent(share, 1)}`;
    })
    .join(', ');
}

/**
 * Prefixes of series names by which the alarms of a status line are sorted, the most important
 * first. `lists/` is about a model that stopped sending lists.
 */
const TELLING = ['lists/', 'estimate/snips/', 'value/', 'on_policy/', 'uncaused/', 'estimate/'];

function clearestFirst(a: Alarm, b: Alarm): number {
  return place(a) - place(b);
}

function place({ series }: Alarm): number {
  const found = TELLING.findIndex((prefix) => series.startsWith(prefix));
  return found < 0 ? TELLING.length : found;
}

/**
 * Status line for series in training; empty if at most half of the series are in training. Before
 * the first drift window has ended, `drift` (the scores) is empty, and the line is present.
 */
function learningStates(
  { drift: scores = [] }: SnapshotFacts,
  { learn: panes, windowMs: paneMs }: NonNullable<StateSettings['drift']>,
): State[] {
  const { learning, series } = learningSeries(scores);
  if (series > 0 && learning <= MOST_LEARNING * series) return [];
  return [
    stateOf('learning', {
      learning,
      series,
      panes,
      paneMs,
    }),
  ];
}

/** Texts of the status lines for alarms and for series in training. */
export const DRIFT_STATE_WORDS: {
  readonly [Code in 'alarm' | 'learning']: StateWords<Code>;
} = {
  alarm: {
    label: 'Alarm',
    text: ({ since, subject: { series = [] }, figures: { more, before, now, size }, reason }) => {
      const others = more === 0 ? '' : ` ${whole(more)} more series changed with it.`;
      const level = before === null || now === null ? undefined : { before, now };
      const sure =
        size === null ? '' : `, a change of ${decimal(Math.abs(size), 1)} standard deviations`;
      const why = reason === undefined ? '' : ` Items responsible: ${reason}.`;
      return say`${seriesWords(series[0], level)} since ${clock(since)} UTC${shiftWords(level)}${sure}.${why}${others}`;
    },
    remedy: ({ subject: { series = [] } }) =>
      series[0].startsWith('lists/')
        ? 'Check whether the model still serves, or now has another name.'
        : 'Check what was deployed at that time and roll back if the change wasn’t intended. The items responsible are listed under Alarms.',
  },
  learning: {
    label: 'Learning',
    text: ({ figures: { learning, series, panes, paneMs } }) => {
      const needed = duration(panes * paneMs);
      return series === 0
        ? say`Learning the baseline: no alarm can come in the first ${needed}.`
        : say`Learning the baseline of ${whole(learning)} of ${whole(series)} series, which takes at least ${needed}. These raise no alarm yet.`;
    },
    remedy: 'Until then, changes go unnoticed.',
  },
};
