/** Also the place to start from for a template of one's own. */
export const DEFAULT_TEMPLATE_TEXT = `# Task {{task_id}}: {{task_title}}

{{task_body}}

{{acceptance}}

{{dependencies}}

{{earlier}}

{{rework}}

{{gate_failure}}

{{half_done}}

{{last_failure}}

{{memories}}

{{others}}

{{foreseen}}

{{rules}}

{{gates}}

{{verbs}}

{{guidance}}

## When you are done

This is iteration {{iteration}}. {{promise_rule}}
`;
