/** A command of a shell example, and what is shown below it. */
export interface ShownCommand {
  readonly words: readonly string[];
  /** Lines that it prints; `…` stands for any number of lines. */
  readonly prints: readonly string[];
}

const CONTROL = /^(?:for .*; do|done)$/;
const WORD = /'([^']*)'|"([^"]*)"|([^\s'"]+)/g;
const COMMENT = /(?:^|\s)#.*$/;

/** Commands of a block: all its lines, or those after `$` where it shows what they print. */
export function commandsIn(text: string, showsOutput: boolean): ShownCommand[] {
  const commands: { words: string[]; prints: string[] }[] = [];
  for (const line of text.replace(/\\\n\s*/g, '').split('\n')) {
    const isCommand = showsOutput ? line.startsWith('$ ') : !CONTROL.test(line.trim());
    if (showsOutput && !isCommand) commands.at(-1)?.prints.push(line);
    else if (isCommand) {
      const words = wordsOf(line.replace(/^\$ /, ''));
      if (words.length > 0) commands.push({ words, prints: [] });
    }
  }
  return commands.map(({ words, prints }) => ({
    words,
    prints: prints.slice(0, lastLine(prints)),
  }));
}

function lastLine(lines: readonly string[]): number {
  return lines.findLastIndex((line) => line !== '') + 1;
}

export function wordsOf(command: string): string[] {
  return [...command.replace(COMMENT, '').matchAll(WORD)].map(
    ([, single, double, bare]) => single ?? double ?? bare,
  );
}

/** Whether a text holds lines in their order; without `…` between them they follow each other. */
export function printed(text: string, shown: readonly string[]): boolean {
  const pattern = shown
    .map((line) => (line === '…' ? '(?:.*\\n)*?' : `${escaped(line)}\\n`))
    .join('');
  return new RegExp(`^${pattern}`).test(text.endsWith('\n') ? text : `${text}\n`);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
