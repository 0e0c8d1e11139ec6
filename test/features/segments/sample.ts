import { SEGMENTED, segmented, simulated } from '../../support/frozen/logs.js';
import { type FeatureSample, without } from '../sample.js';

export const SAMPLE: FeatureSample = {
  events: segmented(simulated({ users: 25, durationMs: 7_200_000 })),
  asked: SEGMENTED,
  off: without('segments'),
  families: [],
  says: ({ windows }) => windows[1]!.segments?.numbers.length ?? 0,
};
