import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const FENCED = /^( *```+)[\s\S]*?^\1$/gm;
const INLINE_CODE = /`[^`\n]*`/g;
const LINK = /\]\(([^)\s]+)\)/g;
const HEADING = /^#{1,6} +(.+?) *$/gm;
const IS_ELSEWHERE = /^[a-z]+:/;
const FOLDERS = ['docs', '.github', 'deploy'];

/** Documents whose links are checked: at the root, and below the folders that hold documents. */
export function linkedDocuments(root: string): string[] {
  const top = readdirSync(root).filter((name) => name.endsWith('.md'));
  const below = FOLDERS.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  );
  return [...top, ...below];
}

/** Links to files or headings that are not there, and pages of `docs` that nothing in README leads to. */
export function linkFaults(root: string): string[] {
  const documents = linkedDocuments(root);
  const faults = documents.flatMap((document) => deadLinks(root, document));
  if (!documents.includes('README.md')) return faults;
  const reached = reachedFrom(root, 'README.md');
  const lost = documents.filter((document) => /^docs\//.test(document) && !reached.has(document));
  return [...faults, ...lost.map((document) => `no link leads from README.md to ${document}`)];
}

function deadLinks(root: string, document: string): string[] {
  return linksOf(root, document).flatMap(({ link, file, anchor }) => {
    const path = join(root, file);
    if (!existsSync(path)) return [`${document} links to ${link}, which is not there`];
    if (anchor === undefined || !file.endsWith('.md')) return [];
    const isThere = anchors(readFileSync(path, 'utf8')).has(anchor);
    return isThere ? [] : [`${document} links to ${link}, but ${file} has no such heading`];
  });
}

function reachedFrom(root: string, start: string): Set<string> {
  const reached = new Set([start]);
  for (const document of reached) {
    for (const { file } of linksOf(root, document)) {
      if (file.endsWith('.md') && existsSync(join(root, file))) reached.add(file);
    }
  }
  return reached;
}

interface Link {
  readonly link: string;
  /** From the root. */
  readonly file: string;
  readonly anchor: string | undefined;
}

/** Links of a document to files, not to other places. */
export function linksOf(root: string, document: string): Link[] {
  const text = readFileSync(join(root, document), 'utf8')
    .replace(FENCED, '')
    .replace(INLINE_CODE, 'code');
  return [...text.matchAll(LINK)]
    .map(([, link]) => link)
    .filter((link) => !IS_ELSEWHERE.test(link))
    .map((link) => {
      const [path, anchor] = decodeURIComponent(link).split('#');
      const place = path === '' ? document : join(dirname(document), path);
      return { link, file: relative(root, resolve(root, place)), anchor };
    });
}

/** The anchors that forges give to headings. */
function anchors(markdown: string): Set<string> {
  const seen = new Set<string>();
  for (const [, title] of markdown.replace(FENCED, '').matchAll(HEADING)) {
    const slug = title
      .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let n = 1; seen.has(anchor); n++) anchor = `${slug}-${n}`;
    seen.add(anchor);
  }
  return seen;
}
