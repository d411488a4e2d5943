/** Bytes as text; null: they are not UTF-8, and could not be written back. */
export function textOf(bytes: Buffer): string | null {
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : null;
}
