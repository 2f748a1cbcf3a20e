/**
 * One job in 256 has an id that reads like one of the second database, and is looked for there first, which costs one
 * call more. Tests that count do not meet it by chance; `databases.test.ts` has it on purpose.
 */
const draw = crypto.randomUUID.bind(crypto);

function randomUUID(): ReturnType<typeof draw> {
  const id = draw();
  return id.endsWith('02') ? randomUUID() : id;
}

Object.defineProperty(crypto, 'randomUUID', { value: randomUUID });

export {};
