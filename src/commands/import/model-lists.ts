import { UnskewError } from '../../errors.js';
import { learnedPropensities } from '../../estimators/propensity/learned-propensities.js';
import { readPropensities } from '../propensities/stored-propensities.js';
import type { LearnedModel } from '../train/learned-model.js';
import { type List, listerByRated, type WeighedItems } from '../train/lists.js';
import { evenPropensity, type PropensityFile, weightsOf } from '../train/propensities.js';
import { readModel } from '../train/read-model.js';
import { RANKER_MODELS } from './item-ratings.js';

/** Ratings that a user has given before a list is made, by item. */
export type OwnRatings = ReadonlyMap<string, number>;

interface OpenModel {
  readonly name: string;
  readonly path: string;
  readonly model: LearnedModel;
  readonly learnedTo: number;
  readonly numberOf: ReadonlyMap<string, number>;
  readonly listOf: (user: string, own: WeighedItems) => List | undefined;
  lists: number;
}

/**
 * Makes lists of learned models (files of `unskew train`) at times of a data set. Each list uses
 * the user's ratings up to its time. A model makes no lists before the end of its training data.
 */
export class ModelLists {
  private constructor(
    private readonly models: readonly OpenModel[],
    private readonly propensities: PropensityFile | undefined,
  ) {}

  /**
   * Read model files.
   *
   * @param paths model files of different kinds; the kind is the model's name in the lists
   * @param propensitiesPath the propensities file that one of the models was learned with
   * @param length maximum number of items in a list
   * @throws UnskewError FILE for a file of another format; USAGE for files that do not belong
   * together
   */
  static async open(
    paths: readonly string[],
    propensitiesPath: string | undefined,
    length: number,
  ): Promise<ModelLists> {
    const models: OpenModel[] = [];
    const names = new Set<string>(RANKER_MODELS);
    for (const path of paths) {
      const model = await readModel(path);
      const { kind: name } = model.learned;
      if (names.has(name)) {
        refuse(`${path}: there is already a model named ${name}`);
      }
      names.add(name);
      if (model.learnedTo === undefined) {
        refuse(`${path}: the model does not say when its training data end. Train it again`);
      }
      if (sourceOf(model) === 'logged') {
        refuse(
          `${path}: the model needs logged propensities of ratings, and the data set has none`,
        );
      }
      models.push({
        name,
        path,
        model,
        learnedTo: model.learnedTo!,
        lists: 0,
        numberOf: new Map(model.items.map((item, number) => [item, number])),
        listOf: listerByRated(model, { length }),
      });
    }
    if (propensitiesPath === undefined) return new ModelLists(models, undefined);
    if (!models.some(({ model }) => sourceOf(model) === 'file')) {
      refuse('--propensities would have no effect: no model was trained with a propensity file');
    }
    const { version, model } = await readPropensities(propensitiesPath);
    return new ModelLists(models, {
      version,
      learned: learnedPropensities(model),
    });
  }

  get count(): number {
    return this.models.length;
  }

  /**
   * Compute each model's list for a user at a time. A model makes no list before the end of its
   * training data, or if it knows none of the items that the user has rated.
   *
   * @throws UnskewError EVENTS for a rating whose propensity is unknown; USAGE if a model was
   * learned with another propensities file than the given one
   */
  of(user: string, own: OwnRatings, atMs: number): (List & { readonly model: string })[] {
    return this.models.flatMap((open) => {
      if (atMs <= open.learnedTo) return [];
      const list = open.listOf(user, this.#weighed(open, user, own));
      if (list === undefined) return [];
      open.lists++;
      return [
        {
          model: open.name,
          ...list,
        },
      ];
    });
  }

  /** Check that each model was used. @throws UnskewError USAGE if a model has made no list */
  checkUsed(): void {
    for (const { path, learnedTo, lists } of this.models) {
      if (lists > 0) continue;
      const date = new Date(learnedTo).toISOString();
      refuse(
        `${path}: the model was trained on events up to ${date}, and no later list is for a user who had rated an item of the model`,
      );
    }
  }

  #weighed({ model, numberOf }: OpenModel, user: string, own: OwnRatings): WeighedItems {
    const known = [...own]
      .flatMap(([id, value]) => {
        const number = numberOf.get(id);
        return number === undefined ? [] : [{ number, value }];
      })
      .sort((a, b) => a.number - b.number);
    const item = Int32Array.from(known, ({ number }) => number);
    const rating = Float64Array.from(known, ({ value }) => value);
    const ratings = {
      users: 1,
      items: model.items.length,
      user: new Int32Array(item.length),
    };
    const data = {
      ratings: {
        ...ratings,
        item,
        rating,
      },
      users: [user],
      items: model.items,
      randomised: new Float64Array(0),
      newestMs: 0,
      logged: () => new Float64Array(item.length).fill(Number.NaN),
    };
    const { learned } = model;
    // Models that do not weight ratings ignore the weights.
    const by = 'propensities' in learned ? learned.propensities : evenPropensity(data);
    return {
      item,
      rating,
      weight: weightsOf(by, data, this.propensities ?? 'even'),
    };
  }
}

function sourceOf({ learned }: LearnedModel): string | undefined {
  return 'propensities' in learned ? learned.propensities.source : undefined;
}

function refuse(what: string): never {
  throw new UnskewError('USAGE', what);
}
