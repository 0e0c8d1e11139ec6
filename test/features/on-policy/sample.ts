import { simulated } from '../../support/frozen/logs.js';
import type { FeatureSample } from '../sample.js';

export const SAMPLE: FeatureSample = {
  events: simulated({ users: 8, durationMs: 7_200_000, causedShare: 0.4, naming: 'caused' }),
  asked: { 'estimates.feedback': 'caution' },
  off: ({ estimates, ...options }) => ({
    ...options,
    estimates: { ...estimates, feedback: 'ignore' },
  }),
  families: ['on_policy'],
  says: ({ windows }) => windows[1]!.onPolicy?.values.length ?? 0,
};
