import { shellWord } from '../core/model/shell-word.ts';
import { cleanLine } from './screen/clean.ts';

export interface ReviewFacts {
  readonly loop: string;
  readonly task: string;
  readonly title: string;
  readonly branch: string;
  readonly head: string;
  readonly base: string;
  readonly remote: string;
  readonly remoteBranch: string;
  /** Newest first. */
  readonly commits: readonly string[];
  readonly files: readonly string[];
  /** What the gates said of it; null: they have not run on it. */
  readonly gates: string | null;
}

const SHOWN_MAX = 200;

/** What a reviewer needs, as Markdown. Whatever an agent wrote stands in code, where it is only text. */
export function reviewSummary(facts: ReviewFacts): string {
  const { loop, branch, base, remote, remoteBranch } = facts;
  const tracking = shellWord(`${remote}/${remoteBranch}`);
  return `# Review of ${code(loop)}

- Task: ${code(facts.task)} ${code(facts.title)}
- Branch: ${code(branch)} at ${code(facts.head.slice(0, 12))}, pushed to ${code(`${remote} ${remoteBranch}`)}
- Base: ${code(base)}
- Gates: ${facts.gates === null ? 'have not run on it' : code(facts.gates)}

## Commits (${facts.commits.length})

${listed(facts.commits)}

## Files (${facts.files.length})

${listed(facts.files)}

## How to review

    git fetch ${shellWord(remote)} && git diff ${shellWord(base)}...${tracking}
    ralph loops diff ${shellWord(loop)}

## How to merge

    ralph loops merge ${shellWord(loop)}
`;
}

function listed(lines: readonly string[]): string {
  if (lines.length === 0) return 'None.';
  const shown = lines.slice(0, SHOWN_MAX).map((line) => `- ${code(line)}`);
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

/** Markdown's code, with as many marks around it as keep it whole. */
function code(text: string): string {
  const line = cleanLine(text);
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return longest === 0 ? `${marks}${line}${marks}` : `${marks} ${line} ${marks}`;
}
