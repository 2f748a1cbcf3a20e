/**
 * The player alone: it fills the frame it is shown in. The title comes up under the mouse and gives way while the video
 * plays.
 */
export const EMBED_STYLES = `
html,body,main{height:100%}
body{background:#000;overflow:hidden}
video{height:100%;aspect-ratio:auto;object-fit:contain}
video:focus-visible{outline-offset:-3px}
.title{position:absolute;left:0;right:0;top:0;padding:12px 16px 32px;overflow:hidden;background:linear-gradient(#000c,#0000);color:#fff;font-weight:600;text-decoration:none;text-overflow:ellipsis;white-space:nowrap;opacity:0;transition:opacity .2s;pointer-events:none}
body:not(.playing) main:hover .title bdi{pointer-events:auto}
.title:hover bdi{text-decoration:underline}
.title:focus-visible{outline-offset:-4px}
body:not(.playing) main:hover .title,.title:focus-visible{opacity:1}
`.trim();
