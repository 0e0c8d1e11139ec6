import { duration } from '../kinds.js';

/** Orchestrators mostly grant 30 s, and then end the process themselves. */
export const STOP_TIMEOUT = duration({
  description:
    'How long the service may take to stop, whatever does not answer. Keep it below the grace period of the orchestrator. What did not end in time is named, and the exit code is 1.',
  commands: ['serve'],
  least: '1s',
  default: '25s',
});
