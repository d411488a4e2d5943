import { FILTER_KEYS } from '../../core/model/task.ts';
import type { Filter } from '../../core/model/task.ts';
import { nearest } from '../config/nearest.ts';
import { parsePriority, PRIORITY_FORMS } from './priority.ts';

const isKey = (text: string): text is Filter['key'] => (FILTER_KEYS as readonly string[]).includes(text);

/** `story=S-005`, `priority<=2`; or what is wrong with it. */
export function parseFilter(text: string): Filter | string {
  const [, key = '', sign = '', value = ''] = /^([^<=]*)(<?=)(.*)$/s.exec(text) ?? [];
  const name = key.trim();
  if (sign === '') return `a filter is KEY=VALUE, with one of ${FILTER_KEYS.join(', ')}`;
  if (!isKey(name)) {
    const close = nearest(name, FILTER_KEYS);
    return `unknown key ${JSON.stringify(name)}${close === null ? '' : `; did you mean ${close}?`} known: ${FILTER_KEYS.join(', ')}`;
  }
  if (value.trim() === '') return `${name} of nothing`;
  if (name !== 'priority') {
    return sign === '=' ? { key: name, sign, value: value.trim() } : `only priorities are compared: ${name}=${value}`;
  }
  const priority = parsePriority(value);
  return priority === null
    ? `a priority is ${PRIORITY_FORMS}`
    : { key: name, sign: sign === '=' ? '=' : '<=', value: String(priority) };
}
