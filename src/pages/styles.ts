/** One style for all pages: dark by preference of the material, light where the viewer asks for it. */
export const STYLES = `
:root{--bg:#0d1117;--panel:#161b22;--line:#2b333d;--text:#e8edf3;--dim:#9aa7b5;--accent:#ffb454;--on-accent:#1a1206;color-scheme:dark}
@media(prefers-color-scheme:light){:root{--bg:#f6f7f9;--panel:#fff;--line:#d8dee6;--text:#14181d;--dim:#55606d;--accent:#9a4f00;--on-accent:#fff;color-scheme:light}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
video{display:block;width:100%;height:auto;aspect-ratio:16/9;background:#000}
a{color:inherit}
.brand{font-weight:700;letter-spacing:.02em;text-decoration:none}
.brand b{color:var(--accent)}
.clip{max-width:1200px;margin:0 auto;padding:16px clamp(12px,3vw,32px) 48px}
.clip header,.clip footer{padding:8px 0 16px;color:var(--dim)}
.clip video{border-radius:12px;border:1px solid var(--line)}
h1{font-size:clamp(1.25rem,2.6vw,1.9rem);line-height:1.2;margin:20px 0 6px;overflow-wrap:anywhere}
.facts{display:flex;flex-wrap:wrap;gap:4px 16px;margin:0 0 20px;padding:0;list-style:none;color:var(--dim)}
.button{display:inline-block;padding:10px 18px;border-radius:8px;background:var(--accent);color:var(--on-accent);font-weight:600;text-decoration:none}
.button:focus-visible,a:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
.embed{height:100vh;overflow:hidden;background:#000}
.embed video{width:100vw;height:100vh;object-fit:contain}
.note{display:grid;place-content:center;min-height:60vh;padding:24px;text-align:center}
.note h1{margin:0 0 8px}
.note p{margin:0;color:var(--dim);max-width:46ch}
.embed .note{min-height:100vh;color:#e8edf3}
.embed .note p{color:#9aa7b5}
`.trim();
