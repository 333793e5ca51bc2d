/** The console's own close code of a WebSocket: the session has ended, and the page asks for a login. */
export const SESSION_ENDED = 4401;
