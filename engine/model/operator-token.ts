/** The format of the operator API's token, whether it comes from the environment or its file. */

export const OPERATOR_TOKEN_FORM = '16 to 255 visible ASCII characters';

export const isOperatorToken = (text: string): boolean => /^[\x21-\x7e]{16,255}$/.test(text);
