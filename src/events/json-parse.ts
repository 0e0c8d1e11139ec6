/** Pattern of a JSON string, or of a number that JSON does not have. */
const TEXT_OR_NO_NUMBER = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g;

/**
 * Parse JSON, including Python's dialect: `NaN` and `Infinity` become null.
 *
 * @throws SyntaxError for any other invalid JSON
 * @example
 * parseJson('{"score":NaN}') // { score: null }
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw error;
    return JSON.parse(
      text.replace(TEXT_OR_NO_NUMBER, (found) => (found.startsWith('"') ? found : 'null')),
    );
  }
}
