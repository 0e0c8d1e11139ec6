/** Results of A/B tests for the opening of outputs. */
export type { AbAnswer } from './verdicts/answer.js';
export { meanOf } from './verdicts/test-findings.js';
export {
  meanDigits,
  rewardTitles,
  splitFlag,
  splitWords,
  testGrounds,
} from './verdicts/test-words.js';
