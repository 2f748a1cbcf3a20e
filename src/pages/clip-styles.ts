/** The page of a clip: as large a picture as fits above what is said of it. */
export const CLIP_STYLES = `
.clip{--wide:min(1680px,max(20rem,calc((100vh - 19rem)*16/9)));max-width:calc(var(--wide) + 2*clamp(14px,3vw,32px));margin:0 auto;padding:0 clamp(14px,3vw,32px) 48px}
.page .top{max-width:calc(min(1680px,max(20rem,calc((100vh - 19rem)*16/9))) + 2*clamp(14px,3vw,32px))}
.stage{position:relative;border-radius:14px;box-shadow:0 0 0 1px var(--line),var(--shadow);overflow:hidden}
.stage::after{content:"";position:absolute;inset:0 0 auto;height:2px;background:linear-gradient(90deg,#ff9d42,#56a8ff);pointer-events:none}
.stage~*{position:relative}
h1{margin:22px 0 14px;font-size:clamp(1.4rem,3.2vw,2.1rem);line-height:1.15;letter-spacing:-.02em;overflow-wrap:anywhere}
.facts{display:flex;flex-wrap:wrap;gap:10px 32px;margin:0 0 22px}
.facts dt{color:var(--dim);font-size:.8rem;line-height:1.3}
.facts dd{margin:0;font-weight:600;overflow-wrap:anywhere}
.actions{display:flex;flex-wrap:wrap;gap:10px}
.actions svg{flex:none}
.actions time{display:inline-block;min-width:2.3em;font-variant-numeric:tabular-nums}
.keys{margin-left:auto}
.unscripted{display:none}
.toast{position:fixed;left:50%;bottom:14px;margin:0;padding:10px 18px;border-radius:10px;background:var(--text);color:var(--bg);font-weight:600;transform:translate(-50%,12px);opacity:0;transition:.18s;pointer-events:none}
.toast.shown{transform:translate(-50%,0);opacity:1}
.help{width:min(26rem,calc(100vw - 28px));padding:22px 24px 24px;border:1px solid var(--line);border-radius:16px;background:var(--panel);color:var(--text);box-shadow:var(--shadow)}
.help::backdrop{background:#04070bb3}
.help h2{margin:0 0 10px;font-size:1.2rem}
.help dl{margin:0 0 18px}
.help dl div{display:flex;align-items:baseline;gap:14px;padding:6px 0;border-top:1px solid var(--line)}
.help dt{flex:0 0 8.2em;display:flex;gap:6px}
.help dd{margin:0;color:var(--dim)}
.help button{width:100%;justify-content:center}
@media(max-width:860px){.actions>*{padding:0 12px;gap:6px;font-size:.92rem}}
@media(max-width:640px){
.page .top{padding:12px 14px}
.stage{margin:0 -14px;border-radius:0;box-shadow:none}
.clip{padding-bottom:32px}
.actions{display:grid;grid-template-columns:repeat(2,minmax(0,1fr))}
.actions>*{justify-content:center;padding:0 8px;font-size:.9rem;letter-spacing:-.01em}
.actions .main{grid-column:1/-1;font-size:1rem}
.actions .keys{margin:0}
.facts{display:grid;grid-template-columns:1fr 1fr;gap:12px 16px}
}
@media(hover:none) and (pointer:coarse){.keys{display:none}}
@media(max-width:640px) and (hover:none) and (pointer:coarse){.actions .button{grid-column:1/-1}}
`.trim();

export const CLIP_STYLES_WITHOUT_SCRIPT = `
.scripted{display:none}
.unscripted{display:grid;gap:10px;max-width:44rem;margin-top:16px}
.unscripted p{margin:0;color:var(--dim);font-size:.85rem}
.unscripted input{display:block;width:100%;padding:10px 12px;border:1px solid var(--line);border-radius:8px;background:var(--panel);color:var(--text);font:inherit}
`.trim();
