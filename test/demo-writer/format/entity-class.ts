import type { BitWriter } from '#demo-format/bit-writer.ts';
import { CLASS_NAMES, CLASSES, type ClassName } from './classes.ts';
import { type FieldSpec, type Serializer, valueWriterOf, type WriteValue, type WrittenValue } from './field-codec.ts';
import { type FieldPath, writeFieldPaths } from './field-path.ts';

interface Leaf {
  readonly path: FieldPath;
  readonly write: WriteValue;
}

/** A class ready to encode: its fields by flattened name, such as `CBodyComponent.m_cellX`, in ascending path order. */
export interface EntityClass {
  readonly id: number;
  readonly name: ClassName;
  readonly indexByField: ReadonlyMap<string, number>;
  readonly leaves: readonly Leaf[];
}

/** Field values by position in `EntityClass.leaves`; undefined if never set. */
export type FieldValues = (WrittenValue | undefined)[];

const byName = new Map<ClassName, EntityClass>(CLASS_NAMES.map((name, id) => [name, flatten(id, name)]));

export function entityClass(name: ClassName): EntityClass {
  const found = byName.get(name);
  if (found === undefined) throw new Error(`no class ${name}`);
  return found;
}

function flatten(id: number, name: ClassName): EntityClass {
  const leaves: Leaf[] = [];
  const indexByField = new Map<string, number>();
  const add = (field: FieldSpec, path: FieldPath, fullName: string): void => {
    indexByField.set(fullName, leaves.length);
    leaves.push({ path, write: valueWriterOf(field) });
    const list = /^(?!char\b)(?<type>.+)\[(?<count>\d+)\]$/.exec(field.type)?.groups;
    if (list !== undefined) {
      const write = valueWriterOf({ ...field, type: list.type ?? '' });
      for (let part = 0; part < Number(list.count); part++) {
        indexByField.set(`${fullName}.${part}`, leaves.length);
        leaves.push({ path: [...path, part], write });
      }
    }
    for (const parts of [field.serializer, ...(field.variants ?? [])])
      if (parts !== undefined) walk(parts, path, `${fullName}.`);
  };
  const walk = (serializer: Serializer, path: FieldPath, prefix: string): void => {
    serializer.fields.forEach((field, index) => {
      add(field, [...path, index], prefix + field.name);
    });
  };
  walk(CLASSES[name], [], '');
  return { id, name, indexByField, leaves };
}

/** Writes the paths of the named leaves, then their values: the payload of a baseline, a creation or an update. */
export function writeFields(
  out: BitWriter,
  entity: EntityClass,
  values: FieldValues,
  changed: readonly number[],
): void {
  const leaves = changed.map((index) => {
    const leaf = entity.leaves[index];
    const value = values[index];
    if (leaf === undefined || value === undefined) throw new Error(`${entity.name} has no value at leaf ${index}`);
    return { leaf, value };
  });
  writeFieldPaths(
    out,
    leaves.map(({ leaf }) => leaf.path),
  );
  for (const { leaf, value } of leaves) leaf.write(out, value);
}
