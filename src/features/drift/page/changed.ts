import { make } from '../../../page/element.js';
import { MARK_WORDS } from '../../../page/mark-list.js';
import type { Changed } from '../../../page/panels/panel.js';
import type { View } from '../../../page/view.js';
import { isKnown, signedPercent, whole } from '../../../rows/figures.js';
import { plainText } from '../../../rows/findings/sentence.js';
import { clock, duration } from '../../../rows/times.js';
import { capital, metricName } from '../../../rows/words.js';
import { seriesWords } from '../series-words.js';

type Alarm = View['alarms'][number];

/**
 * Ratio of score to threshold from which an alarm on a compared model is shown before the verdict.
 */
const STRONG = 2;

/**
 * Names of series of estimates and rewards, for which the relative change is shown beside the
 * model's name.
 */
const OF_WORTH = /^(estimate|uncaused|value|on_policy)\//;

/**
 * Summarise the newest change in one line for the page. If several series changed together, the
 * line is about the metric shown on the page if that is among them. The line also names the newest
 * mark (such as a deployment) that precedes the change by at most the longest window.
 */
export function changed(view: View): Changed {
  const together = newestOf(view.alarms.filter(({ suppressed }) => suppressed === null));
  const alarm = shownOf(together, view);
  if (alarm === undefined) {
    return {
      line: quietLine(view),
      isStrong: false,
    };
  }
  const compared = view.tick.verdict?.[0]?.subject.models ?? [];
  const isOfCompared = alarm.models.some((model) => compared.includes(model));
  const isNow = view.tick.alarms.some(
    ({ at, series }) => at === alarm.at && series === alarm.series,
  );
  const isStrong = isNow && isOfCompared && clearness(alarm) >= STRONG;
  return {
    line: alarmLine(alarm, together.length - 1, view),
    isStrong,
  };
}

/**
 * The alarms of the newest change: all alarms since that change began, because a metric changes
 * later than its cause.
 */
function newestOf(loud: readonly Alarm[]): readonly Alarm[] {
  const [newest] = [...loud].sort((a, b) => b.at - a.at);
  return loud.filter(({ at }) => newest !== undefined && at >= newest.since);
}

/**
 * The alarm on the shown metric, or else the alarm with the highest score relative to its
 * threshold.
 */
function shownOf(together: readonly Alarm[], { tick }: View): Alarm | undefined {
  const metric = metricName(tick.chosen);
  const isShown = ({ series }: Alarm) =>
    series.startsWith('estimate/') && series.includes(`/${metric}/`);
  return together.find(isShown) ?? [...together].sort((a, b) => clearness(b) - clearness(a))[0];
}

/** Score of an alarm divided by its threshold. */
function clearness({ score, threshold }: Alarm): number {
  return (score ?? 0) / (threshold ?? 1);
}

function alarmLine(alarm: Alarm, others: number, view: View): HTMLElement {
  const { series, since, models, level, topItems } = alarm;
  const { before, now } = level ?? {};
  const share =
    isKnown(before) && isKnown(now) && before > 0 && OF_WORTH.test(series)
      ? ` ${signedPercent(now / before - 1)}`
      : '';
  const about = models.length === 0 ? 'all traffic' : models.slice(0, 3).join(', ');
  const known = isKnown(before) && isKnown(now) ? { before, now } : undefined;
  const mark = markBefore(alarm, view);
  const items = topItems.length === 1 ? 'item' : 'items';
  const link = make(
    'a',
    '',
    topItems.length > 0 ? `${whole(topItems.length)} ${items} responsible` : 'All alarms',
  );
  link.href = '#panel-alarms';
  return make(
    'p',
    'changed alarm',
    make('span', 'when', `${clock(since)} UTC `),
    make('strong', '', make('bdi', '', about), share),
    ...(mark === undefined
      ? [', without a deployment or other mark before it. ']
      : [' after ', make('q', '', MARK_WORDS[mark.kind], ': ', make('bdi', '', mark.text)), '. ']),
    make('span', 'said', `${capital(plainText(seriesWords(series, known)))}.`),
    others > 0 ? ` ${whole(others)} more series changed with it. ` : ' ',
    link,
  );
}

/** The newest mark that may be the cause of the change. */
function markBefore({ at, since, models }: Alarm, { happenings, tick }: View) {
  const reach = tick.longestWindowMs;
  const isAbout = (model: string | undefined) =>
    model === undefined || models.length === 0 || models.includes(model);
  return happenings
    .filter(({ time, model }) => time <= at && time >= since - reach && isAbout(model))
    .sort((a, b) => b.time - a.time)[0];
}

function quietLine({ happenings, tick, states }: View): HTMLElement {
  const learning = states.find(({ code }) => code === 'learning');
  if (learning !== undefined) return make('p', 'changed', learning.text);
  const [last] = [...happenings].sort((a, b) => b.time - a.time);
  if (last === undefined || last.time < tick.paneEnd - 86_400_000) {
    return make('p', 'changed', 'No significant change in the last 24 h.');
  }
  return make(
    'p',
    'changed',
    make('span', 'when', `${clock(last.time)} UTC `),
    make('strong', '', MARK_WORDS[last.kind], ': ', make('bdi', '', last.text)),
    `, ${duration(Math.max(0, tick.paneEnd - last.time))} ago; no significant change since.`,
  );
}
