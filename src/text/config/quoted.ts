/** Text from outside as a message may show it: on one line, short, with nothing a terminal would act on. */
export function quoted(text: string): string {
  const inert = JSON.stringify(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapeCharacter);
  return inert.length > 60 ? `${inert.slice(0, 56)}..."` : inert;
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
