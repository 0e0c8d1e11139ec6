import { decimal, whole } from '../../rows/figures.js';
import type { Lesson } from './learn.js';
import type { LearnedModel } from './learned-model.js';
import type { RatingData } from './rating-log.js';

/** What `train` did. */
export interface Training {
  readonly data: RatingData;
  readonly model: LearnedModel;
  /** Of a model that was learned now. */
  readonly lesson?: Lesson;
  /** Ratings of items that the model does not know. */
  readonly leftOut: number;
  readonly lists: { readonly path: string; readonly count: number };
  readonly modelPath?: string | undefined;
}

export const TRAINING_SCHEMA = 'unskew/training@1';

/** One JSON object. */
export function trainingJson({ data, model, lesson, leftOut, lists, modelPath }: Training): string {
  const { rating } = data.ratings;
  return JSON.stringify({
    schema: TRAINING_SCHEMA,
    kind: model.learned.kind,
    counts: {
      ...{ ratings: rating.length, users: data.users.length, items: model.items.length },
      ...{ randomised: data.randomised.length, leftOut, lists: lists.count },
    },
    fit: lesson?.fit ?? null,
    validation: lesson?.chosen?.validation ?? null,
    lists: lists.path,
    model: modelPath ?? null,
  });
}

/** A few lines for people. */
export function trainingLines(training: Training): string {
  const { data, model, lesson, leftOut, lists, modelPath } = training;
  const { rating } = data.ratings;
  const of = `${whole(data.users.length)} users and ${whole(model.items.length)} items`;
  const lines = [
    `${whole(rating.length)} ratings of ${of}`,
    ...(data.randomised.length > 0
      ? [`${whole(data.randomised.length)} ratings of randomised traffic, not learned from`]
      : []),
    ...(leftOut > 0 ? [`${whole(leftOut)} ratings of items that the model does not know`] : []),
    ...(lesson === undefined ? [] : lessonLines(lesson)),
    `${lists.path}: ${whole(lists.count)} lists`,
    ...(modelPath === undefined ? [] : [`${modelPath}: the model`]),
  ];
  return `${lines.join('\n')}\n`;
}

function lessonLines({ learned: { kind }, fit, chosen }: Lesson): string[] {
  if (fit === undefined) return [];
  const { factors, lambda, objective, sweeps, pairsCovered } = fit;
  const by = chosen === undefined ? '' : ', chosen by cross-validation';
  return [
    `${kind}: ${factors} factors, lambda ${lambda}${by}`,
    `objective ${decimal(objective, 4)} after ${sweeps} sweeps, Σ1/P ÷ pairs ${decimal(pairsCovered, 3)}`,
  ];
}
