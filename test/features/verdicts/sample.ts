import { simulated } from '../../support/frozen/logs.js';
import { type FeatureSample, without } from '../sample.js';

const DAY_MS = 86_400_000;

export const SAMPLE: FeatureSample = {
  events: simulated({ users: 20, cycleMs: DAY_MS, durationMs: 3 * DAY_MS }),
  asked: {
    'decision.metric': 'recall@5',
    'popularity.horizon': '10d',
    'dedupe.ttl': '5d',
    'time.tick': '12h',
    'time.windows': '1d,2d',
  },
  off: without('decision'),
  families: [],
  says: ({ verdicts = [] }) => verdicts.length,
};
