import { type Static, type TObject, Type } from 'typebox';
import { LEADING_NUMBERS } from '../rows/leading-numbers.js';
import type { Wire } from '../rows/row.js';
import { OnPolicyReport } from './on-policy/schema.js';
import { RatingsReport } from './ratings/schema.js';
import { VALUE_DIFFERENCES, VALUES, VALUES_TESTED } from './values/schema.js';
import { Experiment, Verdicts } from './verdicts/schema.js';
import { ItemLists } from './why/schema.js';

const REPORTS = {
  onPolicy: Type.Optional(OnPolicyReport),
  values: VALUES,
  ratings: Type.Optional(RatingsReport),
  valueDifferences: VALUE_DIFFERENCES,
};

const LEADS = Type.Optional(
  Type.Enum([...LEADING_NUMBERS], {
    description: 'Which numbers to read first; only if estimates.feedback is not ignore',
  }),
);

/** JSON schemas of features' reports on a window, for OpenAPI and the browser. */
export const FEATURE_SCHEMAS = {
  ...REPORTS,
  ...VALUES_TESTED,
  leads: LEADS,
};

/** Features' reports on a window in version 1 of the JSON. */
export type FeaturesV1 = Wire<Static<TObject<typeof FEATURE_SCHEMAS>>>;

/** JSON schemas of features' reports on a window in a tick of the live stream. */
export const LIVE_SCHEMAS = {
  ...REPORTS,
  leads: LEADS,
};

/** JSON schemas of features' reports on a snapshot. */
export const SNAPSHOT_SCHEMAS = {
  verdicts: Type.Optional(Verdicts),
  experiment: Type.Optional(Experiment),
};

/** JSON schemas of features' reports on an item. */
export const ITEM_SCHEMAS = { lists: ItemLists };
