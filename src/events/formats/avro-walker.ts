import { type AvroReaders, blocks, indexOf, lengthOf, longAt } from './avro-reader.js';
import type { Cursor } from './cursor.js';
import { type Plan, planUnder, Unplanned } from './plan.js';
import type { AvroNode } from './schema.js';
import { type EventSink, takesOf } from './sink.js';
import { EACH } from './wanted.js';

/** Reads one value and takes what is asked for of it to a sink. */
export type Walk = (at: Cursor, sink: EventSink) => void;

/**
 * The fast way through an Avro value: texts stay where they are, and no object is made. Values of avsc
 * that are written to the draft take 1.5 to 1.7 times as long (`npm run bench -- formats`).
 *
 * @param skips  passes over what nobody asks for
 * @throws Unplanned where the schema has something else in a place than its field takes
 */
export function avroWalk(node: AvroNode, plan: Plan, skips: AvroReaders): Walk {
  const [field] = plan.captures;
  if (plan.captures.length > 1) throw new Unplanned();
  if (node.kind === 'union') {
    const branches = node.of.map((branch) =>
      branch.kind === 'null' ? skips.read(branch) : avroWalk(branch, plan, skips),
    );
    const { length } = branches;
    return (at, sink) => branches[indexOf(at, length, 'a union')](at, sink);
  }
  if (field !== undefined) {
    if (plan.parts.size > 0) throw new Unplanned();
    return captured(node, field);
  }
  switch (node.kind) {
    case 'record': {
      const steps = node.fields.map(({ name, aliases, type }): Walk => {
        const part = planUnder(plan, [name, ...aliases]);
        return part === undefined ? skips.read(type) : avroWalk(type, part, skips);
      });
      return (at, sink) => {
        for (let n = 0; n < steps.length; n++) steps[n](at, sink);
      };
    }
    case 'array': {
      const part = plan.parts.get(EACH);
      if (part === undefined || plan.parts.size > 1) throw new Unplanned();
      const entry = avroWalk(node.of, part, skips);
      return (at, sink) => blocks(at, entry, sink);
    }
    case 'map': {
      const skip = skips.read(node.of);
      const walks = new Map(
        [...plan.parts].map(([key, of]) => [key, avroWalk(node.of, of, skips)]),
      );
      const entry: Walk = (at, sink) => {
        const length = lengthOf(at);
        const start = at.take(length);
        (walks.get(at.text(start, start + length)) ?? skip)(at, sink);
      };
      return (at, sink) => blocks(at, entry, sink);
    }
    default:
      throw new Unplanned();
  }
}

function captured(node: AvroNode, field: number): Walk {
  const takes = takesOf(field);
  const logical = 'logical' in node ? node.logical : undefined;
  switch (node.kind) {
    case 'string':
      if (takes !== 'text') break;
      return (at, sink) => {
        const length = lengthOf(at);
        const start = at.take(length);
        sink.range(field, start, start + length);
      };
    case 'enum': {
      const { symbols } = node;
      if (takes !== 'text') break;
      return (at, sink) => sink.word(field, symbols[indexOf(at, symbols.length, 'an enum')]);
    }
    case 'int':
    case 'long': {
      if (logical?.is === 'timestamp') {
        if (takes !== 'moment') break;
        const { perMs } = logical;
        return (at, sink) => sink.instant(Math.floor(Number(longAt(at)) / perMs));
      }
      if (takes === 'moment') return (at, sink) => sink.moment(Number(longAt(at)));
      if (takes === 'number') return (at, sink) => sink.number(field, Number(longAt(at)));
      if (takes === 'text') return (at, sink) => sink.integer(field, longAt(at));
      break;
    }
    case 'float':
      if (takes === 'number') return (at, sink) => sink.number(field, at.float32());
      break;
    case 'double':
      if (takes === 'number') return (at, sink) => sink.number(field, at.float64());
      break;
    case 'boolean':
      if (takes !== 'flag') break;
      return (at, sink) => {
        const byte = at.bytes[at.take(1)];
        if (byte > 1) sink.isDeclined = true;
        sink.flag(field, byte === 1);
      };
    default:
  }
  throw new Unplanned();
}
