import { post } from './subject.ts';

export type PeerName = 'graphile-worker' | 'bullmq' | 'nats' | 'restate';

export interface Backend {
  /** Ends when the peer says that the job is stored. `isHeld`: a worker waits for it. */
  submit(id: string, isHeld: boolean): Promise<unknown>;
}

/** Loads a package out of the folder that the benchmark installed it into. */
type Load = (name: string) => unknown;
type Connect = (load: Load, ports: readonly number[], arrive: (job: string) => void) => Promise<Backend>;

const LOOPBACK = '127.0.0.1';

/** How each peer takes a job and gives it to a worker, by its own client. */
export const CONNECT: Record<PeerName, Connect> = {
  async 'graphile-worker'(load, [port], arrive) {
    const { makeWorkerUtils, run } = load('graphile-worker') as Graphile;
    const connectionString = `postgres://postgres@${LOOPBACK}:${port}/postgres`;
    const utils = await makeWorkerUtils({ connectionString, maxPoolSize: 32 });
    await utils.migrate();
    const taskList = { work: async (payload: { id: string }) => arrive(payload.id) };
    await run({ connectionString, concurrency: 4, noHandleSignals: true, taskList });
    return { submit: (id, isHeld) => utils.addJob(isHeld ? 'work' : 'idle', { id }) };
  },

  async bullmq(load, [port], arrive) {
    const { Queue, Worker } = load('bullmq') as BullMq;
    const connection = { host: LOOPBACK, port, maxRetriesPerRequest: null };
    const held = new Queue('held', { connection });
    const unheld = new Queue('unheld', { connection });
    new Worker('held', async ({ data }: { data: { id: string } }) => arrive(data.id), { connection, concurrency: 4 });
    return { submit: (id, isHeld) => (isHeld ? held : unheld).add('job', { id }) };
  },

  async nats(load, [port], arrive) {
    const { connect } = load('nats') as Nats;
    const connection = await connect({ servers: `${LOOPBACK}:${port}` });
    const manager = await connection.jetstreamManager();
    await manager.streams.add({ name: 'jobs', subjects: ['jobs.*'], storage: 'file' });
    await manager.consumers.add('jobs', { durable_name: 'work', ack_policy: 'explicit', filter_subject: 'jobs.work' });
    const stream = connection.jetstream();
    const consumer = await stream.consumers.get('jobs', 'work');
    const messages = await consumer.consume();
    void (async () => {
      for await (const message of messages) {
        arrive(message.string());
        message.ack();
      }
    })();
    const encoder = new TextEncoder();
    return { submit: (id, isHeld) => stream.publish(isHeld ? 'jobs.work' : 'jobs.idle', encoder.encode(id)) };
  },

  async restate(load, [ingress, admin, own], arrive) {
    const { endpoint, service } = load('@restatedev/restate-sdk') as Restate;
    const handlers = {
      work: async (_: unknown, { id }: { id: string }) => arrive(id),
      idle: async () => {},
    };
    await endpoint()
      .bind(service({ name: 'jobs', handlers }))
      .listen(own);
    await post(`http://${LOOPBACK}:${admin}/deployments`, { uri: `http://${LOOPBACK}:${own}` });
    const url = `http://${LOOPBACK}:${ingress}/jobs`;
    return { submit: (id, isHeld) => post(`${url}/${isHeld ? 'work' : 'idle'}/send`, { id }) };
  },
};

// What is used of the peers' clients: they are no packages of this repository.

interface Graphile {
  makeWorkerUtils(options: object): Promise<{
    migrate(): Promise<void>;
    addJob(task: string, payload: object): Promise<unknown>;
  }>;
  run(options: object): Promise<unknown>;
}

interface BullMq {
  readonly Queue: new (name: string, options: object) => { add(name: string, data: object): Promise<unknown> };
  readonly Worker: new (
    name: string,
    work: (job: { data: { id: string } }) => Promise<void>,
    options: object,
  ) => object;
}

interface Nats {
  connect(options: object): Promise<{
    jetstreamManager(): Promise<{
      readonly streams: { add(config: object): Promise<unknown> };
      readonly consumers: { add(stream: string, config: object): Promise<unknown> };
    }>;
    jetstream(): {
      publish(subject: string, data: Uint8Array): Promise<unknown>;
      readonly consumers: {
        get(stream: string, name: string): Promise<{ consume(): Promise<AsyncIterable<NatsMessage>> }>;
      };
    };
  }>;
}

interface NatsMessage {
  string(): string;
  ack(): void;
}

interface Restate {
  service(definition: object): object;
  endpoint(): { bind(service: object): { listen(port: number | undefined): Promise<unknown> } };
}
