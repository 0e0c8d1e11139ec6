import { missingData, publishedData } from '../support/published-data.js';
import { movedRows, saveTables } from './saved.js';
import { format, type Table } from './table.js';
import { REPRODUCTIONS } from './tables.js';

/**
 * `npm run reproduce [-- name… --save]`: the papers' tables beside ours; exits with 1 where a row is
 * off, or is not as saved. `--save` keeps them for the page of docs that shows them.
 */
const isSaved = process.argv.includes('--save');
const asked = process.argv.slice(2).filter((name) => name !== '--save');
const unknown = asked.filter((name) => REPRODUCTIONS[name] === undefined);
if (unknown.length > 0) {
  const names = Object.keys(REPRODUCTIONS).join(', ');
  process.stderr.write(`no reproduction ${unknown.join(', ')}; there are ${names}\n`);
  process.exit(2);
}
const tables: Table[] = [];
const moved: string[] = [];
for (const name of asked.length > 0 ? asked : Object.keys(REPRODUCTIONS)) {
  const { data, make } = REPRODUCTIONS[name]!;
  if (data !== undefined && publishedData(data) === undefined) {
    process.stderr.write(missingData(name, data));
    continue;
  }
  const made = await make();
  for (const table of made) process.stdout.write(`${format(table)}\n`);
  tables.push(...made);
  if (isSaved) saveTables(name, made, Object.keys(REPRODUCTIONS));
  else moved.push(...movedRows(name, made));
}
const held = tables.flatMap(({ rows }) => rows).filter(({ heldTo }) => heldTo !== '–');
const off = held.filter(({ isOk }) => !isOk);
process.stdout.write(`${held.length - off.length} of ${held.length} numbers within tolerance\n`);
for (const { what } of off) process.stdout.write(`off: ${what}\n`);
for (const line of moved) process.stdout.write(`moved: ${line}\n`);
process.exitCode = off.length + moved.length === 0 ? 0 : 1;
