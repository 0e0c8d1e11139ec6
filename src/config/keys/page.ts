import { text } from '../kinds.js';

/** What the page and reports say of themselves. */
export const PAGE = {
  environment: text({
    description:
      'Name of what is measured, such as production or staging: in the head and the tab of the page, in pictures of its charts, and in reports.',
    commands: ['serve', 'replay', 'evaluate'],
    pattern: '^[^\\p{Cc}]{1,60}$',
    expected: 'a name of up to 60 characters',
  }),
} as const;
