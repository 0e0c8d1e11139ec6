/** What an A/B test says, for whatever an output opens with. */
export type { AbAnswer } from './verdicts/answer.js';
export { meanOf } from './verdicts/test-findings.js';
export {
  meanDigits,
  rewardTitles,
  splitFlag,
  splitWords,
  testGrounds,
} from './verdicts/test-words.js';
