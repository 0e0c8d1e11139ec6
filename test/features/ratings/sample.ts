import { RATED, rated, simulated } from '../../support/frozen/logs.js';
import { type FeatureSample, without } from '../sample.js';

export const SAMPLE: FeatureSample = {
  events: rated(simulated({ users: 20, durationMs: 7_200_000 })),
  asked: {
    ...RATED,
    'catalogue.size': 60,
    'estimates.metrics': 'recall,mae,cg',
    'estimates.ks': '5',
  },
  off: without('ratings'),
  families: ['ratings'],
  says: ({ windows }) => windows[1]!.ratings?.estimates.length ?? 0,
};
