import { type Brand, coloursOf, PRODUCT } from '#domain/account/brand.ts';
import { type Html, html } from './html.ts';

/** The orange of the icon. Discord reads only six digits as the stripe beside a preview. */
const ORANGE = '#ffb658';

export const themeColour = ({ colour }: Brand): string => colour ?? ORANGE;

/** The address of the icon: the logo, or two dots of a radar, one for each team. */
export function iconOf(brand: Brand): string {
  const colour = themeColour(brand).replace('#', '%23');
  const drawn = `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%23141b24'/%3E%3Cpath d='M12 20 24 5l4 9z' fill='${colour}' opacity='.45'/%3E%3Ccircle cx='12' cy='20' r='6' fill='${colour}'/%3E%3Ccircle cx='24' cy='24' r='3' fill='%2366d0ff'/%3E%3C/svg%3E`;
  return brand.logo ?? drawn;
}

/** The logo or the name in the head of a page, which leads to the brand's address. */
export function wordmark({ name, url, logo }: Brand): Html | '' {
  const text = name === PRODUCT.name ? html`Tick<b>reel</b>` : name && html`<bdi>${name}</bdi>`;
  const shown = logo ? html`<img src="${logo}" alt="${name || 'Home'}">` : text;
  return shown && html`<a class="brand"${url ? html` href="${url}"` : null}>${shown}</a>`;
}

export const pageTitle = (title: string, { name }: Brand): string => (name ? `${title} · ${name}` : title);

export const siteNameTag = ({ name }: Brand): Html | null =>
  name ? html`<meta property="og:site_name" content="${name}">\n` : null;

/** The colours of a brand that has its own, for page.css. */
export function brandStyles({ colour }: Brand): string {
  if (!colour) return '';
  const { brand, text, dark, light } = coloursOf(colour);
  return `:root,.embed:is(.noted,.replay){--brand:${brand};--on-brand:${text};--accent:${dark}}@media(prefers-color-scheme:light){:root{--accent:${light}}}`;
}
