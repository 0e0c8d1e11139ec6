import { type Term, termsIn } from '../../rows/terms.js';
import { html, Markup } from './markup.js';
import { REPORT_STYLE } from './style.js';

/** Content security policy: inline styles only, so that the file loads nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** Content of a report page. */
export interface ReportPage {
  readonly title: string;
  readonly heading: string;
  readonly tagline: string;
  readonly figures: Markup | null;
  /** Content of the first page, which is complete on its own. */
  readonly first?: readonly Markup[];
  readonly sections: readonly (Markup | null)[];
  /** Description of the report's inputs. */
  readonly source?: Markup | null;
  readonly foot: string;
  /** Name of the environment, e.g. production; undefined if none is configured. */
  readonly environment?: string | undefined;
}

/** Render a self-contained page: no scripts, other files or network access. */
export function reportPage({
  title,
  heading,
  tagline,
  figures,
  first = [],
  sections,
  source = null,
  foot,
  environment,
}: ReportPage): string {
  const rest = html`${sections}${termsSection([...first, ...sections])}`;
  const within = environment === undefined ? '' : ` · ${environment}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>unskew: ${title}${within}</title>
<style>
${new Markup(REPORT_STYLE)}</style>
</head>
<body>
<header>
<h1>${heading}${environment === undefined ? null : html` <small class="environment">${environment}</small>`}</h1>
<p class="tagline">${tagline}</p>
${source}${figures}</header>
<main>
${first}${
  first.length === 0
    ? rest
    : html`<details class="appendix"><summary>Appendix: all numbers and how they were computed</summary>
${rest}</details>
`
}</main>
<footer><p>${foot}</p></footer>
</body>
</html>
`.text;
}

/** Render a glossary of the terms that occur in the sections; null without any. */
function termsSection(sections: ReportPage['sections']): Markup | null {
  const text = sections.map((section) => section?.text.replaceAll(/<[^>]*>/g, ' ') ?? '').join(' ');
  const terms = termsIn(text).flatMap(({ term }): Term[] => (term === undefined ? [] : [term]));
  if (terms.length === 0) return null;
  return html`<section aria-labelledby="terms">
<h2 id="terms">What the terms mean</h2>
<dl class="terms">${terms.map(({ names, meaning }) => html`<div><dt>${names[0]}</dt><dd>${meaning}</dd></div>`)}</dl>
</section>
`;
}
