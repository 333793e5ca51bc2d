/** The pages for authors of bots (`docs/bots/`), below `/docs`, with the rules in force instead of the defaults. */
import { Marked, type Tokens } from 'marked';
import type { Rules } from '../../engine/model/rules.js';
import type { TaggedBody } from '../kit/tagged-body.js';
import { type Guide, guardedBy, HTML, htmlHead, type NavigationLink, sideNavigation } from './docs-page.js';
import { withRules } from './guide-rules.js';
import { REVALIDATE, staticPage } from './static-pages.js';

/** As sites that render Markdown make it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');

/** null for a file that this server does not serve. */
function servedHref(href: string): string | null {
  const [, page, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (page !== undefined) return `/docs/${page}${anchor}`;
  return /^(#|https?:)/.test(href) ? href : null;
}

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }: Tokens.Heading): string {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, tokens }: Tokens.Link): string {
      const html = this.parser.parseInline(tokens);
      const served = servedHref(href);
      return served === null ? html : `<a href="${served}">${html}</a>`;
    },
    image({ href, text }: Tokens.Image): string {
      return `<img src="/docs/${href}" alt="${text}">`;
    },
  },
});

const headingsOf = (markdown: string, level: number): Tokens.Heading[] =>
  marked
    .lexer(markdown)
    .filter((part): part is Tokens.Heading => part.type === 'heading' && part['depth'] === level);

const titleOf = (markdown: string): string => headingsOf(markdown, 1)[0]?.text ?? '';

/** All pages, and below the one at hand its sections. */
const navigationOf = (guide: Guide, shown: string): NavigationLink[] =>
  [...guide].flatMap(([name, markdown]): NavigationLink[] => {
    const page: NavigationLink = { href: `/docs/${name}`, html: titleOf(markdown), isInner: false };
    if (name !== shown) return [page];
    const sections = headingsOf(markdown, 2).map(({ text }) => ({
      href: `#${anchorOf(text)}`,
      html: String(marked.parseInline(text)),
      isInner: true,
    }));
    return [page, ...sections];
  });

/** The files are those of this project, so their HTML is trusted and not filtered. */
export function guidePage(guide: Guide, name: string, rules: Rules): TaggedBody | undefined {
  const markdown = guide.get(name);
  if (markdown === undefined) return undefined;
  const html = String(marked.parse(withRules(markdown, rules)))
    .replaceAll('<table>', '<div class="table"><table>')
    .replaceAll('</table>', '</table></div>');
  const page = `${htmlHead(`tote: ${titleOf(markdown)}`, ['/docs/style.css'])}
  <body>
${sideNavigation('<a href="/docs">API</a> <a href="/v1/openapi.json">OpenAPI document</a>', navigationOf(guide, name))}
    <main>
${html}    </main>
  </body>
</html>
`;
  return staticPage(HTML, REVALIDATE, page, guardedBy("style-src 'self'", "img-src 'self'"));
}
