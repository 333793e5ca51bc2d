/** The console's page in the browser. */
import { render } from 'preact';
import { App } from './app.js';
import { findSession } from './state/api.js';
import { followRoute } from './state/route.js';
import './style.css';

const root = document.getElementById('console');
if (root !== null) render(<App />, root);
followRoute();
void findSession();
