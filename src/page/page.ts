import type { LiveTick } from '../adapters/http/schema/live-tick.js';
import type { Answer } from './answers/answer.js';
import { flatteredAnswer } from './answers/answer-flattered.js';
import { growthAnswer } from './answers/answer-growth.js';
import { trustAnswer } from './answers/answer-trust.js';
import { type Choice, SPANS } from './choice.js';
import { byId, setText, spoken } from './element.js';
import { clockWithSeconds, day, duration, fixed, whole } from './format.js';
import type { Histories } from './live/histories.js';
import { alarmList } from './panels/alarm-list.js';
import { exposureCurve, lorenzCurves } from './panels/curves.js';
import { showModelGaps } from './panels/model-gaps.js';
import {
  concentrationOverTime,
  estimatesOverTime,
  gammaOverTime,
  lagOverTime,
  sampleSizesOverTime,
} from './panels/over-time.js';
import { numbersTable, outcomesTable, partitionsTable, weightsTable } from './panels/tables.js';
import type { View } from './view.js';

const SOURCES: Readonly<Record<string, string>> = {
  fixed: 'fixed by configuration',
  fit: 'fitted to this pane',
  last_good: 'last good fit',
  default: 'default, no good fit yet',
};
const STATUSES: Readonly<Record<string, string>> = {
  ok: 'fit ok',
  too_few_levels: 'too few levels to fit',
  poor_fit: 'poor fit',
  stale: 'nothing to fit',
};

/** Everything below the controls. */
export class Page {
  constructor() {
    // What scrolls has to be reached by keyboard.
    for (const box of document.querySelectorAll<HTMLElement>('.scroll')) box.tabIndex = 0;
  }

  readonly #charts = [
    estimatesOverTime(byId('chart-estimates')),
    concentrationOverTime(byId('chart-gini'), 'gini'),
    concentrationOverTime(byId('chart-top'), 'topShare'),
    lorenzCurves(byId('chart-lorenz')),
    exposureCurve(byId('chart-exposure')),
    gammaOverTime(byId('chart-gamma')),
    sampleSizesOverTime(byId('chart-samples')),
    lagOverTime(byId('chart-lag')),
  ];

  show(
    tick: LiveTick,
    choice: Choice,
    estimator: string,
    histories: Histories,
    isConnected: boolean,
  ): void {
    const marks = histories.alarms.map(({ at, series, suppressed }) => ({
      at,
      text: series,
      isSuppressed: suppressed !== null,
    }));
    const since = tick.paneEnd - SPANS[choice.span];
    const view: View = { tick, choice, estimator, tables: histories.tables, marks, since };
    byId('waiting').hidden = true;
    byId('content').hidden = false;
    showAnswer('growth', growthAnswer(tick, histories.tables.popularity, since));
    showAnswer('flattered', flatteredAnswer(tick, estimator));
    showAnswer('trust', trustAnswer(tick, estimator, isConnected));
    showNotes(view);
    showModelGaps(byId('chart-gaps'), view);
    for (const chart of this.#charts) chart(view);
    byId('alarms').replaceChildren(alarmList(histories.alarms));
    byId('weights').replaceChildren(weightsTable(view));
    byId('numbers').replaceChildren(numbersTable(view));
    byId('outcomes').replaceChildren(outcomesTable(view));
    byId('partitions').replaceChildren(partitionsTable(view));
  }
}

function showAnswer(id: string, { tone, word, sentence }: Answer): void {
  const box = byId(`answer-${id}`);
  box.dataset['tone'] = tone;
  setText(box.querySelector<HTMLElement>('.word')!, word);
  box.querySelector('.sentence')!.replaceChildren(...spoken(sentence));
}

function showNotes({ tick, estimator }: View): void {
  const { window, propensity, paneEnd, chosen, catalogueSize } = tick;
  const { users, interactions } = window.counts;
  setText(byId('reached'), `${day(paneEnd)} ${clockWithSeconds(paneEnd)} UTC`);
  const length = duration(window.to - window.from);
  setText(
    byId('window-note'),
    `last ${length} of event time · ${whole(interactions)} pairs of ${whole(users)} users · ${whole(catalogueSize)} items`,
  );
  setText(
    byId('gaps-note'),
    `${chosen.aggregation === 'user' ? 'Mean over users' : 'Over all events'}, 95 % intervals`,
  );
  for (const place of document.querySelectorAll<HTMLElement>('[data-estimator]')) {
    setText(place, estimator);
  }
  const { ratio } = tick.sampling;
  byId('sampling').hidden = ratio === 1;
  setText(
    byId('sampling'),
    `Estimates are of 1 user in ${whole(1 / ratio)}, drawn by hash, because more comes in than is kept (limits). Their intervals allow for it; popularity and γ are of all traffic.`,
  );
  byId('truth-key').hidden = window.truth.length === 0;
  const status = propensity.fits['*']?.status ?? 'stale';
  const source = SOURCES[propensity.source] ?? propensity.source;
  setText(
    byId('gamma-note'),
    `γ = ${fixed(propensity.gamma, 3)}, ${source}; ${STATUSES[status] ?? status}`,
  );
}
