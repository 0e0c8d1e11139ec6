import { duration } from '../kinds.js';

/** Orchestrators mostly grant 30 s, and then end the process themselves. */
export const STOP_TIMEOUT = duration({
  description:
    'How long the service may take to end when it is asked to, whatever does not answer. Keep it below what the orchestrator grants. What did not end by then is named, and the exit code is 1.',
  commands: ['serve'],
  least: '1s',
  default: '25s',
});
