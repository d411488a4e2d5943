/** The last answer of an agent whose completion signal is `structured`. Closed and all required: codex takes no other. */
export const STRUCTURED_ANSWER = {
  type: 'object',
  properties: {
    status: {
      type: 'string',
      enum: ['done', 'continue', 'blocked'],
      description:
        'done: the task is finished and committed. continue: more is to be done. blocked: a person must act.',
    },
    summary: { type: 'string', description: 'One sentence: what was done, or what is in the way.' },
  },
  required: ['status', 'summary'],
  additionalProperties: false,
} as const;
