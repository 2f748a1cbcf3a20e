import { bindRoutes, type Route } from '#http/router.ts';
import { PUBLIC_ROUTES } from '#protocol/routes.ts';
import type { Service } from '#service/service.ts';
import { consolePage } from './console/console-page.ts';
import { changesPage } from './docs/changes-page.ts';
import { createDocsText, createLlmsText } from './docs/docs-text.ts';
import { errorPage } from './docs/error-page.ts';
import { openApiFile } from './docs/openapi-file.ts';
import { problemsPage } from './docs/problems-page.ts';
import { createGatewayPage, createOperatorPage, createReferencePage } from './docs/reference-page.ts';
import { createSearchPage } from './docs/search-page.ts';
import { health } from './health.ts';
import { limitGuesses } from './limit-guesses.ts';
import { clipFile } from './media/clip-file.ts';
import { countView } from './media/count-view.ts';
import { moreClips } from './media/more-clips.ts';
import { createShownViews } from './media/shown-views.ts';
import { withPages, withProblems } from './pages/absent-clip.ts';
import { clipPage } from './pages/clip-page.ts';
import { embedPage } from './pages/embed-page.ts';
import { landingPage } from './pages/landing-page.ts';
import { oembed } from './pages/oembed.ts';
import { createPages } from './pages/page.ts';
import { robots } from './pages/robots.ts';
import { studioPage } from './pages/studio-page.ts';

/** What viewers and readers load, without any key. */
export function publicRoutes(service: Service): Route[] {
  const { baseUrl, clipTtl } = service.settings;
  const pages = createPages();
  return bindRoutes(
    PUBLIC_ROUTES,
    // A page says by itself what is wrong with its address.
    { service, admit: () => null, readParam: (text) => text.toLowerCase() },
    {
      landing: landingPage(pages),
      clipPage: limitGuesses(withProblems(clipPage(pages))),
      clipEmbed: limitGuesses(withProblems(embedPage(pages))),
      clipVideo: limitGuesses(withPages(clipFile('video'))),
      clipThumbnail: limitGuesses(withPages(clipFile('thumbnail'))),
      clipStoryboard: limitGuesses(withPages(clipFile('storyboard'))),
      countView: limitGuesses(countView),
      shownViews: limitGuesses(createShownViews()),
      moreClips: limitGuesses(moreClips),
      oembed: limitGuesses(oembed),
      studio: studioPage(pages),
      robots,
      health,
      openApi: openApiFile,
      docs: createReferencePage(baseUrl, clipTtl),
      gatewayDocs: createGatewayPage(baseUrl),
      operatorDocs: createOperatorPage(baseUrl),
      searchDocs: createSearchPage(baseUrl, clipTtl),
      changesDocs: changesPage,
      docsText: createDocsText(baseUrl, clipTtl),
      llms: createLlmsText(baseUrl),
      problemDocs: problemsPage,
      errorDocs: errorPage,
      consolePage: consolePage(pages),
    },
  );
}
