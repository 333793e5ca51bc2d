/** `TOTE_RULES_FILE`: a JSON file that changes parts of the default rules. */
import { readFileSync } from 'node:fs';
import { contradictions, withOverrides } from './compose.js';
import { type CheckedOverrides, checkOverrides } from './overrides.js';

/** Reads and checks the file at `path`. */
export function readRulesOverrides(path: string): CheckedOverrides {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    return {
      success: false,
      mistakes: [`it cannot be read: ${error instanceof Error ? error.message : error}`],
    };
  }
  const checked = checkOverrides(value);
  if (!checked.success) return checked;
  const mistakes = contradictions(withOverrides('', checked.overrides));
  return mistakes.length > 0 ? { success: false, mistakes } : checked;
}
