/** Polite clients under attack go on asking and ordering, and get every answer. `npm run bench` measures how fast. */
import assert from 'node:assert/strict';
import { Sandbox, type Trader } from '../support/api/api-client-sandbox.js';
import { ATTACKS, type Attack, type Deeds } from './attacks.js';

const POLITE_CLIENTS = 16;
const BEGIN_MS = 500;

interface Endured {
  readonly attack: Attack;
  /** To polite clients, all of them as they should be. */
  readonly answered: number;
  readonly slowestMs: number;
  readonly deeds: Deeds;
}

interface HostileOptions {
  readonly seconds: number;
  readonly named: string;
}

export async function hostility(
  { seconds, named }: HostileOptions,
  onEndured: (endured: Endured) => void,
): Promise<void> {
  const sandbox = await Sandbox.start();
  try {
    const traders = await Promise.all(Array.from({ length: POLITE_CLIENTS }, () => sandbox.trader()));
    await sandbox.openRounds({ BTC: 67_000 }, 'ONE_DAY');
    for (const attack of ATTACKS.filter(({ name }) => name.includes(named)))
      onEndured(await endure(sandbox, attack, traders, seconds));
    await sandbox.checkConservation();
  } finally {
    await sandbox.remove();
  }
}

async function endure(
  { server }: Sandbox,
  attack: Attack,
  traders: readonly Trader[],
  seconds: number,
): Promise<Endured> {
  const running = attack.begin(Number(new URL(server.publicUrl).port));
  const endMs = performance.now() + BEGIN_MS + seconds * 1_000;
  let answered = 0;
  let slowestMs = 0;
  const polite = async ({ api }: Trader): Promise<void> => {
    for (let sentMs = performance.now(); sentMs < endMs; sentMs = performance.now()) {
      if (answered % 3 === 0)
        await api.place({
          marketId: 'BTC_ONE_DAY',
          prediction: answered % 2 === 0 ? 'UP' : 'DOWN',
          amount: 1,
        });
      else assert.equal((await api.market('BTC_ONE_DAY')).id, 'BTC_ONE_DAY');
      answered += 1;
      slowestMs = Math.max(slowestMs, performance.now() - sentMs);
    }
  };
  try {
    await Promise.all(traders.map(polite));
  } finally {
    running.stop();
  }
  return { attack, answered, slowestMs, deeds: running.deeds };
}
