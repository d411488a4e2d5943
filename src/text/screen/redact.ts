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
