import { Agent, request } from 'node:http';

/** A queue that is measured: where it listens, and how a job gets in and out of it. */
export interface Subject {
  readonly name: string;
  /** Starts it with its files below a new folder. */
  start(folder: string): Promise<Running>;
}

export interface Running {
  /** Puts a job where nobody waits for it; ends when it is acknowledged as stored. */
  submit(): Promise<unknown>;
  /** Puts a job where a host waits for it, and says its name. Missing where nothing is handed over. */
  submitHeld?(): Promise<string>;
  /** Waits as a host does, and says which job it got. */
  hold?(): Promise<string>;
  /** Ends the job that was got last, so that nothing of it goes on. */
  finish?(job: string): Promise<unknown>;
  stop(): Promise<void>;
}

export interface BenchAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Connections stay open, as a client's do; one for each call at a time. */
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** The one client that all are measured with. Rejects unless the answer is a success. */
export function post(url: string, body: object, token?: string): Promise<BenchAnswer> {
  const text = JSON.stringify(body);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(text)),
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
  return new Promise((resolve, reject) => {
    const send = () => {
      const sent = request(url, { method: 'POST', headers, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const answer = Buffer.concat(chunks).toString();
          const status = response.statusCode ?? 0;
          if (status >= 300) reject(new Error(`${url} answered ${status}: ${answer}`));
          else resolve({ status, body: answer === '' ? {} : JSON.parse(answer) });
        });
      });
      // A server may close a connection that was idle in the moment that it is used again.
      sent.on('error', (error) => (sent.reusedSocket ? send() : reject(new Error(`${url}: ${error.message}`))));
      sent.end(text);
    };
    send();
  });
}
