import type { Html } from '../pages/html.ts';

/** Converts the HTML of the guide to Markdown: text, code, links, lists and tables, and nothing else. */
export function markdownOf({ text }: Html): string {
  return text
    .replace(
      /<pre[^>]*><code>([\s\S]*?)<\/code><\/pre>/g,
      (_, code: string) => `\n\n\`\`\`\n${withoutTags(code)}\n\`\`\`\n\n`,
    )
    .replace(/<figcaption>([\s\S]*?)<\/figcaption>/g, '\n\n$1:')
    .replace(/<code>([\s\S]*?)<\/code>/g, '`$1`')
    .replace(/<strong>([\s\S]*?)<\/strong>/g, '**$1**')
    .replace(/<a [^>]*href="([^"]+)"[^>]*>([\s\S]*?)<\/a>/g, '[$2]($1)')
    .replace(/<span class="rules">([\s\S]*?)<\/span>/g, ' ($1)')
    .replace(/<span[^>]*>/g, ' ')
    .replace(/<\/?t(head|body)>\s*/g, '')
    .replace(/<tr[^>]*>([\s\S]*?)<\/tr>\n?/g, (_, row: string) => rowOf(row))
    .replace(/\s*<li>\s*/g, '\n- ')
    .replace(/<h3[^>]*>([\s\S]*?)<\/h3>/g, '\n\n### $1\n\n')
    .replace(/<\/?(p|ol|ul|table|div|dl)\b[^>]*>/g, '\n\n')
    .replace(/<[^>]+>/g, '')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Converts a row. Adds the line below a head. */
function rowOf(row: string): string {
  const cells = [...row.matchAll(/<t([hd])[^>]*>([\s\S]*?)<\/t[hd]>/g)];
  const line = `| ${cells.map(([, , cell = '']) => withoutTags(cell).replace(/\s+/g, ' ').replaceAll('|', '\\|')).join(' | ')} |\n`;
  const isHead = cells.every(([, kind]) => kind === 'h');
  return isHead ? `${line}|${' --- |'.repeat(cells.length)}\n` : line;
}

function withoutTags(text: string): string {
  return text.replace(/<[^>]+>/g, '');
}
