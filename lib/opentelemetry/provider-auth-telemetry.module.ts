import {
  type DynamicModule,
  Injectable,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { servicesIn } from '../module/provider-service.js';
import { recordEvents, type StatusSource } from './record-events.js';

/**
 * Module-level state, because diagnostics channels and the SDK belong to the process too. If several applications run in one
 * process, each event still counts once: the first application starts the recording, and the last one to close ends it.
 */
const recording = { applications: 0, services: new Set<StatusSource>(), end: (): void => {} };

/** Records from the start of the application until it has closed. Token requests during the close are recorded too. */
@Injectable()
class TelemetrySubscription implements OnModuleInit, OnApplicationShutdown {
  #begun = false;
  #services: readonly (StatusSource & Partial<OnApplicationShutdown>)[] = [];

  constructor(private readonly modules: ModulesContainer) {}

  onModuleInit(): void {
    if (this.#begun) return;
    this.#begun = true;
    // There is none in an application that only listens to the events.
    this.#services = servicesIn(this.modules);
    for (const service of this.#services) recording.services.add(service);
    recording.applications += 1;
    if (recording.applications === 1) recording.end = recordEvents(recording.services);
  }

  async onApplicationShutdown(): Promise<void> {
    // An application that is closed twice counts once.
    if (!this.#begun) return;
    this.#begun = false;
    // Nest may call this first, while calls of the module are still under way.
    await Promise.allSettled(
      this.#services.map(async (service) => void (await service.onApplicationShutdown?.())),
    );
    for (const service of this.#services) recording.services.delete(service);
    recording.applications -= 1;
    if (recording.applications === 0) recording.end();
  }
}

/**
 * Records token requests and 401 responses as OpenTelemetry metrics and spans. Register OpenTelemetry's SDK before your app
 * starts.
 *
 * @example
 * imports: [ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()), ProviderAuthTelemetryModule.forRoot()]
 */
@Module({})
export class ProviderAuthTelemetryModule {
  /** Records from the start of your app until it has closed. */
  static forRoot(): DynamicModule {
    // Global as the clients are, so that Nest closes it as late as them: other modules may still make calls.
    return { module: ProviderAuthTelemetryModule, global: true, providers: [TelemetrySubscription] };
  }
}
