import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { recordEvents } from './record-events.js';

/**
 * Diagnostics channels belong to the process, and so does the SDK that receives the metrics: however many applications
 * run in it, each event is counted once. The first one begins, the last one to close ends it.
 */
const recording = { applications: 0, end: (): void => {} };

/** Records from the application's start until it has closed, the token requests made while it closes included. */
@Injectable()
export class TelemetrySubscription implements OnModuleInit, OnApplicationShutdown {
  #begun = false;

  onModuleInit(): void {
    if (this.#begun) return;
    this.#begun = true;
    recording.applications += 1;
    if (recording.applications === 1) recording.end = recordEvents();
  }

  onApplicationShutdown(): void {
    // An application that is closed twice counts once.
    if (!this.#begun) return;
    this.#begun = false;
    recording.applications -= 1;
    if (recording.applications === 0) recording.end();
  }
}
