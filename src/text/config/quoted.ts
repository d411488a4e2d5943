import type { KeyValue } from './keys.ts';

/** Text from outside as a message may show it: on one line, short, with nothing a terminal would act on. */
export function quoted(text: string): string {
  const inert = JSON.stringify(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapeCharacter);
  return inert.length > 60 ? `${inert.slice(0, 56)}..."` : inert;
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** A value as TOML source. JSON strings are TOML basic strings once DEL is escaped too. */
export function tomlText(value: KeyValue): string {
  if (typeof value === 'string') return JSON.stringify(value).replaceAll('\u007F', '\\u007F');
  if (typeof value === 'object') return `[${value.map((item) => tomlText(item)).join(', ')}]`;
  return String(value);
}
