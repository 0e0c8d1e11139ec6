// What is bundled: its licences, which it brings along, and a list of it for those who look for
// known faults of packages.
import { readdir, readFile } from 'node:fs/promises';

/**
 * @typedef {object} Bundled
 * @property {string} name
 * @property {string} version
 * @property {string} license its name
 * @property {string} text of the licence, or its name where the package has no text
 */

/**
 * The packages that files are of, by name.
 *
 * @param {string} root the folder that the paths start from
 * @param {readonly string[]} paths of files, of packages and others
 * @returns {Promise<Bundled[]>}
 */
export async function bundledPackages(root, paths) {
  const folders = new Set(
    paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
  const packages = await Promise.all([...folders].map((folder) => packageAt(`${root}${folder}`)));
  return packages.sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** @param {string} folder @returns {Promise<Bundled>} */
async function packageAt(folder) {
  const { name, version, license } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));
  const file = (await readdir(folder)).find((file) => /^licen[cs]e/i.test(file));
  return {
    name,
    version,
    license,
    text: file === undefined ? license : (await readFile(`${folder}/${file}`, 'utf8')).trim(),
  };
}

/** @param {readonly Bundled[]} packages */
export function licences(packages) {
  return packages
    .map(({ name, version, text }) => `${name} ${version}\n\n${text}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** The list in the CycloneDX format. @param {readonly Bundled[]} packages */
export function billOfMaterials(packages) {
  const components = packages.map(({ name, version, license }) => ({
    type: 'library',
    name,
    version,
    licenses: [{ expression: license }],
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  }));
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    components,
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}
