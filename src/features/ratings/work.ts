import type { RatedPart } from '../../state/panes/ratings/rated-part.js';
import type { FeatureWork, WindowRows } from '../work.js';
import { estimateRatings } from './estimate-ratings.js';
import { FilePropensities, ItemsOfFile } from './file-propensities.js';
import { ratingLook } from './look.js';
import { ratingsOfLighterUsers } from './ratings-of-lighter-users.js';
import { ratingReadings } from './readings.js';

/** Learned propensities: the same for all windows of a tick, should their file change meanwhile. */
type Tick = ItemsOfFile | undefined;

/** Metrics of predicted ratings. */
export const RATINGS_WORK: FeatureWork<'ratings', Tick> = {
  name: 'ratings',
  columns: ['rated'],
  isAsked: ({ ratings }) => ratings !== undefined,
  /** By the scale it is decided what is a rating when it comes. */
  settings({ ratings }) {
    const { lowest, highest, step } = ratings!.scale;
    return { 'ratings.lowest': lowest, 'ratings.highest': highest, 'ratings.step': step };
  },
  begin: ({ options: { ratings }, ids: { items } }) =>
    ratings?.file && new ItemsOfFile(ratings.file.current(), (item) => items.text(item)),
  *window(rows, { options: { ratings, isWholeLog = false } }, items) {
    const asked = { ...ratings!, isCatalogueKnown: ratings!.isCatalogueKnown || isWholeLog };
    const file = items && new FilePropensities(items);
    const parts = yield* ratedParts(rows, file);
    const of = [parts, rows.catalogueSize, rows.models] as const;
    return yield* estimateRatings(...of, asked, file?.report(rows.window.to));
  },
  decides: ({ ratings }) => ratings?.decides !== undefined,
  verdicts({ windows: [{ from, to, ratings }] }, { ratings: asked }) {
    const metric = asked?.decides;
    // The first model, if nobody names one, as where differences are taken.
    const reference = asked?.reference ?? ratings?.models[0]?.model;
    if (metric === undefined || ratings === undefined || reference === undefined) return [];
    return ratingLook(ratings, { from, to, metric, reference });
  },
  readings: ratingReadings,
};

function* ratedParts(
  { parts, heavyFrom }: WindowRows,
  file: FilePropensities | undefined,
): Generator<void, RatedPart[]> {
  const rated: RatedPart[] = [];
  for (const { part, nameOf } of parts) {
    if (part.rated === undefined) continue;
    const lighter = ratingsOfLighterUsers(part.rated, heavyFrom);
    rated.push(file === undefined ? lighter : yield* file.of(lighter, nameOf!));
  }
  return rated;
}
