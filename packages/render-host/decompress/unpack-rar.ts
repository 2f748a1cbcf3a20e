import { superviseChild } from '../machine/supervised-child.ts';
import { MachineError } from '../machine/system-error.ts';
import { RefusedArchive } from './choose-demo.ts';
import type { RarMessage } from './rar-child.ts';
import type { UnpackTask } from './unpack-stream.ts';

/** The archive, its largest dictionary of 64 MB and the program. libarchive refuses larger dictionaries. */
const MEMORY_MEGABYTES = 2048;

/**
 * Unpacks a demo from a RAR file, as HLTV serves them, in a process of its own: RAR is the one format here whose
 * decoder is C, though compiled to WebAssembly. Returns the names of all demos in it.
 */
export async function unpackRar({ inPath, outPath, limit, wanted, signal }: UnpackTask): Promise<readonly string[]> {
  const messages: RarMessage[] = [];
  const fault = await superviseChild<RarMessage>({
    module: new URL('./rar-child.ts', import.meta.url),
    args: [inPath, outPath, `${limit}`, JSON.stringify(wanted)],
    ...{ what: 'unpacking', memoryMegabytes: MEMORY_MEGABYTES, signal },
    onMessage: (message) => messages.push(message),
  });
  signal.throwIfAborted();
  const [message] = messages;
  if (message?.type === 'done') return message.demos;
  if (message?.facts !== undefined) throw new RefusedArchive(message.detail, message.facts);
  const { detail, isMachineError } = message ??
    fault ?? { detail: 'its process gave no answer', isMachineError: false };
  throw isMachineError ? new MachineError(detail) : new Error(detail);
}
