import { percent } from '../../rows/figures.js';
import { plainText } from '../../rows/findings/sentence.js';
import { type State, stateOf } from '../../rows/findings/state.js';
import type { Alarm } from './alarm.js';

/** One state for each model that an alarm is about, and one for all traffic; the newest first. */
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
        ...{ before: level?.before ?? null, now: level?.now ?? null, size: group[0].size },
        firedAt: Math.max(...group.map(({ at }) => at)),
        more: series.length - 1,
      };
      const since = Math.min(...group.map((alarm) => alarm.since));
      const reason = behind(group);
      const more = reason === undefined ? {} : { reason };
      return stateOf('alarm', figures, { since, subject: { models, series }, ...more });
    })
    .sort((a, b) => (b.since ?? 0) - (a.since ?? 0));
}

/** Items that are enough to begin with. */
const MOST_ITEMS = 2;

/** The items that moved most, each with its share before and since; undefined where none is known. */
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

/** What says most of a model leads: that it is gone, then a corrected estimate. */
const TELLING = ['lists/', 'estimate/snips/', 'value/', 'on_policy/', 'uncaused/', 'estimate/'];

function clearestFirst(a: Alarm, b: Alarm): number {
  return place(a) - place(b);
}

function place({ series }: Alarm): number {
  const found = TELLING.findIndex((prefix) => series.startsWith(prefix));
  return found < 0 ? TELLING.length : found;
}
