/**
 * What all pages share, in the colours of the clips: slate, the amber of one team and the blue of the other. Dark by
 * preference of the material, light where the viewer asks for it.
 */
export const STYLES = `
:root{--bg:#0b1016;--panel:#141b24;--raised:#1c2530;--line:#2a3541;--text:#eef3f8;--dim:#9fb0c0;--accent:#ffb454;--blue:#7cbcff;--on-accent:#1d1203;--shadow:0 20px 60px #0009;color-scheme:dark}
@media(prefers-color-scheme:light){:root{--bg:#f3f5f8;--panel:#fff;--raised:#e9edf2;--line:#d3dae2;--text:#131a22;--dim:#51606e;--accent:#9a4f00;--blue:#0b5fb3;--on-accent:#fff;--shadow:0 20px 50px #1b2a3a2e;color-scheme:light}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:16px/1.5 Inter,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;-webkit-text-size-adjust:100%}
video{display:block;width:100%;height:auto;aspect-ratio:16/9;background:#000}
a{color:inherit}
h1{line-height:1.2}
.cover{position:absolute;inset:0;display:grid;place-content:center;width:100%;height:100%;min-height:0;padding:0;border:0;border-radius:0;background:#0000}
.cover:hover{background:#0000}
.cover:focus-visible{outline-offset:-6px}
.cover svg{width:clamp(56px,12vmin,88px);height:auto;border-radius:50%;background:#ffb454;fill:#1d1203;filter:drop-shadow(0 6px 24px #000a);transition:transform .15s}
.cover:hover svg{transform:scale(1.07)}
.cover[hidden]{display:none}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.top{display:flex;align-items:center;max-width:1280px;margin:0 auto;padding:14px clamp(14px,3vw,32px)}
.brand{font-weight:750;font-size:1.15rem;letter-spacing:-.01em;text-decoration:none}
.brand b{color:var(--accent);font-weight:inherit}
button,.button{display:inline-flex;align-items:center;gap:8px;min-height:44px;padding:0 16px;border:1px solid var(--line);border-radius:10px;background:var(--panel);color:var(--text);font:inherit;font-weight:600;text-decoration:none;white-space:nowrap;cursor:pointer}
button:hover,.button:hover{background:var(--raised)}
button.main,.button.main{border-color:var(--accent);background:var(--accent);color:var(--on-accent)}
button.main:hover,.button.main:hover{filter:brightness(1.08)}
kbd{display:inline-block;min-width:1.7em;padding:0 .4em;border:1px solid var(--line);border-bottom-width:2px;border-radius:6px;background:var(--bg);color:var(--text);font:600 .85em/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;text-align:center}
.note{display:flex;flex-direction:column;align-items:center;justify-content:center;min-height:calc(100vh - 120px);padding:24px;text-align:center}
.note h1{margin:28px 0 8px;font-size:clamp(1.4rem,4vw,2rem);line-height:1.2;letter-spacing:-.02em}
.note p{margin:0 0 12px;max-width:44ch;color:var(--dim)}
.blip{width:96px;height:96px;border:2px solid var(--line);border-radius:50%;background:radial-gradient(circle,var(--dim) 0 7px,#0000 8px),radial-gradient(circle,#0000 31px,var(--line) 32px 33px,#0000 34px)}
.blip.rendering{background:radial-gradient(circle,var(--accent) 0 7px,#0000 8px),conic-gradient(from 0deg,#0000 70%,var(--accent));animation:turn 1.6s linear infinite}
.blip.deleted{background:linear-gradient(45deg,#0000 47%,var(--dim) 48% 52%,#0000 53%),linear-gradient(-45deg,#0000 47%,var(--dim) 48% 52%,#0000 53%);background-size:44px 44px;background-position:center;background-repeat:no-repeat}
@keyframes turn{to{transform:rotate(1turn)}}
@media(prefers-reduced-motion:reduce){*{animation:none!important;transition:none!important}}
.embed.noted{--bg:#0b1016;--line:#2a3541;--text:#eef3f8;--dim:#9fb0c0;--accent:#ffb454;overflow:hidden}
.embed .note{min-height:100vh;padding:16px}
.embed .note h1{margin:16px 0 6px;font-size:clamp(1.05rem,4vw,1.6rem)}
.embed .note p{font-size:clamp(.8rem,2.5vw,1rem)}
@media(max-height:260px){.embed .blip{display:none}}
.failed:not([hidden]){position:absolute;inset:0;display:grid;place-content:center;margin:0;padding:20px;background:#0b1016;color:#eef3f8;text-align:center}
`.trim();
