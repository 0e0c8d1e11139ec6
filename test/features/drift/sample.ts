import { simulated } from '../../support/frozen/logs.js';
import { type FeatureSample, without } from '../sample.js';

export const SAMPLE: FeatureSample = {
  events: simulated({ users: 20, durationMs: 7_200_000 }),
  asked: {
    'drift.detectors': 'cusum,psi,vanished',
    'drift.learn': 3,
    'drift.season': 'none',
    'time.tick': '10m',
    'time.windows': '10m,1h',
    'drift.window': '10m',
  },
  off: without('drift'),
  families: [],
  says: ({ drift = [], notices = [] }) => drift.length + notices.length,
};
