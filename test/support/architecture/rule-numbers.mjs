/** The numbers of our rules, for example `(S10, B12)`. They mean nothing to users: the rules are not in the package. */
const RULE_NUMBERS = /\s*\((?:[SCB]\d+(?:,\s)?)+\)/g;

export function withoutRuleNumbers(text) {
  return text.replaceAll(RULE_NUMBERS, '');
}
