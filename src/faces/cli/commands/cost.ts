import type { BudgetView, CostView, UsageView } from '../../../core/views/cost-view.ts';
import { costInWords, costView } from '../../../core/views/cost-view.ts';
import { findTaskSource } from '../../../world/trackers/find-source.ts';
import type { Handler } from '../../call/handler.ts';
import { columns } from '../../call/output.ts';
import { openProject, readState } from '../../call/project.ts';

/** A running host keeps to the budget it began with, whatever the files say since. */
export const handle: Handler<CostView> = async (call) => {
  const { repo, config } = await openProject(call);
  const state = await readState(repo);
  const policy = Object.values(state.hosts).find((host) => host.policy.slots > 0)?.policy;
  const { limits } = policy ?? config.settings;
  const view = costView(state, {
    tracker: call.settings.has('tasks') ? await findTaskSource({ repo, target: config.target }, config.settings) : null,
    run: policy?.budget ?? config.settings.run,
    loop: { maxCostUsd: limits.maxCostUsd, maxTokens: limits.maxTokens },
  });
  if (view.tasks.length === 0) call.out.say('no loop has run yet; nothing was spent');
  else if (isUntold(view.total)) call.out.data('no agent has reported tokens or cost yet');
  else show(view, call.out.width, (text) => call.out.data(text));
  return { data: view };
};

/** Plain programs report nothing, and a table of zeros would look like a figure. */
const isUntold = ({
  input_tokens: input,
  cached_tokens: cached,
  output_tokens: output,
  cost_usd: cost,
}: UsageView): boolean => input + cached + output === 0 && cost === null;

function show(view: CostView, width: number, data: (text: string) => void): void {
  const rows = [
    ['', 'INPUT', 'CACHED', 'OUTPUT', 'COST', 'TURNS', 'MODEL'],
    row('total', view.total),
    row(view.run.is_open ? 'this run' : 'last run', view.run),
    ...view.agents.map((one) => row(`agent ${one.agent}`, one)),
    ...view.tasks.flatMap((task) => [
      row(`task ${task.task}`, task.usage),
      ...task.loops.flatMap((loop) => [
        row(`  loop ${loop.loop}`, loop.usage),
        ...loop.iterations.map((one) => row(`    iteration ${one.n} (${one.agent})`, one)),
      ]),
    ]),
  ];
  data(columns(rows, width));
  const budgets = [...budgetLines('run', view.run.budget), ...loopBudget(view)];
  if (budgets.length > 0) data(`\n${budgets.join('\n')}`);
  if (view.run.overspent !== null) data(`\nthe run's budget is spent: ${view.run.overspent}`);
  if (JSON.stringify(view).includes('"estimated"')) data('\n~ estimated: from set prices, or a subscription pays');
}

function row(name: string, usage: UsageView): readonly string[] {
  const tokens = [usage.input_tokens, usage.cached_tokens, usage.output_tokens].map(String);
  return [name, ...tokens, costInWords(usage), String(usage.turns), usage.model ?? '-'];
}

/** The same for every loop: who is close to it shows in the rows above. */
function loopBudget(view: CostView): readonly string[] {
  const { max_cost_usd: cost = null, max_tokens: tokens = null } = view.tasks[0]?.loops[0]?.budget ?? {};
  return [
    ...(cost === null ? [] : [`each loop may spend $${cost.toFixed(2)}`]),
    ...(tokens === null ? [] : [`each loop may use ${tokens} tokens`]),
  ];
}

function budgetLines(what: string, budget: BudgetView): readonly string[] {
  const { max_cost_usd: cost, cost_left_usd: costLeft, max_tokens: tokens, tokens_left: tokensLeft } = budget;
  return [
    ...(cost === null ? [] : [`${what}: $${(costLeft ?? 0).toFixed(2)} of $${cost.toFixed(2)} left`]),
    ...(tokens === null ? [] : [`${what}: ${tokensLeft ?? 0} of ${tokens} tokens left`]),
  ];
}
