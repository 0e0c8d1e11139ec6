import { SERVED, simulated } from '../../support/frozen/logs.js';
import { type FeatureSample, without } from '../sample.js';

const events = simulated({ ...SERVED, users: 40, durationMs: 7_200_000 });
/** The horizon of all requests has passed when the log ends. */
const LAST = Number(events.at(-1)!.ts) - 900_000;

export const SAMPLE: FeatureSample = {
  events: events.filter(({ type, ts }) => type === 'interaction' || Number(ts) < LAST),
  asked: { 'value.horizon': '10m' },
  off: without('value'),
  families: ['values'],
  says: ({ windows }) => windows[1]!.values?.length ?? 0,
};
