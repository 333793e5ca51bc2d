/** The console's page in the browser. */
import { render } from 'preact';
import { App } from './app.js';
import { findSession } from './state/api.js';
import './style.css';

render(<App />, document.body);
void findSession();
