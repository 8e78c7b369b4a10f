export { ProviderAuthHealthIndicator } from './provider-auth.health-indicator.js';
