import { AppError } from '../../core/errors.ts';
import type { Call } from '../cli/handler.ts';
import type { Answer } from '../verbs/answer.ts';
import type { CallerPlace } from '../verbs/caller.ts';
import { addMemory, listMemories, searchMemories } from '../verbs/memories.ts';
import { block, done, progress, proposeTask } from '../verbs/report.ts';
import { showTask } from '../verbs/show-task.ts';

/** One verb as an MCP tool. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly isReadOnly: boolean;
  /** Every argument is a text, but for those that are lists of texts. */
  readonly parameters: readonly Parameter[];
  readonly call: (call: Call, place: CallerPlace, given: Given) => Promise<Answer>;
}

export interface Parameter {
  readonly name: string;
  readonly about: string;
  readonly isRequired: boolean;
  readonly isList?: true;
}

export interface Given {
  readonly text: (name: string) => string;
  readonly texts: (name: string) => readonly string[];
}

const required = (name: string, about: string): Parameter => ({ name, about, isRequired: true });
const optional = (name: string, about: string): Parameter => ({ name, about, isRequired: false });

export const TOOLS: readonly Tool[] = [
  {
    name: 'progress',
    description: 'Say in one line how far you are. People who watch the run see it at once.',
    isReadOnly: false,
    parameters: [required('text', 'What is done and what comes next; at most 500 characters.')],
    call: (_, place, given) => progress(place, [given.text('text')]),
  },
  {
    name: 'block',
    description: 'Say that you cannot go on without a person, and why. End your turn afterwards.',
    isReadOnly: false,
    parameters: [required('why', 'What is missing and who could give it.')],
    call: (_, place, given) => block(place, [given.text('why')]),
  },
  {
    name: 'done',
    description: 'Say that your task is done. End your turn afterwards: the gates decide whether it lands.',
    isReadOnly: false,
    parameters: [optional('summary', 'What you did, in a few sentences.')],
    call: (_, place, given) => done(place, [given.text('summary')]),
  },
  {
    name: 'memory_add',
    description: 'Remember something that every later loop in this repository should know.',
    isReadOnly: false,
    parameters: [
      required('text', 'One thing learned: a command, a trap, a convention.'),
      { ...optional('tags', 'A few words to find it by.'), isList: true },
    ],
    call: (_, place, given) => addMemory(place, [given.text('text')], given.texts('tags')),
  },
  {
    name: 'memory_list',
    description: 'List what earlier loops and people wrote down about this repository.',
    isReadOnly: true,
    parameters: [],
    call: (_, place) => listMemories(place),
  },
  {
    name: 'memory_search',
    description: 'Look for words in what earlier loops and people wrote down about this repository.',
    isReadOnly: true,
    parameters: [required('words', 'Words to look for.')],
    call: (_, place, given) => searchMemories(place, [given.text('words')]),
  },
  {
    name: 'task_add',
    description: 'Propose a new task for something you found that is not part of your own. A person decides about it.',
    isReadOnly: false,
    parameters: [required('title', 'What should be done, in one line.'), optional('body', 'Why, and what is known.')],
    call: (_, place, given) => proposeTask(place, [given.text('title')], given.text('body')),
  },
  {
    name: 'task_show',
    description:
      'Show your own task with its acceptance criteria, the last red gate and what people said; or another task.',
    isReadOnly: true,
    parameters: [optional('id', 'Id of another task; your own when left out.')],
    call: (call, place, given) => showTask(call, place, given.text('id') === '' ? null : given.text('id')),
  },
];

/** What a client sent, checked against what the tool takes: clients differ in how much they check themselves. */
export function givenTo(tool: Tool, sent: Readonly<Record<string, unknown>>): Given {
  const problem = tool.parameters.flatMap((parameter) => problemOf(parameter, sent[parameter.name]))[0];
  const strange = Object.keys(sent).find((name) => !tool.parameters.some((parameter) => parameter.name === name));
  if (problem !== undefined || strange !== undefined) {
    const takes = tool.parameters.map(({ name, isRequired }) => (isRequired ? name : `${name} (may be left out)`));
    throw new AppError('E_USAGE', problem ?? `${tool.name} takes no ${JSON.stringify(strange)}`, {
      remedy: takes.length === 0 ? `${tool.name} takes nothing` : `${tool.name} takes ${takes.join(', ')}`,
    });
  }
  return {
    text: (name) => (sent[name] as string | null | undefined) ?? '',
    texts: (name) => (sent[name] as readonly string[] | null | undefined) ?? [],
  };
}

/** Some clients send null for what is left out. */
function problemOf({ name, isRequired, isList }: Parameter, value: unknown): readonly string[] {
  if (value === undefined || value === null) return isRequired ? [`${name} is missing`] : [];
  if (isList === true)
    return Array.isArray(value) && value.every((one) => typeof one === 'string') ? [] : [`${name} is no list of texts`];
  return typeof value === 'string' ? [] : [`${name} is no text`];
}
