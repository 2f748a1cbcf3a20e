import { Agent, request } from 'node:http';

/** A queue to be measured. */
export interface Subject {
  readonly name: string;
  /** Starts it with its files in a new folder. */
  start(folder: string): Promise<Running>;
}

export interface Running {
  /** Submits a job that no host waits for. Resolves when it is stored. */
  submit(): Promise<unknown>;
  /** Submits a job that a host waits for, and returns its id. Missing without hand-over. */
  submitHeld?(): Promise<string>;
  /** Waits like a host, and returns the id of the job that it got. */
  hold?(): Promise<string>;
  /** Ends the last job. */
  finish?(job: string): Promise<unknown>;
  stop(): Promise<void>;
}

export interface BenchAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Connections stay open, like a client's; one for each concurrent call. */
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Returns the client of all subjects. Rejects unless the answer is a success. */
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
      // A server may close an idle connection at the moment of its reuse.
      sent.on('error', (error) => (sent.reusedSocket ? send() : reject(new Error(`${url}: ${error.message}`))));
      sent.end(text);
    };
    send();
  });
}
