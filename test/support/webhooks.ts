import { inject } from 'vitest';
import type { Received } from './webhook-receiver.ts';

/** A fresh inbox at the receiver: where to send webhooks, and how to read what came. */
export function createInbox(answers = '200') {
  const name = crypto.randomUUID();
  const receiver = inject('receiverUrl');
  return {
    url: `${receiver}/hook/${name}?answers=${answers}`,
    async answerWith(next: string): Promise<void> {
      await fetch(`${receiver}/answers/${name}?answers=${next}`, { method: 'POST' });
    },
    /** What came to another inbox. */
    async receivedBy(other: string): Promise<Received[]> {
      return (await fetch(`${receiver}/inbox/${other}`)).json();
    },
    async received(): Promise<Received[]> {
      return (await fetch(`${receiver}/inbox/${name}`)).json();
    },
  };
}
