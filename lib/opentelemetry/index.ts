export { ProviderAuthTelemetryModule } from './provider-auth-telemetry.module.js';
