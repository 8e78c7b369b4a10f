import type { Sides } from './builds.js';
import type { Outcome } from './outcome.js';

/** One subject in which two outcomes differ. */
export interface Difference {
  readonly subject: string;
  readonly sides: Sides;
  readonly expected: string;
  readonly actual: string;
}

export function differencesOf(sides: Sides, expected: Outcome, actual: Outcome): Difference[] {
  const subjects = Object.keys({ ...expected.sections, ...actual.sections });
  return subjects
    .map((subject) => ({
      subject,
      sides,
      expected: expected.sections[subject] ?? 'nothing',
      actual: actual.sections[subject] ?? 'nothing',
    }))
    .filter((both) => both.expected !== both.actual);
}

const MOST_LINES = 40;
const LONGEST_LINE = 300;

/** The lines that only one side has, with the line before them. */
export function shown({ subject, sides: [first, second], expected, actual }: Difference): string {
  const [ours, others] = [expected.split('\n'), actual.split('\n')];
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
  const heading = `${subject} (- ${first.name}, + ${second.name}):`;
  return [heading, ...context, ...part(ours, '-'), ...part(others, '+')].join('\n');
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
