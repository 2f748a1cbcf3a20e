/**
 * Limits the test pool to one proxy around the prototype of an object's class. It adds one with each object that starts
 * (`createProxyPrototypeClass` of @cloudflare/vitest-pool-workers up to 0.23.0; cloudflare/workers-sdk issue 15092), so
 * each call of an object would take longer than the one before.
 */
const wrapped = new WeakSet<object>();

globalThis.Proxy = new Proxy(Proxy, {
  construct(target, [object, handler]: [object, ProxyHandler<object>]) {
    if (wrapped.has(object)) return object;
    const proxy = new target(object, handler);
    if (object.constructor?.name === 'Class' && object.constructor.prototype === object) wrapped.add(proxy);
    return proxy;
  },
});
