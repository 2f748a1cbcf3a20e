/**
 * cs-demo-manager's plugin for Linux, read in `cs2-server-plugin/main.cpp` of v3.20.1, commit 8961f507 of 30 July 2026.
 * It looks at each frame of the game, and runs the actions of all ticks since the frame before.
 */
interface Action {
  readonly tick: number;
  readonly cmd: string;
}
export interface Sequence {
  readonly actions: readonly Action[];
}

interface PluginHooks {
  run(command: string): void;
  log(text: string): void;
  /** Two seconds of sleep begin. */
  sleep(): void;
}

export interface FakePlugin {
  isAsleep(): boolean;
  /** The two seconds are over. */
  wake(): void;
  look(tick: number): void;
}

export function createPlugin(sequences: Sequence[], { run, log, sleep }: PluginHooks): FakePlugin {
  let current = -1;
  let tick = -1;
  let left: Action[] = [];
  let isAsleep = false;

  function proceed(): void {
    for (let action = left.shift(); action !== undefined; action = left.shift()) {
      const { cmd } = action;
      if (cmd === 'pause_playback') {
        log(`[${tick}] Pausing demo playback`);
        run('demo_pause');
        isAsleep = true;
        sleep();
        return;
      }
      if (cmd === 'go_to_next_sequence') {
        log(`[${tick}] Going to next sequence, remaining sequences: ${sequences.length - 1}`);
        sequences.shift();
        run('demo_gototick 0');
        break;
      }
      log(`[${tick}] Executing: ${cmd}`);
      run(cmd);
      log(`[${tick}] Executed: ${cmd}`);
    }
    left = [];
    current = tick;
  }

  return {
    isAsleep: () => isAsleep,
    wake() {
      isAsleep = false;
      log(`[${tick}] Resuming demo playback`);
      run('demo_resume');
      proceed();
    },
    look(seen) {
      if (seen === current) return;
      tick = seen;
      const isDue = (action: Action): boolean => action.tick <= tick && action.tick > current;
      left = (sequences[0]?.actions ?? []).filter(isDue);
      proceed();
    },
  };
}
