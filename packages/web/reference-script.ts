import { href, PUBLIC_ROUTES } from '#protocol/lib/routes.ts';

/** From its file, which the page loads before this event. */
declare const Scalar: { createApiReference(place: string, documents: readonly object[]): void };

// The page's own origin has no storage, and Scalar fails without.
for (const name of ['localStorage', 'sessionStorage']) {
  const kept = new Map<string, string>();
  const value = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
    removeItem: (key: string) => void kept.delete(key),
  };
  Object.defineProperty(window, name, { value });
}

/** It asks nobody but the service. */
const OPTIONS = {
  proxyUrl: '',
  telemetry: false,
  agent: { disabled: true },
  hideClientButton: true,
  withDefaultFonts: false,
  showDeveloperTools: 'never',
  documentDownloadType: 'none',
  showOperationId: true,
};

const CLIENTS = { authentication: { preferredSecurityScheme: 'apiKey' } };
/** Other sites may call the API of clients alone, so the others cannot be tried. */
const UNTRIED = { hideTestRequestButton: true };

addEventListener('DOMContentLoaded', () =>
  Scalar.createApiReference('#reference', [
    { ...OPTIONS, title: 'Clients', slug: 'clients', url: href(PUBLIC_ROUTES.openApi), ...CLIENTS },
    { ...OPTIONS, title: 'Render hosts', slug: 'gateway', url: href(PUBLIC_ROUTES.gatewayOpenApi), ...UNTRIED },
    { ...OPTIONS, title: 'Operators', slug: 'operator', url: href(PUBLIC_ROUTES.operatorOpenApi), ...UNTRIED },
  ]),
);
