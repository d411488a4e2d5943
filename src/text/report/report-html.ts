import { describeMs } from '../../core/model/describe-time.ts';
import type { Figure, NeedsYou, ReportLanding, ReportView } from '../../core/views/report.ts';
import { describeSize } from '../../core/views/report.ts';
import type { SpanKind, TimelineRow } from '../../core/views/timeline.ts';
import { cleanLine } from '../screen/clean.ts';
import type { TimeOf } from './report-text.ts';
import { amount, describeRuns, nameOf } from './report-text.ts';

/** One file that needs nothing else: no script, no picture, no font of anybody's. Text that is not ours is only ever text. */
export function reportHtml(report: ReportView, timeOf: TimeOf): string {
  const { timeline } = report;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${text(report.verdict)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<header class="${report.is_bad ? 'bad' : 'good'}">
<h1>${text(report.verdict)}</h1>
<p>${text(describeRuns(report))}, ${time(report.since, timeOf)} to ${time(report.until, timeOf)}${report.is_over ? '' : ', still running'}</p>
</header>
<section aria-label="Figures"><dl class="figures">
${report.figures.map(figure).join('')}</dl></section>
${section('Needs you', report.needs_you.map(need))}
${timeline.rows.length === 0 ? '' : section('Timeline', [legend(), ...timeline.rows.map((row) => bar(row, timeline, timeOf))], 'div')}
${section(
  'Landed',
  report.landed.map((one) => landed(one, timeOf)),
)}
${section(
  'Limits met',
  report.limits.map(({ at, of, detail }) => `<li>${time(at, timeOf)} ${text(of)}: ${text(detail)}</li>`),
)}
</main>
</body>
</html>
`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const TEXT_CHARS_MAX = 2000;

/** Cleaned, bounded and escaped. */
const text = (some: string): string =>
  cleanLine(some.slice(0, TEXT_CHARS_MAX)).replaceAll(/[&<>"']/g, (sign) => ESCAPES[sign] ?? '');

const time = (iso: string, timeOf: TimeOf): string => `<time datetime="${text(iso)}">${text(timeOf(iso))}</time>`;

function section(name: string, items: readonly string[], tag: 'ul' | 'div' = 'ul'): string {
  if (items.length === 0) return '';
  const id = name.toLowerCase().replaceAll(' ', '-');
  return `<section aria-labelledby="${id}"><h2 id="${id}">${name}</h2><${tag} class="${id}">
${items.join('\n')}
</${tag}></section>`;
}

function figure({ what, unit, now, before }: Figure): string {
  if (now === null) return '';
  const was = before === null ? '' : `<span class="before">run before: ${text(amount(unit, before))}</span>`;
  return `<div><dt>${text(what)}</dt><dd>${text(amount(unit, now))}${was}</dd></div>\n`;
}

function need(one: NeedsYou): string {
  const lines = one.lines.length === 0 ? '' : `<pre>${one.lines.map(text).join('\n')}</pre>`;
  return `<li class="${one.kind}"><p><strong>${text(nameOf(one))}</strong> <span class="tag">${text(one.state)}: ${text(one.reason)}</span></p>
<p>${text(one.detail)}</p>${lines}<p>next: <code>${text(one.next)}</code></p></li>`;
}

function landed(one: ReportLanding, timeOf: TimeOf): string {
  const cost = one.cost_usd === null ? '' : `, ${amount('usd', one.cost_usd)}`;
  const size = one.size === null ? '' : `${describeSize(one.size)}, `;
  return `<li><p><strong>${text(one.task)}</strong> ${text(one.title)}</p>
<p class="quiet">${time(one.at, timeOf)} <code>${text(one.commit.slice(0, 10))}</code> ${size}took ${describeMs(one.took_ms)}${cost}</p></li>`;
}

const KINDS: Readonly<Record<SpanKind, string>> = {
  work: 'agent',
  gates: 'gates',
  mend: 'bringing main in',
  queue: 'in the queue',
  train: 'on a train',
  review: 'waits for you',
  idle: 'no host works on it',
};

const legend = (): string =>
  `<p class="legend">${Object.entries(KINDS)
    .map(([kind, name]) => `<span><i class="${kind}"></i>${name}</span>`)
    .join(' ')}</p>`;

const WIDTH = 1000;

/** The picture stretches; its words stand beside it, so that they stay legible on a phone. */
/** What a person put aside is told by its own word, as everywhere. */
function describeEnd({ how, reason }: NonNullable<TimelineRow['end']>): string {
  if (how === 'landed') return how;
  return reason === 'stopped' || reason === 'discarded' ? reason : `parked (${reason ?? ''})`;
}

function bar(row: TimelineRow, { from, to }: { readonly from: number; readonly to: number }, timeOf: TimeOf): string {
  const length = Math.max(1, to - from);
  const place = (at: number): number => Math.round(((at - from) / length) * WIDTH * 10) / 10;
  const how = row.end === null ? 'not over' : describeEnd(row.end);
  const rects = row.spans.map(
    (span) =>
      `<rect class="${span.kind}" x="${place(span.from)}" y="2" width="${Math.max(1.5, place(span.to) - place(span.from))}" height="12"/>`,
  );
  const marks = row.marks.map(({ at, what }) => `<rect class="${what}" x="${place(at)}" y="0" width="3" height="16"/>`);
  const spoken = row.spans.map((span) => `${KINDS[span.kind]} for ${describeMs(span.to - span.from)}`).join(', ');
  const end = row.end === null ? '' : ` ${timeOf(new Date(row.end.at).toISOString())}`;
  return `<div class="row"><span class="name">${text(row.task)}</span><svg role="img" viewBox="0 0 ${WIDTH} 16" preserveAspectRatio="none" aria-label="${text(`${row.task}: ${spoken}; ${how}`)}">${rects.join('')}${marks.join('')}</svg><span class="how ${row.end?.how ?? ''}">${text(how + end)}</span></div>`;
}

const STYLE = `
:root{--paper:#fff;--ink:#1d2125;--quiet:#5c6670;--line:#dde2e7;--box:#f5f7f9;--good:#12703a;--bad:#b3261e;--work:#2f6fd6;--gates:#8a5bd1;--mend:#c2600c;--queue:#c9d1d9;--train:#12805c;--review:#d3a514;--idle:#eceff2}
@media (prefers-color-scheme:dark){:root{--paper:#14171a;--ink:#e6e9ec;--quiet:#9aa5b0;--line:#333a41;--box:#1d2226;--good:#5fd08c;--bad:#ff8a80;--work:#6ea2f5;--gates:#b592ee;--mend:#f0984f;--queue:#4b545d;--train:#45c79a;--review:#e5c04a;--idle:#2a3036}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:60rem;margin:0 auto;padding:1.5rem 1rem 3rem}
h1{font-size:1.75rem;line-height:1.25;margin:0 0 .25rem}
h2{font-size:1.125rem;margin:2rem 0 .5rem}
p{margin:.125rem 0;overflow-wrap:anywhere}
header{border-left:.375rem solid var(--good);padding-left:.875rem}
header.bad{border-color:var(--bad)}
header p,.quiet,.before,.legend{color:var(--quiet)}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.625rem;margin:1.25rem 0 0}
.figures div{background:var(--box);border-radius:.375rem;padding:.5rem .75rem}
dt{font-size:.8125rem;color:var(--quiet)}
dd{margin:0;font-size:1.25rem;font-variant-numeric:tabular-nums}
.before{display:block;font-size:.8125rem}
ul{list-style:none;margin:0;padding:0}
li{border-top:1px solid var(--line);padding:.5rem 0}
li.stopped{border-left:.25rem solid var(--bad);padding-left:.625rem}
.tag{color:var(--quiet);font-size:.875rem}
pre,code{font:.8125rem/1.45 ui-monospace,SFMono-Regular,Menlo,monospace}
code{background:var(--box);padding:.125rem .3125rem;border-radius:.25rem;overflow-wrap:anywhere}
pre{background:var(--box);padding:.5rem .75rem;border-radius:.375rem;margin:.375rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
.legend{font-size:.8125rem;display:flex;flex-wrap:wrap;gap:.25rem .875rem;margin-bottom:.5rem}
.legend i{display:inline-block;width:.75rem;height:.75rem;border-radius:.125rem;margin-right:.3125rem;vertical-align:-.0625rem}
.row{display:grid;grid-template-columns:11rem 1fr 13rem;gap:.625rem;align-items:center;font-size:.875rem;padding:.125rem 0}
.name{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.how{color:var(--quiet);overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.how.landed{color:var(--good)}.how.parked{color:var(--bad)}
svg{display:block;width:100%;height:1rem;background:var(--box);border-radius:.1875rem}
${['work', 'gates', 'mend', 'queue', 'train', 'review', 'idle'].map((kind) => `.${kind}{fill:var(--${kind})}.legend .${kind}{background:var(--${kind})}`).join('')}
.red{fill:var(--bad)}.sent-back{fill:var(--mend)}
@media (max-width:40rem){h1{font-size:1.375rem}.row{grid-template-columns:1fr auto;gap:.125rem .5rem;padding:.3125rem 0}.row svg{grid-column:1/-1;grid-row:2}}
`;
