import type { ConfigKey } from './keys.ts';

const TRUE = new Set(['true', 'yes', 'on', '1']);
const FALSE = new Set(['false', 'no', 'off', '0']);
const NUMBER = /^[+-]?\d+(\.\d+)?$/;

/** Turns the text of a variable or flag into what a file would hold; text that does not fit stays text, for the check to refuse. */
export function valueFromText(key: ConfigKey, text: string): unknown {
  switch (key.type.kind) {
    case 'flag': {
      const word = text.trim().toLowerCase();
      return TRUE.has(word) ? true : FALSE.has(word) ? false : text;
    }
    case 'count':
    case 'amount':
    case 'duration':
    case 'auto-count':
    case 'auto-duration':
      return NUMBER.test(text.trim()) ? Number(text) : text.trim();
    case 'texts':
    case 'people':
    case 'shell-lines':
    case 'argv':
    case 'variable-names':
      return listFromText(text.trim());
    case 'text':
    case 'pattern':
    case 'choice':
    case 'landing-template':
    case 'shell-line':
    case 'variable':
      return text;
  }
}

/** A JSON list, or items between commas: commands that hold a comma need the JSON form. */
function listFromText(text: string): unknown {
  if (text === '') return [];
  if (!text.startsWith('[')) return text.split(',').map((item) => item.trim());
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
