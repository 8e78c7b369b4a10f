import { EventEmitter } from 'node:events';

/** A terminal whose keys the test presses. It records what the command does to it. */
export class PressedKeys extends EventEmitter {
  readonly done: string[] = [];
  setRawMode? = (mode: boolean): unknown => this.done.push(`raw ${mode}`);
  resume = (): unknown => this.done.push('resume');
  pause = (): unknown => this.done.push('pause');

  constructor(readonly isTTY = true) {
    super();
  }

  press(text: string): void {
    this.emit('data', Buffer.from(text));
  }
}
