export function withoutRuleNumbers(text: string): string;
