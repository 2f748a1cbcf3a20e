/**
 * One job in 256 has an id like one of the second database and is looked for there first, with one more call. Tests
 * that count avoid such ids; `databases.test.ts` uses one.
 */
const draw = crypto.randomUUID.bind(crypto);

function randomUUID(): ReturnType<typeof draw> {
  const id = draw();
  return id.endsWith('02') ? randomUUID() : id;
}

Object.defineProperty(crypto, 'randomUUID', { value: randomUUID });

export {};
