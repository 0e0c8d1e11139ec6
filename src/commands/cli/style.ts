import { styleText } from 'node:util';
import type { HelpConfiguration } from 'commander';

/** Style of headings, commands and flags in the help. Commander strips colours if not supported. */
export const HELP_STYLE: HelpConfiguration = {
  showGlobalOptions: false,
  subcommandTerm: (command) => command.name(),
  styleTitle: heading,
  styleSubcommandTerm: word,
  styleOptionTerm: word,
  styleArgumentTerm: word,
};

export function heading(text: string): string {
  return styleText('bold', text, { validateStream: false });
}

export function word(text: string): string {
  return styleText('cyan', text, { validateStream: false });
}
