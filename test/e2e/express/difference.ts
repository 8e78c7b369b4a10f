import type { Outcome } from './outcome.js';

/** One subject in which two outcomes differ. */
export interface Difference {
  readonly subject: string;
  readonly general: string;
  readonly express: string;
}

export function differencesOf(general: Outcome, express: Outcome): Difference[] {
  const subjects = Object.keys({ ...general.sections, ...express.sections });
  return subjects
    .map((subject) => ({
      subject,
      general: general.sections[subject] ?? 'nothing',
      express: express.sections[subject] ?? 'nothing',
    }))
    .filter((both) => both.general !== both.express);
}

const MOST_LINES = 40;
const LONGEST_LINE = 300;

/** The lines that only one side has, with the line before them. */
export function shown({ subject, general, express }: Difference): string {
  const [ours, others] = [general.split('\n'), express.split('\n')];
  let start = 0;
  while (start < ours.length && ours[start] === others[start]) start += 1;
  let end = 0;
  while (end < Math.min(ours.length, others.length) - start && ours.at(-1 - end) === others.at(-1 - end))
    end += 1;
  const part = (lines: readonly string[], sign: string): string[] => {
    const differing = lines.slice(start, lines.length - end);
    const kept = differing.slice(0, MOST_LINES).map((line) => `  ${sign} ${shortened(line)}`);
    const left = differing.length - kept.length;
    return left > 0 ? [...kept, `  ${sign} … ${left} more lines`] : kept;
  };
  const context = start > 0 ? [`    ${shortened(ours[start - 1] ?? '')}`] : [];
  return [`${subject} (- general, + express):`, ...context, ...part(ours, '-'), ...part(others, '+')].join(
    '\n',
  );
}

function shortened(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}

/** Equal for two findings that probably have the same cause. */
export function kindOf(differences: readonly Difference[]): string {
  return differences
    .map((difference) => {
      const lines = shown(difference).split('\n').slice(1, 4);
      return `${difference.subject}: ${lines.map((line) => line.replaceAll(/\d+|"[^"]*"/g, '_')).join(' ')}`;
    })
    .join('\n');
}
