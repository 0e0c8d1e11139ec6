/** Result of an A/B test, and the texts about it with which outputs begin. */
export type { AbAnswer } from './verdicts/answer.js';
export { meanOf } from './verdicts/test-findings.js';
export {
  meanDigits,
  rewardTitles,
  splitFlag,
  splitWords,
  testGrounds,
} from './verdicts/test-words.js';
