export { ProviderAuthTestingModule, type ReplacingOptions } from './fake/provider-auth-testing.module.js';
export type { ProviderAuthTestingOptions } from './fake/fake-provider.js';
export { ProviderSimulator } from './simulator/provider-simulator.js';
export type { ProviderSimulatorOptions } from './simulator/provider-simulator-options.js';
export type { AnyProvider, EnvironmentOf, InterfaceOf, OptionsOf } from './any-provider.js';
export type { CertificateKind } from './simulator/certificate-authority.js';
export type { SimulatorCredentials } from './simulator/client-check.js';
export type { Answer, ScriptedAnswer } from './simulator/answer.js';
export type { BreakPoint, Exchange } from './simulator/exchange.js';
export type { IssueOptions as IssueWish, SimulatorTokenClaims } from './simulator/issued-tokens.js';
export type { ApiRequestRecord, TokenRequestRecord } from './simulator/records.js';
export type {
  ApiScripts,
  HeldAnswers as Held,
  ScriptHandler,
  Scripts,
  TokenScripts,
} from './simulator/scripts.js';
export { MemoryTokenStore } from './token-store/memory-token-store.js';
export { type TokenStoreCheck, tokenStoreChecks } from './token-store/token-store-checks.js';
