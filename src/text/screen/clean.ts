import { redact } from './redact.ts';

/* Text that is not ours (titles, branch names, agent output) must not move the cursor, recolour the
   screen, write the clipboard or turn the reading order around. */

// An escape sequence with its payload, also one that never ends: OSC/DCS/PM/APC strings, CSI, single escapes.
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c|$)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g;
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Keeps line breaks and tabs; drops everything else that acts instead of being shown, and keys. */
export function cleanText(text: string): string {
  return redact(text.replaceAll('\r\n', '\n').replaceAll(SEQUENCES, '').replaceAll(CONTROLS, ''));
}

/** The same on one line. */
export function cleanLine(text: string): string {
  return cleanText(text)
    .replaceAll(/[\n\t]+/g, ' ')
    .trim();
}

/** The same, and no longer than this; of a megabyte only the beginning is looked at. */
export function shortLine(text: string, most: number): string {
  const line = cleanLine(text.slice(0, most * 4)).replaceAll(/ {2,}/g, ' ');
  return line.length > most ? `${cutChars(line, most - 1)}…` : line;
}

/** The beginning of a text; a cut inside a pair of surrogates would leave half a character. */
export function cutChars(text: string, most: number): string {
  return text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
}
