/** The style of the reference, on top of that of all pages. */
export const DOCS_STYLES = `
:root{--code:#0a0d12;--key:#8ab4ff;--str:#9ad08f;--num:#e6a86a;--get:#5aa9ff;--post:#57c785;--put:#d5a44a;--del:#f27a7a;--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
@media(prefers-color-scheme:light){:root{--code:#fff;--key:#0b4fb3;--str:#1f6b2b;--num:#8a4b00;--get:#0b5cad;--post:#146c3a;--put:#805400;--del:#b3261e}}
.docs{font-size:15px;line-height:1.6}
@media(prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
.docs code,.docs pre{font-family:var(--mono)}
.docs code{font-size:.87em}
.docs pre code{font-size:inherit}
.docs :not(pre)>code{padding:.1em .35em;border-radius:4px;background:var(--panel);border:1px solid var(--line);overflow-wrap:anywhere}
.docs main a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:3px}
.bar{position:sticky;top:0;z-index:2;display:flex;align-items:center;gap:14px;height:56px;padding:0 clamp(14px,2.5vw,32px);background:var(--bg);border-bottom:1px solid var(--line)}
.docs .brand{color:var(--text);font-size:1.15rem}
.where{color:var(--dim)}
.bar .raw{color:var(--text);text-decoration:none;padding:5px 12px;border:1px solid var(--line);border-radius:8px;font-size:13px}
.bar>.raw:last-child:nth-child(3){margin-left:auto}
.language{display:flex;margin:0 0 0 auto;padding:2px;border:1px solid var(--line);border-radius:8px;font-size:13px}
.language legend{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.language input{position:absolute;opacity:0}
.language span{display:block;padding:3px 11px;border-radius:6px;color:var(--dim);cursor:pointer}
.language :checked+span{background:var(--panel);color:var(--text);box-shadow:0 0 0 1px var(--line)}
.language :focus-visible+span{outline:3px solid var(--accent)}
.docs:not(:has([value=ts]:checked)) .ts,.docs:has([value=ts]:checked) .curl{display:none}
.frame{display:grid;grid-template-columns:minmax(0,1fr);max-width:1560px;margin:0 auto}
.side{display:none}
.docs main{min-width:0;padding:8px clamp(14px,2.5vw,40px) 96px}
.menu{margin:12px 0 0;border:1px solid var(--line);border-radius:10px;background:var(--panel);padding:8px 14px}
.menu summary{font-weight:600}
nav h2{margin:22px 0 4px;font-size:12px;letter-spacing:.07em;text-transform:uppercase;color:var(--dim)}
nav ul{margin:0;padding:0;list-style:none}
nav li a{display:flex;gap:8px;align-items:baseline;padding:3px 8px;margin:0 -8px;border-radius:6px;font-size:13.5px;line-height:1.45}
nav li a:hover{background:var(--panel)}
.menu nav li a:hover{background:var(--bg)}
nav .method{flex:none;width:46px;font-size:10px}
section,h3[id]{scroll-margin-top:64px}
.guide,.tag,.opening{padding:36px 0 12px;border-top:1px solid var(--line)}
.opening{border:0;padding-top:28px}
.docs h1{font-size:clamp(1.7rem,3.4vw,2.5rem);letter-spacing:-.02em;margin:8px 0 12px;text-wrap:balance}
.docs main>*>h2,.docs .tag>h2{font-size:1.5rem;letter-spacing:-.01em;line-height:1.25;margin:0 0 12px}
.docs h3{font-size:1.12rem;line-height:1.3;margin:0 0 6px}
.guide h3{margin-top:28px}
.docs h4{margin:22px 0 6px;font-size:12px;letter-spacing:.06em;text-transform:uppercase;color:var(--dim)}
.docs :is(h2,h3) a,.docs nav a{color:inherit;text-decoration:none}
main h2 a:hover,main h3 a:hover{text-decoration:underline}
.docs p{margin:0 0 12px;max-width:72ch}
.docs .lead{font-size:1.06rem;color:var(--dim)}
.docs .facts{display:grid;grid-template-columns:max-content 1fr;gap:6px 18px;margin:20px 0;color:inherit}
.facts dt{color:var(--dim)}
.facts dd{margin:0;min-width:0}
.operation{padding:28px 0;border-top:1px dashed var(--line)}
.operation,.split{display:grid;grid-template-columns:minmax(0,1fr);gap:8px 40px}
.address{display:flex;flex-wrap:wrap;gap:4px 10px;align-items:center}
.docs .address code{background:none;border:0;padding:0;font-size:14px}
.method{font:700 12px/1 var(--mono);letter-spacing:.02em}
.get{color:var(--get)}.post{color:var(--post)}.put,.patch{color:var(--put)}.delete{color:var(--del)}
.key{margin-left:auto;font-size:12px;color:var(--dim);border:1px solid var(--line);border-radius:99px;padding:0 9px}
.docs table{width:100%;border-collapse:collapse;margin:0 0 14px;font-size:14px;line-height:1.5}
.docs th,.docs td{padding:9px 12px 9px 0;text-align:left;vertical-align:top;border-top:1px solid var(--line);font-weight:400}
.docs td:last-child{padding-right:0}
thead th{border-top:0!important;color:var(--dim);font-size:12px}
.fields thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.fields th[scope]{width:38%;overflow-wrap:anywhere}
.docs .fields th code{background:none;border:0;padding:0;font-weight:600;color:var(--text)}
.type,.must,.rules{display:block;font-size:12.5px;color:var(--dim)}
.must{color:var(--accent)}
.rules{margin-top:2px}
.docs .rules code{font-size:.95em;padding:0 .25em}
.answers th{width:64px}
.guide th code{white-space:nowrap}
.show>details{margin:0 0 12px}
.show>details .code{margin-top:6px}
.status{font:600 12.5px var(--mono);color:var(--del)}
.ok{color:var(--post)}
.mime{text-transform:none;letter-spacing:0;font-weight:400}
details>summary{cursor:pointer;color:var(--dim);font-size:13px;padding:3px 0}
details>summary:hover{color:var(--text)}
td details[open]{margin-top:6px;padding:0 12px;border:1px solid var(--line);border-radius:8px;background:var(--panel)}
td details tr:first-child>*{border-top:0}
td details table{margin:0!important}
.code{margin:0 0 12px;border:1px solid var(--line);border-radius:10px;overflow:hidden;background:var(--code)}
.code figcaption{padding:6px 14px;font-size:12px;color:var(--dim);border-bottom:1px solid var(--line);background:var(--panel)}
.code pre{margin:0;padding:12px 14px;overflow:auto;max-height:560px;line-height:1.55;font-size:13px}
.code i{font-style:normal}
.k{color:var(--key)}.s{color:var(--str)}.n{color:var(--num)}
.steps{display:flex;flex-wrap:wrap;gap:8px;margin:0 0 16px;padding:0;list-style:none}
.steps li+li::before{content:"→";margin-right:8px;color:var(--dim)}
.problems{max-width:820px;margin:0 auto}
.kind{padding:20px 0 4px;border-top:1px solid var(--line)}
.kind:target{border-left:4px solid var(--accent);padding-left:16px}
.docs .kind h2{font-size:1.15rem;margin:0 0 2px}
@media(max-width:520px){.where{display:none}.key{margin-left:0}}
@media(min-width:1000px){
.frame{grid-template-columns:272px minmax(0,1fr)}
.side{display:block;position:sticky;top:56px;align-self:start;height:calc(100vh - 56px);overflow:auto;padding:0 20px 48px 32px;border-right:1px solid var(--line);scrollbar-width:thin}
.menu{display:none}
}
@media(min-width:1240px){
.operation,.split{grid-template-columns:minmax(0,11fr) minmax(0,9fr)}
.operation .show{position:sticky;top:76px;align-self:start}
}
`.trim();
