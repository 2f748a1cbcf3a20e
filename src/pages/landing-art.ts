import { Html } from './html.ts';

/** A picture of a radar, for a landing page without a clip. */
export const LANDING_ART = new Html(`<svg viewBox="0 0 640 360" aria-hidden="true">
<g fill="#18222d" stroke="#2c3a49" stroke-width="2"><path d="M60 60h150v70h70V50h130v110h60V90h110v190h-90v-60h-80v90H270v-80h-60v70H60z"/></g>
<g fill="#0d131b" stroke="#2c3a49" stroke-width="2"><path d="M110 170h60v50h-60zM330 90h40v30h-40zM500 140h36v80h-36zM310 230h50v36h-50z"/></g>
<path d="m250 180 190-66 8 84z" fill="#ff9d42" opacity=".22"/>
<path d="m452 150-150 46 12-70z" fill="#56a8ff" opacity=".16"/>
<path d="M252 180 436 152" stroke="#fff3d6" stroke-width="2" stroke-dasharray="22 10"/>
<g stroke="#0d131b" stroke-width="3"><g fill="#ff9d42"><circle cx="250" cy="180" r="12"/><circle cx="96" cy="250" r="8"/><circle cx="150" cy="98" r="8"/></g>
<g fill="#56a8ff"><circle cx="452" cy="150" r="9"/><circle cx="548" cy="118" r="8"/><circle cx="520" cy="252" r="8"/></g></g>
<g stroke="#ff4d5a" stroke-width="4" stroke-linecap="round"><path d="m384 196 14 14m0-14-14 14M356 290l14 14m0-14-14 14"/></g>
<g font-family="system-ui,sans-serif" font-weight="700" font-size="15"><rect x="452" y="20" width="168" height="32" rx="6" fill="#090d12" stroke="#ff4d5a" stroke-width="2"/><text x="466" y="41" fill="#ffbe80">Ferris</text><path d="M522 36h26m-8-6 8 6-8 6" stroke="#f3f6f9" stroke-width="2.5" fill="none"/><text x="560" y="41" fill="#8cc4ff">Mink</text></g>
</svg>`);
