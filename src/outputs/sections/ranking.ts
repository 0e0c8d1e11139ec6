import {
  AGGREGATIONS,
  type Aggregation,
  type EstimatorName,
  UNCORRECTED,
} from '../../estimators/names.js';
import { decimal } from '../../rows/figures.js';
import { type Sentence, say } from '../../rows/findings/sentence.js';
import { type Cell, type Section, type Table, texts } from '../../rows/table.js';
import { formWords, listed, metricName } from '../../rows/words.js';
import type { WindowSnapshot } from '../../stream/tick/snapshot.js';
import {
  bestModels,
  type Flip,
  flipsFromUncorrected,
  type Measure,
  tauWithUncorrected,
} from './rankings.js';

/**
 * Build the section on the ranking of models: the best model by each estimator, and pairs whose
 * order differs between estimators. Null with fewer than two models.
 */
export function rankingSection(window: WindowSnapshot): Section | null {
  if (window.models.length < 2) return null;
  const estimators = [...new Set(window.results.map(({ estimator }) => estimator))];
  return {
    name: 'ranking',
    title: 'Which model is best',
    lead: [],
    blocks: [
      {
        lead: say`${{ strong: 'Highlighted' }}: the best model is not the one without correction (${UNCORRECTED}). τ is Kendall’s rank correlation between the order of all models by this estimator and by ${UNCORRECTED}; 1 means the same order.`,
        tables: AGGREGATIONS.map((aggregation) => bestTable(window, aggregation, estimators)),
        folded: 'By metric and estimator',
        isAside: true,
      },
      {
        title: ['Rankings that flip'],
        ...flips(window, estimators),
        isAside: true,
      },
    ],
  };
}

function measuresOf({ results }: WindowSnapshot, aggregation: Aggregation): Measure[] {
  const found = new Map<string, Measure>();
  for (const { metric, k } of results) {
    found.set(`${metric} ${k}`, {
      metric,
      k,
      aggregation,
    });
  }
  return [...found.values()];
}

function bestTable(
  window: WindowSnapshot,
  aggregation: Aggregation,
  estimators: readonly EstimatorName[],
): Table {
  return {
    name: 'best',
    title: `Best model, ${formWords(aggregation)}`,
    columns: texts('metric', ...estimators),
    lines: measuresOf(window, aggregation).map((measure) => [
      metricName(measure),
      ...estimators.map((estimator) => bestCell(window, measure, estimator)),
    ]),
  };
}

function bestCell(window: WindowSnapshot, measure: Measure, estimator: EstimatorName): Cell {
  const best = bestModels(window.results, measure, estimator);
  // `bestModels` finds none if there is only one model, since it cannot be called the best.
  if (best.length === 0) return '–';
  const naive = bestModels(window.results, measure, UNCORRECTED);
  const isChanged = naive.length > 0 && !best.some((model) => naive.includes(model));
  const tau = tauWithUncorrected(window.agreements, measure, estimator);
  return {
    words: listed<Sentence[number]>(
      best.map((name) => ({ name })),
      ' = ',
    ),
    ...(isChanged && { mark: 'changed' }),
    ...(tau !== undefined && { notes: [`τ ${decimal(tau, 2)}`] }),
  };
}

function flips(
  window: WindowSnapshot,
  estimators: readonly EstimatorName[],
): {
  readonly lead: Sentence;
  readonly tables: readonly Table[];
} {
  const { agreements, differences } = window;
  if (!agreements.some((agreement) => agreement.estimators.includes(UNCORRECTED))) {
    const lead = `The estimator ${UNCORRECTED} is not computed, so there is no uncorrected order to compare with.`;
    return {
      lead: [lead],
      tables: [],
    };
  }
  const tables = AGGREGATIONS.flatMap((aggregation) => {
    const found = measuresOf(window, aggregation).flatMap((measure) =>
      flipsFromUncorrected(agreements, differences, measure),
    );
    return found.length === 0 ? [] : [flipTable(found, aggregation, estimators)];
  });
  if (tables.length === 0) {
    const lead = `No pair flips: every estimator orders the models as ${UNCORRECTED} does.`;
    return {
      lead: [lead],
      tables,
    };
  }
  const lead = say`Metrics by which an estimator reverses the ${UNCORRECTED} order of two models. ${{ strong: '✓' }}: the 95 % interval of the difference excludes 0 by both estimators. Only pairs with the reference model have such intervals.`;
  return { lead, tables };
}

/** Build a table of pairs by estimator. A cell lists the metrics whose order is reversed. */
function flipTable(
  found: readonly Flip[],
  aggregation: Aggregation,
  estimators: readonly EstimatorName[],
): Table {
  const columns = estimators.filter((name) => name !== UNCORRECTED);
  const pairs = new Map<string, Flip[]>();
  for (const flip of found) {
    const key = JSON.stringify([flip.preferred, flip.other]);
    pairs.set(key, [...(pairs.get(key) ?? []), flip]);
  }
  return {
    name: 'flips',
    title: `Pairs by ${UNCORRECTED} order, and metrics that reverse it, ${formWords(aggregation)}`,
    columns: texts(`${UNCORRECTED} order`, ...columns),
    lines: [...pairs.values()].map((own) => [
      say`${{ name: own[0].preferred }} before ${{ name: own[0].other }}`,
      ...columns.map((estimator) => turnedRound(own, estimator)),
    ]),
  };
}

function turnedRound(found: readonly Flip[], estimator: EstimatorName): Cell {
  const metrics = found
    .filter((flip) => flip.estimator === estimator)
    .map((flip) => (flip.isClear ? { strong: `✓ ${metricName(flip)}` } : metricName(flip)));
  return metrics.length === 0 ? '–' : listed<Sentence[number]>(metrics, ', ');
}
