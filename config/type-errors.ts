/** Turns typia's validation errors into sentences that name the field and say what was expected. */

interface TypeMismatch {
  /** `$input.limits.BTC.seedCents`, or `$input` for the whole value. */
  readonly path: string;
  /** A TypeScript type, such as `("UP" | "DOWN")` or `(number & Minimum<1>)`; `undefined` for an unknown field. */
  readonly expected: string;
  readonly value: unknown;
}

const SENTENCES_MAX = 5;

/** Only the first few: people fix errors one after the other. */
export function describeTypeErrors(errors: readonly TypeMismatch[]): string[] {
  return errors.slice(0, SENTENCES_MAX).map(describe);
}

function describe({ path, expected, value }: TypeMismatch): string {
  const field = path.replace(/^\$input\.?/, '');
  if (expected === 'undefined') return `${field} is not a known field`;
  const subject = field === '' ? 'the body' : field;
  if (value === undefined) return `${subject} is missing; expected ${wording(expected)}`;
  return `${subject} must be ${wording(expected)}`;
}

export const DATE_TIME_FORM = 'an ISO 8601 date-time with its zone, such as 2026-06-10T12:30:00.000Z';
const TAG_WORDS: Readonly<Record<string, (argument: string) => string>> = {
  Type: (type) =>
    type.includes('int') ? `a whole number${type.startsWith('u') ? ' from 0' : ''}` : 'a number',
  Minimum: (limit) => `at least ${limit}`,
  Maximum: (limit) => `at most ${limit}`,
  ExclusiveMinimum: (limit) => `above ${limit}`,
  ExclusiveMaximum: (limit) => `below ${limit}`,
  MinLength: (length) => `at least ${length} character(s)`,
  MaxLength: (length) => `at most ${length} characters`,
  MinItems: (count) => `at least ${count} element(s)`,
  MaxItems: (count) => `at most ${count} elements`,
  Format: (format) => (format === 'date-time' ? DATE_TIME_FORM : `a ${format}`),
  Pattern: (pattern) => `text of the form ${pattern}`,
  UniqueItems: () => 'no element twice',
  /** For the API document alone. */
  JsonSchemaPlugin: () => '',
};

const OBJECT = 'an object';
/** Words of a tag that say the type before it, too. */
const NAMES_TYPE = /^(text of|a (whole )?number)/;
const TYPE_WORDS: Readonly<Record<string, string>> = {
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  null: 'null',
};

/** `(number & Type<"uint32"> & Minimum<1>)` becomes `a whole number from 0, at least 1`. */
function wording(expected: string): string {
  const alternatives = stripParentheses(expected)
    .split(' | ')
    .filter((type) => type !== 'undefined')
    .map((type) =>
      stripParentheses(type)
        .split(' & ')
        .map(word)
        // A mark in the API document, such as `Extension`, stands behind the type.
        .filter((text, at) => text !== '' && (at === 0 || text !== OBJECT))
        .filter((_, at, words) => at > 0 || !words.slice(1).some((text) => NAMES_TYPE.test(text))),
    );
  return alternatives.map((words) => words.join(', ')).join(' or ');
}

function word(part: string): string {
  const [, tag = '', argument = ''] = /^(\w+)<(.*)>$/.exec(part) ?? [];
  if (tag === 'Array' || tag === 'ReadonlyArray') return 'an array';
  const unquoted = argument.replace(/^"(.*)"$/, '$1');
  if (TAG_WORDS[tag] !== undefined) return TAG_WORDS[tag](unquoted);
  if (/^[A-Z]\w*$/.test(part)) return OBJECT;
  return TYPE_WORDS[part] ?? part;
}

const stripParentheses = (text: string): string => text.replace(/^\((.*)\)$/, '$1');
