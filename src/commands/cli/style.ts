import { styleText } from 'node:util';
import type { HelpConfiguration } from 'commander';

/** Headings, names of commands and flags as help shows them; colours go where none are shown. */
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
