import {
  type DynamicModule,
  Injectable,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { ProviderAuthService } from '../provider-auth.service.js';
import { recordEvents, type StatusSource } from './record-events.js';

/**
 * Diagnostics channels belong to the process, and so does the SDK that receives the metrics: however many applications
 * run in it, each event is counted once. The first one begins, the last one to close ends it.
 */
const recording = { applications: 0, services: new Set<StatusSource>(), end: (): void => {} };

/** Records from the application's start until it has closed, the token requests made while it closes included. */
@Injectable()
class TelemetrySubscription implements OnModuleInit, OnApplicationShutdown {
  #begun = false;
  #services: readonly StatusSource[] = [];

  constructor(private readonly modules: ModulesContainer) {}

  onModuleInit(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#services = servicesIn(this.modules);
    for (const service of this.#services) recording.services.add(service);
    recording.applications += 1;
    if (recording.applications === 1) recording.end = recordEvents(recording.services);
  }

  onApplicationShutdown(): void {
    // An application that is closed twice counts once.
    if (!this.#begun) return;
    this.#begun = false;
    for (const service of this.#services) recording.services.delete(service);
    recording.applications -= 1;
    if (recording.applications === 0) recording.end();
  }
}

/** Of every registration of the module, global or not; none where an application only listens to the events. */
function servicesIn(modules: ModulesContainer): StatusSource[] {
  return [...modules.values()].flatMap(({ providers }) => {
    const instance: unknown = providers.get(ProviderAuthService)?.instance;
    return instance instanceof ProviderAuthService ? [instance] : [];
  });
}

/**
 * Turns what happens to tokens into OpenTelemetry's metrics and spans, by way of whatever SDK the application has
 * registered before it starts.
 *
 * @example
 * imports: [ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()), ProviderAuthTelemetryModule.forRoot()]
 */
@Module({})
export class ProviderAuthTelemetryModule {
  /** Records from the start of the application until it has closed. */
  static forRoot(): DynamicModule {
    return { module: ProviderAuthTelemetryModule, providers: [TelemetrySubscription] };
  }
}
