/** The stylesheet of the guide and of the frame around Swagger UI. Every page fits the width of a phone. */
export const STYLE = `:root { color-scheme: light dark; --text: #222; --ground: #fff; --raised: #f5f5f5; --line: #ddd; --link: #0b57d0; }
@media (prefers-color-scheme: dark) {
  :root { --text: #ddd; --ground: #1c2022; --raised: #272c2f; --line: #3d4448; --link: #8ab4f8; }
}
html { scroll-padding-top: 1rem; }
body { display: grid; grid-template-columns: 16rem minmax(0, 1fr); margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--ground); }
nav { position: sticky; top: 0; box-sizing: border-box; height: 100vh; padding: 1rem; overflow-y: auto; border-right: 1px solid var(--line); font-size: 0.875rem; }
nav p { margin: 0 0 1rem; }
nav p a { margin-right: 1rem; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav li { margin: 0.25rem 0; }
nav .inner { margin-left: 1rem; }
body > main img { max-width: 100%; }
nav a, body > main a { color: var(--link); }
nav li a { color: inherit; text-decoration: none; }
nav li a:hover { text-decoration: underline; }
body > main { box-sizing: border-box; width: 100%; max-width: 52rem; padding: 0 1.5rem 3rem; overflow-wrap: break-word; }
body > main h2 { margin-top: 2.5rem; }
body > main pre, .table { overflow-x: auto; }
body > main pre { padding: 0.75rem; background: var(--raised); }
body > main code { font: 0.875em ui-monospace, monospace; overflow-wrap: anywhere; }
body > main pre code { overflow-wrap: normal; }
body > main table { border-collapse: collapse; }
body > main th, body > main td { padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
@media (max-width: 800px) {
  body { display: block; }
  nav { position: static; height: auto; padding: 0.75rem 1rem; border-right: 0; border-bottom: 1px solid var(--line); }
  nav p { margin: 0; }
  nav ul { display: flex; gap: 1rem; overflow-x: auto; white-space: nowrap; }
  body > main { padding: 0 1rem 3rem; }
  .swagger-ui .response-col_links { display: none; }
  .swagger-ui .opblock-body, .swagger-ui section.models { overflow-x: auto; }
}
`;
