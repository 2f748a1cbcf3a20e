import { inject } from 'vitest';
import type { Received } from './webhook-receiver.ts';

/** Creates an inbox of the receiver: an address for webhooks, and readers of its arrivals. */
export function createInbox(answers = '200') {
  const name = crypto.randomUUID();
  const receiver = inject('receiverUrl');
  return {
    url: `${receiver}/hook/${name}?answers=${answers}`,
    async answerWith(next: string): Promise<void> {
      await fetch(`${receiver}/answers/${name}?answers=${next}`, { method: 'POST' });
    },
    /** Returns the arrivals of another inbox. */
    async receivedBy(other: string): Promise<Received[]> {
      return (await fetch(`${receiver}/inbox/${other}`)).json();
    },
    async received(): Promise<Received[]> {
      return (await fetch(`${receiver}/inbox/${name}`)).json();
    },
  };
}
