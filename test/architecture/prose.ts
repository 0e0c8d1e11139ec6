import ts from 'typescript';

interface Stretch {
  readonly from: number;
  readonly to: number;
}

interface Literal extends Stretch {
  readonly isProse: boolean;
}

const CODE = /\.[cm]?[jt]s$/;
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/g;
const QUOTED_CODE = /`[^`\n\0]*`|(?<=@param )\w+/g;
/** A line break in a sentence, with what begins the next line of a comment. */
const LINE_BREAK = /\n[ \t]*(?:\/\/|\*(?!\/)|#)?/g;
/** Stands where there is no prose, so that no phrase runs across it. */
const NO_PROSE = '\0';

/**
 * The prose of a file, each character at its place: comments and texts of more than one word of a
 * program, all of any other file. Code in backquotes and names of parameters are left out.
 */
export function proseOf(path: string, text: string): string {
  if (!CODE.test(path)) return asSentences(text);
  const literals = literalsOf(path, text);
  const prose: Stretch[] = literals.filter(({ isProse }) => isProse);
  for (const { 0: comment, index } of without(text, literals).matchAll(COMMENT)) {
    prose.push({ from: index, to: index + comment.length });
  }
  prose.sort((a, b) => a.from - b.from);
  return asSentences(without(text, gapsBetween(prose, text.length)));
}

function asSentences(text: string): string {
  return text
    .replace(QUOTED_CODE, (code) => NO_PROSE.repeat(code.length))
    .replace(LINE_BREAK, (mark) => ' '.repeat(mark.length));
}

/** What stands between the quotes of strings and parts of templates; and regular expressions. */
function literalsOf(path: string, text: string): Literal[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const literals: Literal[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isLiteralExpression(node) || ts.isTemplateHead(node) || isTemplateEnd(node)) {
      const from = node.getStart(source) + 1;
      const to = node.end - 1;
      const isText = !ts.isRegularExpressionLiteral(node);
      literals.push({ from, to, isProse: isText && text.slice(from, to).includes(' ') });
    }
    node.forEachChild(visit);
  };
  visit(source);
  return literals.filter(({ from, to }) => to > from);
}

function isTemplateEnd(node: ts.Node): boolean {
  return ts.isTemplateMiddle(node) || ts.isTemplateTail(node);
}

function without(text: string, stretches: readonly Stretch[]): string {
  let rest = '';
  let at = 0;
  for (const { from, to } of stretches) {
    rest += text.slice(at, from) + NO_PROSE.repeat(to - from);
    at = to;
  }
  return rest + text.slice(at);
}

function gapsBetween(stretches: readonly Stretch[], length: number): Stretch[] {
  const gaps = stretches.map(({ from }, n) => ({ from: stretches[n - 1]?.to ?? 0, to: from }));
  return [...gaps, { from: stretches.at(-1)?.to ?? 0, to: length }];
}
