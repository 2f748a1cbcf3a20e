/**
 * Gives each request of a test its own connection: the other end may close a kept one just when it is reused, which
 * happens on a busy machine. Node's `fetch` uses this dispatcher.
 */
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');

// Exists after the first request.
await fetch('data:,');
const { constructor: Agent } = Reflect.get(globalThis, DISPATCHER);
Reflect.set(globalThis, DISPATCHER, new Agent({ pipelining: 0 }));

export {};
