/** A secret as receivers keep it, out of its bytes. */
export declare function formatSigningSecret(bytes: Uint8Array): string;
/** The bytes of a secret; null for a text that is none. */
export declare function readSigningSecret(text: string): Uint8Array<ArrayBuffer> | null;
/**
 * The headers that a message goes with, signed under each secret of `formatSigningSecret`: several while one is being
 * replaced. `now` in milliseconds.
 */
export declare function signedHeaders(secrets: string | readonly string[], { id, body, now }: {
    readonly id: string;
    readonly body: string;
    readonly now: number;
}): Promise<Record<string, string>>;
/** Whether a message is signed under the secret, and of now. Compared in constant time. `now` in milliseconds. */
export declare function isSigned(secret: string, { header, body, now }: {
    header(name: string): string | null;
    readonly body: string;
    readonly now: number;
}): Promise<boolean>;
