/**
 * Each request of a test takes a connection of its own: one that is kept may be closed by the other end in the moment
 * in which it is used again, and on a busy machine it is. Node's `fetch` takes its dispatcher from here.
 */
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');

// It is there from the first request on.
await fetch('data:,');
const { constructor: Agent } = Reflect.get(globalThis, DISPATCHER);
Reflect.set(globalThis, DISPATCHER, new Agent({ pipelining: 0 }));

export {};
