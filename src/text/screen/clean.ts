/* Text that is not ours (titles, branch names, agent output) must not move the cursor, recolour the
   screen, write the clipboard or turn the reading order around. */

// An escape sequence with its payload, also one that never ends: OSC/DCS/PM/APC strings, CSI, single escapes.
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c|$)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g;
// Controls, marks of reading order, and letters that take no room: what is shown is all there is.
const CONTROLS =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}]/gu;

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

/* What looks like a key is not shown: output of agents and gates is read over shoulders, recorded and pasted into reports. */

/** Forms that services give their keys, so that nothing else has them. */
const KEYS = [
  /\bsk-[\w-]{20,}/,
  /\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{30,}/,
  /\bgithub_pat_\w{30,}/,
  /\bglpat-[\w-]{20,}/,
  /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/,
  /\bhf_[A-Za-z0-9]{30,}/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bxox[abeoprs]-[\w-]{10,}/,
  /\bAIza[\w-]{35}/,
  /\bnpm_[A-Za-z0-9]{36}/,
  /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/,
];
const KEY = new RegExp(KEYS.map(({ source }) => source).join('|'), 'g');
/** As in `https://me:secret@host`. */
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/gi;
/** As in `API_KEY=…` and `"password": "…"`. */
const NAMED =
  /(\b\w*(?:token|secret|password|passwd|(?:api|access|private|secret|signing)[_-]?key)"?\s*[=:]\s*["']?)([^\s"',;]{8,})/gi;
const BEARER = /(\bbearer\s+)[\w.~+/=-]{16,}/gi;
const PEM = /(-----BEGIN [A-Z ]*PRIVATE KEY-----)[^]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g;

const SHOWN_CHARS = 4;
const HIDDEN = '[redacted]';

/** The text with the beginning of each key at most. */
export function redact(text: string): string {
  return text
    .replace(PEM, `$1${HIDDEN}$2`)
    .replace(KEY, (found) => `${found.slice(0, SHOWN_CHARS)}${HIDDEN}`)
    .replace(BEARER, `$1${HIDDEN}`)
    .replace(URL_PASSWORD, `$1${HIDDEN}`)
    .replace(NAMED, (whole, name: string, value: string) => (value.includes(HIDDEN) ? whole : `${name}${HIDDEN}`));
}
