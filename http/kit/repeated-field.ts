/**
 * Fields that stand twice in one object of a JSON text. `JSON.parse` takes the last one without a word and other readers
 * take the first: who sent an amount twice may mean either, and a proxy may have checked the other.
 */
const NAME_OR_BRACE = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}]/g;

/** The first such field, or null. `value` is what `JSON.parse` made of the text. */
export function repeatedField(text: string, value: unknown): string | null {
  // A colon stands behind each name, or in a text such as a time.
  return colonsIn(text) === fieldsIn(value) ? null : firstRepeated(text);
}

function colonsIn(text: string): number {
  let colons = 0;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) colons += 1;
  return colons;
}

/** Without recursion: a text of 16 KiB can be thousands of arrays deep. */
function fieldsIn(value: unknown): number {
  let fields = 0;
  const open = [value];
  while (open.length > 0) {
    const one = open.pop();
    if (typeof one !== 'object' || one === null) continue;
    const items: readonly unknown[] = Object.values(one);
    if (!Array.isArray(one)) fields += items.length;
    for (const item of items) if (typeof item === 'object') open.push(item);
  }
  return fields;
}

function firstRepeated(text: string): string | null {
  const open: Set<string>[] = [];
  for (const [found, colon] of text.matchAll(NAME_OR_BRACE)) {
    if (found === '{') open.push(new Set());
    else if (found === '}') open.pop();
    if (colon === undefined) continue;
    const name = JSON.parse(found.slice(0, -colon.length)) as string;
    if (open.at(-1)?.has(name) === true) return name;
    open.at(-1)?.add(name);
  }
  return null;
}
