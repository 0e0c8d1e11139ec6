import { estimateWindow } from '../../src/estimators/window/estimate-window.js';
import { finish } from '../oracle/finish.js';
import { seeded } from '../oracle/random.js';
import { DEFAULTS } from '../oracle/window.js';
import { drawRareWindow, RARE_MODELS, rareCounts } from '../reference/rare-hits-window.js';
const zipf = (s: number) => Array.from({ length: 100 }, (_, i) => Math.ceil(300 * (i + 1) ** -s));
const RATES: any = [(n:number) => (0.6 * Math.log(n + 1)) / Math.log(301),(n:number) => 0.4 * (1 - Math.log(n) / Math.log(400))];
for (const [skew,gamma,rows] of [[0.7,1,[10,20]],[0.7,2,[20,60]],[1,1,[20,60]],[1,2,[30,60]],[1,2,[10,20]]] as any) {
  const popularity=zipf(skew); const world:any={users:300,rows,popularity,exponent:(gamma+1)/2,rates:RATES,spread:0.5,shared:0};
  const truth=RATES.map((r:any)=>popularity.reduce((s:number,n:number)=>s+r(n),0)/popularity.length);
  const random=seeded(17); const out:any={}; const runs=12;
  for(let run=0;run<runs;run++){const part=drawRareWindow(world,random);
   for(const scheme of ['log','popularity-width'] as const){
   const {results}=finish(estimateWindow([part],rareCounts(world),RARE_MODELS,{...DEFAULTS,metrics:['recall'],ks:[1],estimators:['snips','gs'],gamma,userForm:'corrected',strataScheme:scheme,interval:'korn-graubard'} as any));
   for(const r of results){const m=RARE_MODELS.indexOf(r.model);const k=`${scheme} ${r.estimator} ${r.aggregation} ${r.model}`;(out[k]??=[]).push(r.value/truth[m]-1); if(r.uncorrected!==undefined)(out[k+' uncorrected']??=[]).push(r.uncorrected/truth[m]-1)}}}
  console.log(`Zipf ${skew} γ ${gamma} rows ${rows}`);
  for(const [k,v] of Object.entries<any>(out)) if(!(k.startsWith('popularity')&&k.includes('snips'))) {const me=v.reduce((a:number,b:number)=>a+b,0)/v.length;const sd=Math.sqrt(v.reduce((a:number,b:number)=>a+(b-me)**2,0)/(v.length-1)/v.length);console.log('   ',k.padEnd(45),(100*me).toFixed(1)+'%','±',(100*sd).toFixed(1));}
}
