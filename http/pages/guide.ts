/** `/docs/guide`: the API guide (`docs/api.md`) as a page, with the rules in force where the file has the defaults. */
import { Marked, type Tokens } from 'marked';
import type { Rules } from '../../engine/model/rules.js';
import { guardedBy, HTML, htmlHead } from './docs-page.js';
import { withRules } from './guide-rules.js';
import { ASK_AGAIN, type StaticPage, staticPage } from './static-pages.js';

/** What a heading is linked by, as the sites do that show Markdown. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }: Tokens.Heading): string {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
  },
});

/** `markdown` is a file of this project: it is not a stranger's, and nothing is filtered out of it. */
export function guidePage(markdown: string, rules: Rules): StaticPage {
  const tokens = marked.lexer(withRules(markdown, rules));
  const sections = tokens.filter(
    (token): token is Tokens.Heading => token.type === 'heading' && token['depth'] === 2,
  );
  const links = sections.map(
    ({ text }) => `<li><a href="#${anchorOf(text)}">${marked.parseInline(text)}</a></li>`,
  );
  const html = marked
    .parser(tokens)
    .replaceAll('<table>', '<div class="table"><table>')
    .replaceAll('</table>', '</table></div>');
  const page = `${htmlHead('tote API guide', ['/docs/style.css'])}
  <body>
    <nav><a href="/docs">API</a> <a href="/v1/openapi.json">OpenAPI document</a></nav>
    <main>
<ul>
${links.join('\n')}
</ul>
${html}    </main>
  </body>
</html>
`;
  return staticPage(HTML, ASK_AGAIN, page, guardedBy("style-src 'self'", "img-src 'self'"));
}
