/** `/docs/guide`: the API guide (`docs/api.md`) as a page, with the rules in force instead of the defaults. */
import { Marked, type Tokens } from 'marked';
import type { Rules } from '../../engine/model/rules.js';
import type { TaggedBody } from '../kit/tagged-body.js';
import { guardedBy, HTML, htmlHead, sideNavigation } from './docs-page.js';
import { withRules } from './guide-rules.js';
import { REVALIDATE, staticPage } from './static-pages.js';

/** The anchor of a heading, as sites that render Markdown make it. */
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

/** `markdown` is a file of this project, so its HTML is trusted and not filtered. */
export function guidePage(markdown: string, rules: Rules): TaggedBody {
  const tokens = marked.lexer(withRules(markdown, rules));
  const sections = tokens.filter(
    (token): token is Tokens.Heading => token.type === 'heading' && token['depth'] === 2,
  );
  const links = sections.map(({ text }) => [anchorOf(text), String(marked.parseInline(text))] as const);
  const html = marked
    .parser(tokens)
    .replaceAll('<table>', '<div class="table"><table>')
    .replaceAll('</table>', '</table></div>');
  const page = `${htmlHead('tote API guide', ['/docs/style.css'])}
  <body>
${sideNavigation('<a href="/docs">API</a> <a href="/v1/openapi.json">OpenAPI document</a>', links)}
    <main>
${html}    </main>
  </body>
</html>
`;
  return staticPage(HTML, REVALIDATE, page, guardedBy("style-src 'self'", "img-src 'self'"));
}
