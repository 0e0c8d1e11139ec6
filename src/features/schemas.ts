import { type Static, type TObject, Type } from 'typebox';
import type { Wire } from '../rows/row.js';
import { Alarm, Notice } from './drift/schema.js';
import { OnPolicyReport } from './on-policy/schema.js';
import { RatingsReport } from './ratings/schema.js';
import { VALUES, VALUES_COMPARED } from './values/schema.js';
import { Verdicts } from './verdicts/schema.js';
import { ItemLists } from './why/schema.js';

const REPORTS = {
  onPolicy: Type.Optional(OnPolicyReport),
  values: VALUES,
  ratings: Type.Optional(RatingsReport),
};

/** The reports as version 1 of the JSON has them. */
export type FeaturesV1 = Wire<Static<TObject<typeof REPORTS & typeof VALUES_COMPARED>>>;

/** The shapes of what features say of a window, as OpenAPI and the browser have them. */
export const FEATURE_SCHEMAS = {
  ...REPORTS,
  ...VALUES_COMPARED,
};

const { sampleRatio: _, controlAway: __, ...live } = FEATURE_SCHEMAS;
/** The same in a tick of the stream. */
export const LIVE_SCHEMAS = live;

/** What they say of a tick of the stream. */
export const TICK_SCHEMAS = {
  alarms: Type.Array(Alarm),
  notices: Type.Optional(Type.Array(Notice)),
};

/** What they say of a snapshot. */
export const SNAPSHOT_SCHEMAS = {
  alarms: Type.Optional(TICK_SCHEMAS.alarms),
  notices: Type.Optional(Type.Array(Notice, { description: 'What is new and no alarm' })),
  verdicts: Type.Optional(Verdicts),
};

/** What they say of an item. */
export const ITEM_SCHEMAS = { lists: ItemLists };
