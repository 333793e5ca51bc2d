/** The server itself. */
import type { JSX } from 'preact';
import { Figure, Figures, Loading } from '../parts/basics.js';
import { count } from '../state/format.js';
import { live } from '../state/live.js';

export function SystemView(): JSX.Element {
  const message = live.value;
  return (
    <>
      <h1>System</h1>
      {message === null ? (
        <Loading error="" />
      ) : (
        <Figures>
          <Figure name="Commands">{count(message.seq)}</Figure>
          <Figure name="Durable up to">{count(message.durableSeq)}</Figure>
          <Figure name="Not durable yet">{count(message.backlog)}</Figure>
          <Figure name="Accounts">{count(message.accounts)}</Figure>
          <Figure name="Keys">{count(message.keys)}</Figure>
          <Figure name="Bets ever placed">{count(message.bets)}</Figure>
        </Figures>
      )}
    </>
  );
}
