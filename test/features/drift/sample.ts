import { simulated } from '../../support/frozen/logs.js';
import { type FeatureSample, without } from '../sample.js';

export const SAMPLE: FeatureSample = {
  events: simulated({ users: 12, durationMs: 7_200_000 }),
  asked: {
    'drift.detectors': 'cusum,psi,vanished',
    'drift.learn': 3,
    'drift.season': 'none',
    'time.tick': '15m',
    'time.windows': '15m,1h',
    'drift.window': '15m',
  },
  off: without('drift'),
  families: [],
  says: ({ drift = [], notices = [] }) => drift.length + notices.length,
};
