import { addMemory, listMemories, searchMemories } from '../verbs/memories.ts';
import { block, done, progress, proposeTask } from '../verbs/report.ts';
import { showTask } from '../verbs/show-task.ts';
import { isList, optional, required } from './tool.ts';
import type { Tool } from './tool.ts';

/** What an agent inside a loop may say. */
export const VERB_TOOLS: readonly Tool[] = [
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
      isList(optional('tags', 'A few words to find it by.')),
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
