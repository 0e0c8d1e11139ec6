import { describe, expect, it } from 'vitest';
import { avroSchema } from '../../../../src/adapters/registry/avro.js';

const ran: string[] = [];
const CODE = 'globalThis.ranCode()';

const record = (more: object) => ({ type: 'record', name: 'Click', fields: [], ...more });
const typed = (type: object) => record({ fields: [{ name: 'a', type }] });

describe('an Avro schema', () => {
  // The package generates code of names.
  it.each([
    ['record', record({ name: `A(){};${CODE};function B` })],
    ['namespace', record({ namespace: `a');${CODE};('` })],
    ['alias', record({ aliases: [`A;${CODE}`] })],
    ['field', record({ fields: [{ name: `a=1;${CODE};//`, type: 'string' }] })],
    ['enum', typed({ type: 'enum', name: `a.E'];${CODE};//`, symbols: ['A'] })],
    ['symbol', typed({ type: 'enum', name: 'E', symbols: [`A';${CODE};//`] })],
    ['fixed', typed({ type: 'fixed', name: `a.F'];${CODE};//`, size: 2 })],
  ])('is rejected if a name is code (%s), and the code does not run', (_, schema) => {
    Object.assign(globalThis, { ranCode: () => ran.push(CODE) });
    expect(() => avroSchema(JSON.stringify(schema), [])).toThrow(/invalid .*name|invalid .*symbol/);
    expect(ran).toEqual([]);
    Reflect.deleteProperty(globalThis, 'ranCode');
  });
});
