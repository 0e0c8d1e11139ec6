import type { Command } from 'commander';
import { UnskewError } from '../../errors.js';
import { wrapped } from '../../outputs/text/terminal.js';
import type { ProgramContext } from './bodies.js';
import { alertPage, codePages, pageText, termPage } from './explain.js';

/** Add `explain`: prints the documentation of a code, an alert or a term, or lists all codes. */
export function addExplain(command: Command, { io }: ProgramContext): void {
  command
    .argument(
      '[code]',
      'a code of the output, the name of an alert, or a term such as snips; without one, all codes are listed',
    )
    .action((code?: string) => {
      const pages = codePages();
      if (code === undefined) {
        for (const { codes } of pages) {
          io.stdout(`${wrapped(codes.join(', ')).join('\n')}\n`);
        }
        return;
      }
      const page =
        pages.find(({ codes }) => codes.includes(code)) ?? termPage(code) ?? alertPage(code);
      if (page === undefined) {
        throw new UnskewError('USAGE', `unknown code ${code}; unskew explain lists all codes`);
      }
      io.stdout(pageText(code, page));
    });
}
