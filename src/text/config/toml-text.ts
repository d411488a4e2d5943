import type { KeyValue } from './keys.ts';

/** A value as TOML source. JSON strings are TOML basic strings once DEL is escaped too. */
export function tomlText(value: KeyValue): string {
  if (typeof value === 'string') return JSON.stringify(value).replaceAll('\u007F', '\\u007F');
  if (typeof value === 'object') return `[${value.map((item) => tomlText(item)).join(', ')}]`;
  return String(value);
}
