/** Around the part of each role, for an agent that works on conflicts and did not write the work. */
export const MERGER_TEXT = `# Merge task {{task_id}}: {{task_title}}

This branch holds finished work that does not fit with what landed meanwhile. You did not write it; you make it fit. Add
nothing to it.

{{role}}

{{intents}}

{{half_done}}

{{last_failure}}

{{memories}}

{{rules}}

{{gates}}

{{verbs}}

{{guidance}}

## When you are done

This is iteration {{iteration}}. {{promise_rule}}
`;

export const RESOLVER_TEXT = `## Your part: resolve the conflicts

Resolve them and do nothing else: change no file but those named here. Where the two sides cannot both be had, do not
choose; say so: \`ralph block "WHY"\`.

{{conflict_files}}

{{markers_left}}
`;

export const TESTER_TEXT = `## Your part: make the gates green

The conflicts are resolved and no marker is left, but a gate is red. Each side was green alone, so look for what one side
changed and the other still expects. Often an edit of one side has to be repeated at places the other side added. Take
nothing away that either side wants, and weaken no test.

{{gate_failure}}
`;

export const CLEANER_TEXT = `## Your part: clean up

The conflicts were worked on, but something was left behind that must not land. Put that right and change nothing else.

{{markers_left}}

{{strayed}}
`;
