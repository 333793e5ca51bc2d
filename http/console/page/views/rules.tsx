/** The rules in force, where each is from, and changes at run time: first shown, then done. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { RulesResource, ShownRule, ShownRules } from '../../../operator/resources/rules.js';
import { changeRule } from '../actions/rules.js';
import { Badge, Loading, Table } from '../parts/basics.js';
import { useLoaded } from '../parts/loaded.js';
import { isoTimeText } from '../state/format.js';
import { may } from '../state/session.js';

export function RulesView(): JSX.Element {
  const { data, error, reload } = useLoaded<RulesResource>('/rules');
  return (
    <>
      <h1>Rules</h1>
      <p>Rules hold from the next round on. Those of open rounds stay as they are.</p>
      {data === null ? <Loading error={error} /> : <RulesFacts rules={data.rules} onDone={reload} />}
    </>
  );
}

interface Named {
  /** As in the rules file, levels separated by dots. */
  readonly name: string;
  readonly rule: ShownRule;
}

const isRule = (shown: ShownRule | ShownRules): shown is ShownRule =>
  'from' in shown && 'value' in shown && typeof shown.from === 'string';

/** All rules in one list. */
const flat = (shown: ShownRules, before = ''): Named[] =>
  Object.entries(shown).flatMap(([name, inner]) =>
    isRule(inner) ? [{ name: before + name, rule: inner }] : flat(inner, `${before}${name}.`),
  );

function RulesFacts({
  rules,
  onDone,
}: {
  readonly rules: ShownRules;
  readonly onDone: () => void;
}): JSX.Element {
  const [wanted, setWanted] = useState('');
  const [isChangedOnly, setChangedOnly] = useState(false);
  const all = flat(rules).filter(({ name }) => name !== 'markets');
  const isShown = ({ name, rule }: Named): boolean => {
    if (isChangedOnly && rule.from === 'default') return false;
    // Seventy markets have many: they are shown where they are looked for.
    return wanted === '' ? isChangedOnly || !name.startsWith('limits.') : name.toLowerCase().includes(wanted);
  };
  const shown = all.filter(isShown);
  return (
    <>
      <fieldset class="filters">
        <legend class="hidden">Show</legend>
        <label>
          Part of the name, such as BTC_ONE_MINUTE{' '}
          <input
            type="text"
            value={wanted}
            autocomplete="off"
            onInput={(event) => setWanted(event.currentTarget.value.trim().toLowerCase())}
          />
        </label>
        <label class="choice">
          <input
            type="checkbox"
            checked={isChangedOnly}
            onChange={(event) => setChangedOnly(event.currentTarget.checked)}
          />
          other than the default only
        </label>
      </fieldset>
      <Table caption="Rules" head={['Rule', '#Value', 'From', '~Since', ...(may('admin') ? ['Action'] : [])]}>
        {shown.map(({ name, rule }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="number">{String(rule.value)}</td>
            <td>{rule.from === 'operator' ? <Badge tone="warn">operator</Badge> : rule.from}</td>
            <td class="wide">{isoTimeText(rule.since)}</td>
            {may('admin') && (
              <td>
                <button type="button" onClick={() => changeRule(name, rule, onDone)}>
                  Change <span class="hidden">{name}</span>
                </button>
              </td>
            )}
          </tr>
        ))}
      </Table>
      {shown.length === 0 && <p class="quiet">No rule is like that.</p>}
    </>
  );
}
