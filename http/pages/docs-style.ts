/** The stylesheet of the guide and of the frame around Swagger UI. Every page fits the width of a phone. */
export const STYLE = `body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; }
nav { padding: 0.75rem 1rem; border-bottom: 1px solid #ddd; }
nav a { margin-right: 1rem; }
main { max-width: 50rem; margin: 0 auto; padding: 0 1rem 3rem; overflow-wrap: break-word; }
main h2 { margin-top: 2.5rem; }
pre, .table { overflow-x: auto; }
pre { padding: 0.75rem; background: #f5f5f5; }
code { font: 0.875em ui-monospace, monospace; overflow-wrap: anywhere; }
pre code { overflow-wrap: normal; }
table { border-collapse: collapse; }
th, td { padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; }
@media (max-width: 640px) {
  .swagger-ui .response-col_links { display: none; }
  .swagger-ui .opblock-body, .swagger-ui section.models { overflow-x: auto; }
}
`;
