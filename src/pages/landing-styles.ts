export const LANDING_STYLES = `
.landing{background-image:radial-gradient(60rem 32rem at 85% -8rem,#56a8ff2e,#0000),radial-gradient(46rem 28rem at -6rem 4rem,#ff9d4226,#0000);background-repeat:no-repeat}
.top nav{margin-left:auto}
.top nav a{display:inline-block;padding:10px 0;font-weight:600;text-decoration:none}
.top nav a:hover{text-decoration:underline}
main{max-width:1280px;margin:0 auto;padding:clamp(16px,4vw,56px) clamp(14px,3vw,32px) 64px}
.hero{display:grid;grid-template-columns:minmax(0,5fr) minmax(0,7fr);gap:clamp(24px,4vw,64px);align-items:center}
h1{margin:0 0 18px;font-size:clamp(2.1rem,4.2vw,3.2rem);line-height:1.04;letter-spacing:-.035em}
h1 em{display:block;color:var(--accent);font-style:normal}
.pitch p{margin:0 0 26px;max-width:46ch;color:var(--dim);font-size:clamp(1rem,1.5vw,1.15rem)}
.pitch .go{display:flex;flex-wrap:wrap;gap:10px;margin:0}
figure{margin:0}
figcaption{position:relative;margin-top:10px;color:var(--dim);font-size:.9rem;overflow-wrap:anywhere}
.stage{position:relative;border-radius:14px;box-shadow:0 0 0 1px var(--line),var(--shadow);overflow:hidden}
.art{aspect-ratio:16/9;background:#0d131b}
.art svg{display:block;width:100%;height:100%}
.steps{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:18px;margin:clamp(36px,6vw,80px) 0 0;padding:0;list-style:none;counter-reset:step}
.steps li{padding:20px 22px;border:1px solid var(--line);border-radius:14px;background:var(--panel);counter-increment:step}
.steps li::before{content:counter(step);display:grid;place-content:center;width:30px;height:30px;border-radius:50%;background:var(--raised);color:var(--blue);font-weight:700}
.steps h2{margin:12px 0 4px;font-size:1.1rem}
.steps p{margin:0;color:var(--dim)}
@media(max-width:900px){.hero{grid-template-columns:minmax(0,1fr)}.steps{grid-template-columns:minmax(0,1fr)}}
@media(max-width:640px){main{padding-top:8px}}
`.trim();
