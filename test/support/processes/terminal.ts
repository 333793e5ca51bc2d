/** A real terminal that a program runs in: a shell in a session of tmux, with a socket of its own. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_EVERY_MS = 50;
const LOOKS_MAX = 1_200;

export class Terminal {
  /** The shell starts here; `close` removes it. */
  readonly folder = mkdtempSync(join(tmpdir(), 'tote-terminal-'));
  readonly #socket = join(this.folder, 'tmux');

  constructor() {
    this.#tmux('-f', '/dev/null', 'new-session', '-d', '-x', '120', '-y', '40', '-c', this.folder, 'sh');
  }

  enter(line: string): void {
    this.#tmux('send-keys', '-l', line);
    this.press('Enter');
  }

  /** `C-c`, `Enter`, as tmux names keys. */
  press(key: string): void {
    this.#tmux('send-keys', key);
  }

  screen(): string {
    return this.#tmux('capture-pane', '-p');
  }

  isCursorVisible(): boolean {
    return this.#tmux('display-message', '-p', '#{cursor_flag}') === '1\n';
  }

  /** `between` is done after each look in vain. */
  async until(pattern: RegExp, between: () => void = () => {}): Promise<string> {
    for (let look = 0; look < LOOKS_MAX; look++) {
      const screen = this.screen();
      if (pattern.test(screen)) return screen;
      between();
      await delay(LOOK_EVERY_MS);
    }
    throw new Error(`never seen on the screen: ${pattern}\n${this.screen()}`);
  }

  close(): void {
    this.#tmux('kill-server');
    rmSync(this.folder, { recursive: true, force: true });
  }

  #tmux(...args: string[]): string {
    return execFileSync('tmux', ['-S', this.#socket, ...args], { encoding: 'utf8' });
  }
}
