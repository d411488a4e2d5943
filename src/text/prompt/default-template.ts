import { invariant } from '../../core/assert.ts';
import { parseTemplate } from './template.ts';
import type { Template } from './template.ts';

/** Also the place to start from for a template of one's own. */
export const DEFAULT_TEMPLATE_TEXT = `# Task {{task_id}}: {{task_title}}

{{task_body}}

{{acceptance}}

{{dependencies}}

{{earlier}}

{{gate_failure}}

{{half_done}}

{{last_failure}}

{{memories}}

{{others}}

{{rules}}

{{gates}}

{{verbs}}

{{guidance}}

## When you are done

This is iteration {{iteration}}. {{promise_rule}}
`;

export const DEFAULT_TEMPLATE: Template = parsed(DEFAULT_TEMPLATE_TEXT);

function parsed(text: string): Template {
  const read = parseTemplate(text);
  invariant('template' in read, 'the default template has no problems');
  return read.template;
}
