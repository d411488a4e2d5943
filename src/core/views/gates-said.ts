import type { GateReport, VerdictKind } from '../model/model.ts';

/** What the gates said of a loop, for people; null: they have not run, or none are configured. */
export const gatesSaid = (report: GateReport | null): VerdictKind | null =>
  report === null || report.isUntested === true ? null : report.verdict;

/** The same in words. */
export const gatesInWords = (report: GateReport | null): string =>
  report === null ? 'gates not run' : report.isUntested === true ? 'no gates' : `gates ${report.verdict}`;
